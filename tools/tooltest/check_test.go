package tooltest_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

func TestCheckFindsBadTools(t *testing.T) {
	t.Parallel()
	for _, tt := range badTools() {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			inputs := tt.inputs
			if inputs == nil {
				inputs = []string{goodInput, otherInput}
			}
			err := tooltest.Check(tt.tool, inputs...)
			require.Error(t, err)
			require.Equal(t, []string{tt.rule}, rulesOf(t, err), "%v", err)
			require.Contains(t, err.Error(), tt.got)
		})
	}
}

// rulesOf returns the rules that the violations of an error are of.
func rulesOf(t *testing.T, err error) []string {
	t.Helper()
	joined, ok := err.(interface{ Unwrap() []error })
	require.True(t, ok)
	rules := map[string]bool{}
	for _, e := range joined.Unwrap() {
		var v *tooltest.ContractError
		require.ErrorAs(t, e, &v)
		require.NotEmpty(t, v.Why, "a rule without a purpose: %s", v.Rule)
		rules[v.Rule] = true
	}
	return slices.Sorted(maps.Keys(rules))
}

func TestCheckDoesNotHang(t *testing.T) {
	t.Parallel()
	for i, named := range hanging(nil) {
		t.Run(named.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				defer close(release)
				tt := hanging(release)[i]
				s, err := tooltest.NewSession(t.TempDir())
				require.NoError(t, err)
				start := time.Now()
				err = tooltest.Checker{Session: s}.Check(tt.tool, goodInput)
				require.Equal(t, []string{tt.rule}, rulesOf(t, err), "%v", err)
				require.Contains(t, err.Error(), tt.got)
				require.Less(t, time.Since(start), time.Minute)
			})
		})
	}
}

func TestCheckerGrace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := tooltest.StandIn(good(), tooltest.Reply{Sleep: 10 * time.Second, Stubborn: true})
		require.NoError(t, tooltest.Checker{Grace: time.Minute}.Check(slow, goodInput))
		err := tooltest.Checker{Grace: time.Second}.Check(slow, goodInput)
		require.Equal(t, []string{tooltest.RuleCancel}, rulesOf(t, err))
		require.ErrorContains(t, err, "within 1s")
		time.Sleep(time.Hour) // the calls that nobody waited for end
	})
}

func TestCheckerUsesTheSession(t *testing.T) {
	t.Parallel()
	s, err := pegboard.NewSession(pegboard.SessionConfig{ID: "mine", Dir: t.TempDir()})
	require.NoError(t, err)
	picky := bent{Tool: good(), validate: func(c *pegboard.Call) error {
		if c.Session().ID() != "mine" {
			return errors.New("not here")
		}
		return nil
	}}
	require.NoError(t, tooltest.Checker{Session: s}.Check(picky, otherInput))
	require.Error(t, tooltest.Check(picky, otherInput))
	require.NoError(t, s.Close(t.Context()))
}

type editInput struct {
	Path  string `json:"path"`
	All   *bool  `json:"all,omitempty"`
	Edits []struct {
		Old string            `json:"old"`
		Env map[string]string `json:"env,omitempty"`
	} `json:"edits"`
}

func TestCheckPassesGoodTools(t *testing.T) {
	t.Parallel()
	edit := pegboard.Build(pegboard.Definition[editInput, *pegboard.Result]{
		Info: pegboard.Info{Name: "Edit"}, Description: "For a test.",
		Inspect: func(in editInput, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Value: in.Path}}, Concurrency: pegboard.PerTarget}
		},
		Call: func(context.Context, editInput, *pegboard.Call) (*pegboard.Result, error) { return nil, nil },
	})
	for _, tt := range []struct {
		name   string
		tool   pegboard.Tool
		inputs []string
	}{
		{name: "built", tool: shout(), inputs: []string{`{"text":"a"}`, `{"text":""}`}},
		{name: "nested", tool: edit, inputs: []string{`{"path":"a","edits":[{"old":"x","env":{"a":"1","A":"2"}},{"old":"y"}],"all":true}`, `{"path":"a","edits":[]}`}},
		{name: "fake", tool: tooltest.NewFake("Bash"), inputs: []string{``, `{}`, `{"command":"ls","x":{"y":[1,{"z":null}]}}`}},
		{name: "fake of a schema", tool: good(), inputs: []string{goodInput, otherInput}},
		{name: "stand-in", tool: tooltest.StandIn(edit), inputs: []string{" {\"path\":\"a\",\n\"edits\":[{\"old\":\"x\"}]} "}},
		{name: "slow but obedient", tool: tooltest.NewFake("T", tooltest.Reply{Sleep: time.Hour}), inputs: []string{`{}`}},
		{name: "only a person may allow it", tool: tooltest.FakeConfig{Name: "T", RequiresUser: true}.New(), inputs: []string{`{}`}},
		{name: "executed by the host", inputs: []string{`{"path":"a","edits":[]}`}, tool: pegboard.Build(pegboard.Definition[editInput, string]{
			Info: pegboard.Info{Name: "T", Supplied: true}, Description: "For a test.",
		})},
		{name: "hidden by a gate", tool: tooltest.NewFake("CronCreate"), inputs: []string{`{}`}},
		{
			name: "references and combinations", inputs: []string{`{"a":{"a":{}},"b":1,"c":"x"}`},
			tool: withSchema(`{"type":"object","properties":{"a":{"$ref":"#"},"b":{"anyOf":[{"type":"string"},{"type":"integer"}]},"c":true}}`),
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.NoError(t, tooltest.Check(tt.tool, tt.inputs...))
		})
	}
}

// TestCheckRunsCallCancelledOnly holds Check to what its comment says of side
// effects.
func TestCheckRunsCallCancelledOnly(t *testing.T) {
	t.Parallel()
	fake := good()
	watched := bent{Tool: fake, call: func(ctx context.Context, _ *pegboard.Call) {
		if ctx.Err() == nil {
			panic("the context is alive")
		}
	}}
	require.NoError(t, tooltest.Check(watched, goodInput, otherInput))
	require.Equal(t, []string{goodInput, goodInput, otherInput, otherInput}, inputsOf(fake.Calls()))
}

// TestCheckRulesAreComplete: every rule is explained, is listed in the manual and in docs/tools.md,
// and has a bad tool that breaks it.
func TestCheckRulesAreComplete(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("check.go")
	require.NoError(t, err)
	page, err := os.ReadFile("../../docs/tools.md")
	require.NoError(t, err)
	broken := map[string]bool{}
	for _, tt := range append(badTools(), hanging(nil)...) {
		broken[tt.rule] = true
	}
	for rule, why := range tooltest.Rules() {
		require.NotEmpty(t, why)
		require.True(t, broken[rule], "no bad tool breaks the rule %q", rule)
		require.Contains(t, strings.ToLower(string(source)), "//   - "+strings.ToLower(rule))
		require.Contains(t, string(page), "\n| "+rule+" | ", "docs/tools.md has no row that says what usually breaks the rule")
	}
}
