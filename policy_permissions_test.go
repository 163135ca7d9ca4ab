package pegboard_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/policy"
)

func TestNewPermissions(t *testing.T) {
	t.Parallel()
	var zero policy.Permissions
	require.Equal(t, policy.ModeDefault, zero.Mode())
	require.Empty(t, zero.Rules())

	p, err := policy.New("",
		policy.RuleSet{Source: policy.SourceUser, Allow: []string{"A"}, Ask: []string{"B"}, Deny: []string{"C"}},
		policy.RuleSet{Source: policy.SourceCLI, Allow: []string{"D"}, Deny: []string{"E(x)"}})
	require.NoError(t, err)
	require.Equal(t, policy.ModeDefault, p.Mode())
	written := func(p policy.Permissions) (list []string) {
		for _, r := range p.Rules() {
			list = append(list, fmt.Sprint(r.Behavior, " ", r, " ", r.Source))
		}
		return list
	}
	want := []string{"deny C userSettings", "deny E(x) cliArg", "ask B userSettings", "allow A userSettings", "allow D cliArg"}
	require.Equal(t, want, written(p))

	p.Rules()[0].Tool = "changed"
	more, err := p.WithRules(policy.RuleSet{Source: policy.SourceSession, Deny: []string{"F"}, Allow: []string{"G"}})
	require.NoError(t, err)
	require.Equal(t, want, written(p), "the value is immutable")
	require.Equal(t, []string{"deny C userSettings", "deny E(x) cliArg", "deny F session", "ask B userSettings",
		"allow A userSettings", "allow D cliArg", "allow G session"}, written(more))

	plan, err := p.WithMode(policy.ModePlan)
	require.NoError(t, err)
	require.Equal(t, policy.ModePlan, plan.Mode())
	require.Equal(t, want, written(plan))
	require.Equal(t, policy.ModeDefault, p.Mode())
}

func TestPermissionsRefuse(t *testing.T) {
	t.Parallel()
	for _, mode := range []policy.Mode{"acceptedits", "Default", "bypass", " plan", "delegate", "Manual"} {
		_, err := policy.New(mode)
		require.ErrorContains(t, err, fmt.Sprintf("unknown permission mode %q", mode))
		_, err = policy.Permissions{}.WithMode(mode)
		require.ErrorContains(t, err, fmt.Sprintf("unknown permission mode %q", mode))
	}
	for _, set := range []policy.RuleSet{{Deny: []string{"Ok", "Bash("}}, {Ask: []string{"Bash("}}, {Allow: []string{"Bash("}}} {
		p, err := policy.New("", set)
		require.ErrorContains(t, err, `rule "Bash(": the closing parenthesis is missing`)
		require.Equal(t, policy.Permissions{}, p)
		_, err = policy.Permissions{}.WithRules(set)
		require.Error(t, err)
	}
}

// TestUntrustedSourcesAllowNothing: the deny and ask rules of an untrusted set count,
// its allow rules do not, and a malformed one is an error all the same.
func TestUntrustedSourcesAllowNothing(t *testing.T) {
	t.Parallel()
	set := policy.RuleSet{Source: policy.SourceProject, Allow: []string{"A"}, Ask: []string{"Q"}, Deny: []string{"D"}, Untrusted: true}
	p := rules(t, "", set)
	require.Equal(t, []string{"default", "deny D projectSettings", "ask Q projectSettings"}, holds(p))
	set.Untrusted = false
	require.Equal(t, []string{"default", "deny D projectSettings", "ask Q projectSettings", "allow A projectSettings"}, holds(rules(t, "", set)))

	wrong := policy.RuleSet{Allow: []string{"Bash("}, Untrusted: true}
	_, err := policy.New("", wrong)
	require.ErrorContains(t, err, "Bash(")

	user := policy.RuleSet{Source: policy.SourceUser, Allow: []string{"A"}}
	p, err = p.WithRules(user)
	require.NoError(t, err)
	require.Equal(t, []string{"default", "deny D projectSettings", "ask Q projectSettings", "allow A userSettings"}, holds(p), "only that set")
}

// TestPermissionsKeepTheirAnchors when they are read from a session, added to
// and given to another.
func TestPermissionsKeepTheirAnchors(t *testing.T) {
	t.Parallel()
	dir, elsewhere := t.TempDir(), t.TempDir()
	p, err := session(t, pegboard.SessionConfig{Dir: dir, Permissions: rules(t, "", policy.RuleSet{Allow: []string{"Edit(./a)"}})}).
		Permissions().WithRules(policy.RuleSet{Allow: []string{"Edit(./b)"}})
	require.NoError(t, err)
	s := session(t, pegboard.SessionConfig{Dir: elsewhere, Permissions: p})
	for path, want := range map[string]string{
		filepath.Join(dir, "a"): "allow", filepath.Join(elsewhere, "a"): "ask",
		filepath.Join(dir, "b"): "ask", filepath.Join(elsewhere, "b"): "allow",
	} {
		a := actor{name: "T", traits: pegboard.Traits{Targets: []policy.Target{{Kind: policy.Path, Value: path}}}}
		require.Equal(t, want, judge(t, a.pool(t, s)).behavior.String(), path)
	}
}

// settled returns permissions of two sources with two directories.
func settled(t testing.TB) policy.Permissions {
	t.Helper()
	p, err := policy.New("",
		policy.RuleSet{Source: policy.SourceUser, Allow: []string{"A", "B(x)"}, Deny: []string{"D"}},
		policy.RuleSet{Source: policy.SourceSession, Allow: []string{"A"}, Ask: []string{"Q"}})
	require.NoError(t, err)
	p, err = p.Apply(
		policy.Update{Type: policy.AddDirectories, Directories: []string{"/u"}, Destination: policy.SourceUser},
		policy.Update{Type: policy.AddDirectories, Directories: []string{"/s"}, Destination: policy.SourceSession})
	require.NoError(t, err)
	return p
}

func TestUpdates(t *testing.T) {
	t.Parallel()
	const (
		user, here = policy.SourceUser, policy.SourceSession
		allow, ask = policy.Allow, policy.Ask
	)
	type update = policy.Update
	is := func(list ...string) []policy.UpdateRule {
		var rs []policy.UpdateRule
		for i := 0; i < len(list); i += 2 {
			rs = append(rs, policy.UpdateRule{Tool: list[i], Pattern: list[i+1]})
		}
		return rs
	}
	tests := []struct {
		name    string
		updates []update
		want    []string
	}{
		{name: "none", want: []string{"default", "deny D userSettings", "ask Q session", "allow A userSettings", "allow B(x) userSettings", "allow A session", "dir /u userSettings", "dir /s session"}},
		{name: "add rules", updates: []update{{Type: policy.AddRules, Behavior: ask, Rules: is("E", "", "Edit", "/src"), Destination: here}},
			want: []string{"default", "deny D userSettings", "ask Q session", "ask E session", "ask Edit(/src) session", "allow A userSettings", "allow B(x) userSettings", "allow A session", "dir /u userSettings", "dir /s session"}},
		{name: "add a rule that is there", updates: []update{{Type: policy.AddRules, Behavior: allow, Rules: is("A", "*"), Destination: here}},
			want: []string{"default", "deny D userSettings", "ask Q session", "allow A userSettings", "allow B(x) userSettings", "allow A session", "dir /u userSettings", "dir /s session"}},
		{name: "add to a new destination", updates: []update{{Type: policy.AddRules, Behavior: policy.Deny, Rules: is("A", ""), Destination: policy.SourceLocal}},
			want: []string{"default", "deny D userSettings", "deny A localSettings", "ask Q session", "allow A userSettings", "allow B(x) userSettings", "allow A session", "dir /u userSettings", "dir /s session"}},
		{name: "replace rules of one behavior and destination", updates: []update{{Type: policy.ReplaceRules, Behavior: allow, Rules: is("N", ""), Destination: user}},
			want: []string{"default", "deny D userSettings", "ask Q session", "allow A session", "allow N userSettings", "dir /u userSettings", "dir /s session"}},
		{name: "replace by nothing", updates: []update{{Type: policy.ReplaceRules, Behavior: allow, Destination: here}},
			want: []string{"default", "deny D userSettings", "ask Q session", "allow A userSettings", "allow B(x) userSettings", "dir /u userSettings", "dir /s session"}},
		{name: "remove a rule", updates: []update{{Type: policy.RemoveRules, Behavior: allow, Rules: is("A", ""), Destination: user}},
			want: []string{"default", "deny D userSettings", "ask Q session", "allow B(x) userSettings", "allow A session", "dir /u userSettings", "dir /s session"}},
		{name: "remove a rule of another behavior", updates: []update{{Type: policy.RemoveRules, Behavior: ask, Rules: is("A", ""), Destination: user}},
			want: []string{"default", "deny D userSettings", "ask Q session", "allow A userSettings", "allow B(x) userSettings", "allow A session", "dir /u userSettings", "dir /s session"}},
		{name: "remove a rule of another destination", updates: []update{{Type: policy.RemoveRules, Behavior: allow, Rules: is("B", "x"), Destination: here}},
			want: []string{"default", "deny D userSettings", "ask Q session", "allow A userSettings", "allow B(x) userSettings", "allow A session", "dir /u userSettings", "dir /s session"}},
		{name: "remove a rule by half its words", updates: []update{{Type: policy.RemoveRules, Behavior: allow, Rules: is("B", ""), Destination: user}},
			want: []string{"default", "deny D userSettings", "ask Q session", "allow A userSettings", "allow B(x) userSettings", "allow A session", "dir /u userSettings", "dir /s session"}},
		{name: "set the mode", updates: []update{{Type: policy.SetMode, Mode: policy.ModeAcceptEdits, Destination: here}},
			want: []string{"acceptEdits", "deny D userSettings", "ask Q session", "allow A userSettings", "allow B(x) userSettings", "allow A session", "dir /u userSettings", "dir /s session"}},
		{name: "set the mode by its other name", updates: []update{{Type: policy.SetMode, Mode: policy.ModePlan}, {Type: policy.SetMode, Mode: "manual", Destination: here}},
			want: []string{"default", "deny D userSettings", "ask Q session", "allow A userSettings", "allow B(x) userSettings", "allow A session", "dir /u userSettings", "dir /s session"}},
		{name: "add directories", updates: []update{{Type: policy.AddDirectories, Directories: []string{"/n", "/u"}, Destination: user}},
			want: []string{"default", "deny D userSettings", "ask Q session", "allow A userSettings", "allow B(x) userSettings", "allow A session", "dir /s session", "dir /n userSettings", "dir /u userSettings"}},
		{name: "remove directories", updates: []update{{Type: policy.RemoveDirectories, Directories: []string{"/s", "/none"}, Destination: here}},
			want: []string{"default", "deny D userSettings", "ask Q session", "allow A userSettings", "allow B(x) userSettings", "allow A session", "dir /u userSettings"}},
		{name: "remove directories of another destination", updates: []update{{Type: policy.RemoveDirectories, Directories: []string{"/u"}, Destination: here}},
			want: []string{"default", "deny D userSettings", "ask Q session", "allow A userSettings", "allow B(x) userSettings", "allow A session", "dir /u userSettings", "dir /s session"}},
		{name: "in their order", updates: []update{
			{Type: policy.AddRules, Behavior: allow, Rules: is("N", ""), Destination: user},
			{Type: policy.ReplaceRules, Behavior: allow, Rules: is("M", ""), Destination: user},
			{Type: policy.AddRules, Behavior: allow, Rules: is("O", ""), Destination: user},
			{Type: policy.RemoveRules, Behavior: allow, Rules: is("M", ""), Destination: user},
		}, want: []string{"default", "deny D userSettings", "ask Q session", "allow A session", "allow O userSettings", "dir /u userSettings", "dir /s session"}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := settled(t)
			before := holds(p)
			q, err := p.Apply(tc.updates...)
			require.NoError(t, err)
			require.Equal(t, tc.want, holds(q))
			require.Equal(t, before, holds(p), "the value is immutable")
		})
	}
}

// TestUpdatesThatAreWrong change nothing, not even by those before them.
func TestUpdatesThatAreWrong(t *testing.T) {
	t.Parallel()
	good := policy.Update{Type: policy.AddRules, Behavior: policy.Allow, Rules: []policy.UpdateRule{{Tool: "N"}}, Destination: policy.SourceSession}
	tests := []struct {
		name  string
		wrong policy.Update
		says  string
	}{
		{name: "no type", says: "unknown type"},
		{name: "unknown type", wrong: policy.Update{Type: "addrules"}, says: "update addrules: unknown type"},
		{name: "no behavior", wrong: policy.Update{Type: policy.AddRules, Rules: []policy.UpdateRule{{Tool: "N"}}}, says: "the behavior is undecided"},
		{name: "no tool", wrong: policy.Update{Type: policy.AddRules, Behavior: policy.Deny, Rules: []policy.UpdateRule{{Tool: "N"}, {Pattern: "x"}}}, says: "is empty"},
		{name: "a rule nobody understands", wrong: policy.Update{Type: policy.ReplaceRules, Behavior: policy.Deny, Rules: []policy.UpdateRule{{Tool: "Edit", Pattern: "../x"}}}, says: `".."`},
		{name: "a rule to remove that nobody understands", wrong: policy.Update{Type: policy.RemoveRules, Behavior: policy.Deny, Rules: []policy.UpdateRule{{Tool: "Bash", Pattern: " "}}}, says: "update removeRules"},
		{name: "an allow rule that is too broad", wrong: policy.Update{Type: policy.AddRules, Behavior: policy.Allow, Rules: []policy.UpdateRule{{Tool: "*"}}}, says: "an allow rule approves nothing"},
		{name: "unknown mode", wrong: policy.Update{Type: policy.SetMode, Mode: "yolo"}, says: `unknown permission mode "yolo"`},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := session(t, pegboard.SessionConfig{Permissions: settled(t)})
			before := holds(s.Permissions())
			q, err := s.Permissions().Apply(good, tc.wrong, good)
			require.ErrorContains(t, err, tc.says)
			require.Equal(t, policy.Permissions{}, q)
			err = s.UpdatePermissions(func(p policy.Permissions) (policy.Permissions, error) { return p.Apply(good, tc.wrong) })
			require.ErrorContains(t, err, tc.says)
			require.Equal(t, before, holds(s.Permissions()))
		})
	}
}

// TestBypassIsEnteredOnlyWhereItWasAvailable: an update to it changes nothing
// elsewhere, and is no error.
func TestBypassIsEnteredOnlyWhereItWasAvailable(t *testing.T) {
	t.Parallel()
	enter := policy.Update{Type: policy.SetMode, Mode: policy.ModeBypass, Destination: policy.SourceSession}
	leave := policy.Update{Type: policy.SetMode, Mode: policy.ModeDefault, Destination: policy.SourceSession}
	add := policy.Update{Type: policy.AddRules, Behavior: policy.Deny, Rules: []policy.UpdateRule{{Tool: "N"}}}
	for _, from := range strictness() {
		p := rules(t, from, policy.RuleSet{})
		q, err := p.Apply(enter, add)
		require.NoError(t, err)
		require.Equal(t, []string{string(from), "deny N "}, holds(q), "the others take place")
		if from == policy.ModeBypass {
			q, err = p.Apply(leave)
			require.NoError(t, err)
			require.Equal(t, policy.ModeDefault, q.Mode())
			q, err = q.Apply(add, enter)
			require.NoError(t, err)
			require.Equal(t, policy.ModeBypass, q.Mode(), "it was launched in it")
		}
	}
	p, err := policy.Permissions{}.WithAvailable(policy.ModeBypass).Apply(leave, enter)
	require.NoError(t, err)
	require.Equal(t, policy.ModeBypass, p.Mode())
}

// TestPlanModeRemembers the mode before it.
func TestPlanModeRemembers(t *testing.T) {
	t.Parallel()
	with := func(p policy.Permissions, m policy.Mode) policy.Permissions {
		q, err := p.WithMode(m)
		require.NoError(t, err)
		return q
	}
	set := func(p policy.Permissions, m policy.Mode) policy.Permissions {
		q, err := p.Apply(policy.Update{Type: policy.SetMode, Mode: m, Destination: policy.SourceSession})
		require.NoError(t, err)
		return q
	}
	for _, enter := range []func(policy.Permissions, policy.Mode) policy.Permissions{with, set} {
		for _, from := range strictness() {
			p := rules(t, from, policy.RuleSet{Deny: []string{"D"}})
			plan := enter(p, policy.ModePlan)
			require.Equal(t, policy.ModePlan, plan.Mode())
			want := from
			if from == policy.ModePlan { // it was never in another
				want = policy.ModeDefault
			}
			after := plan.AfterPlan()
			require.Equal(t, []string{string(want), "deny D "}, holds(after))
			require.Equal(t, want, enter(plan, policy.ModePlan).AfterPlan().Mode(), "entering twice is entering once")
			require.Equal(t, want, after.AfterPlan().Mode(), "leaving twice is leaving once")
			more, err := plan.WithRules(policy.RuleSet{Ask: []string{"Q"}})
			require.NoError(t, err)
			require.Equal(t, want, more.AfterPlan().Mode(), "a rule in between")
			if from != policy.ModePlan {
				require.Equal(t, holds(p), holds(p.AfterPlan()), "outside plan mode there is nothing to leave")
			}
			other := enter(enter(plan, policy.ModeAcceptEdits), policy.ModePlan)
			require.Equal(t, policy.ModeAcceptEdits, other.AfterPlan().Mode(), "the last mode before it")
		}
	}
	s := session(t, pegboard.SessionConfig{Permissions: rules(t, policy.ModeAcceptEdits, policy.RuleSet{})})
	require.NoError(t, s.SetPermissions(with(s.Permissions(), policy.ModePlan)))
	require.NoError(t, s.UpdatePermissions(func(p policy.Permissions) (policy.Permissions, error) { return p.AfterPlan(), nil }))
	require.Equal(t, policy.ModeAcceptEdits, s.Permissions().Mode())
}

// TestUpdateIsTheDocumentedJSON: updates have the JSON that Claude Code's documentation
// of hooks gives.
func TestUpdateIsTheDocumentedJSON(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]policy.Update{
		`{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"npm test"},{"toolName":"Read"}],"behavior":"allow","destination":"localSettings"}`: {
			Type: policy.AddRules, Rules: []policy.UpdateRule{{Tool: "Bash", Pattern: "npm test"}, {Tool: "Read"}}, Behavior: policy.Allow, Destination: policy.SourceLocal},
		`{"type":"replaceRules","rules":[{"toolName":"Bash"}],"behavior":"deny","destination":"userSettings"}`: {
			Type: policy.ReplaceRules, Rules: []policy.UpdateRule{{Tool: "Bash"}}, Behavior: policy.Deny, Destination: policy.SourceUser},
		`{"type":"removeRules","rules":[{"toolName":"Bash"}],"behavior":"ask","destination":"projectSettings"}`: {
			Type: policy.RemoveRules, Rules: []policy.UpdateRule{{Tool: "Bash"}}, Behavior: policy.Ask, Destination: policy.SourceProject},
		`{"type":"setMode","mode":"acceptEdits","destination":"session"}`: {
			Type: policy.SetMode, Mode: policy.ModeAcceptEdits, Destination: policy.SourceSession},
		`{"type":"addDirectories","directories":["/a","../b"],"destination":"cliArg"}`: {
			Type: policy.AddDirectories, Directories: []string{"/a", "../b"}, Destination: policy.SourceCLI},
		`{"type":"removeDirectories","directories":["/a"],"destination":"session"}`: {
			Type: policy.RemoveDirectories, Directories: []string{"/a"}, Destination: policy.SourceSession},
	} {
		var got policy.Update
		require.NoError(t, json.Unmarshal([]byte(text), &got))
		require.Equal(t, want, got)
		again, err := json.Marshal(got)
		require.NoError(t, err)
		require.Equal(t, text, string(again))
		_, err = policy.Permissions{}.Apply(got)
		require.NoError(t, err)
	}
	for _, text := range []string{`{"type":"addRules","behavior":"Allow"}`, `{"type":"addRules","behavior":"undecided"}`, `{"type":"addRules","behavior":1}`} {
		require.Error(t, json.Unmarshal([]byte(text), new(policy.Update)), text)
	}
}

// TestUpdatesAgainstAList applies random updates to permissions and to a plain
// list, which must stay the same.
func TestUpdatesAgainstAList(t *testing.T) {
	t.Parallel()
	type rule struct {
		b        policy.Behavior
		tool, of string
	}
	behaviors := []policy.Behavior{policy.Deny, policy.Ask, policy.Allow}
	for seed := range effort.Of(t, uint64(500)) {
		d := dice{rand.New(rand.NewPCG(seed, 8)), nil}
		var p policy.Permissions
		var list []rule
		for range 12 {
			u := policy.Update{Type: one(d, policy.AddRules, policy.AddRules, policy.ReplaceRules, policy.RemoveRules), Behavior: one(d, behaviors...), Destination: one(d, policy.SourceUser, policy.SourceSession)}
			var given []rule
			for _, tool := range slices.Compact([]string{one(d, "A", "B"), one(d, "B", "C")}) {
				u.Rules = append(u.Rules, policy.UpdateRule{Tool: tool})
				given = append(given, rule{u.Behavior, tool, string(u.Destination)})
			}
			list = slices.DeleteFunc(list, func(r rule) bool {
				return slices.Contains(given, r) || u.Type == policy.ReplaceRules && r.b == u.Behavior && r.of == string(u.Destination)
			})
			if u.Type != policy.RemoveRules {
				list = append(list, given...)
			}
			q, err := p.Apply(u)
			require.NoError(t, err)
			p = q
		}
		var want, got []rule
		for _, b := range behaviors {
			for _, r := range list {
				if r.b == b {
					want = append(want, r)
				}
			}
		}
		for _, r := range p.Rules() {
			got = append(got, rule{r.Behavior, r.Tool, string(r.Source)})
		}
		require.Equal(t, want, got, "seed %d", seed)
	}
}

func TestSetModeWithoutAMode(t *testing.T) {
	t.Parallel()
	p := rules(t, policy.ModePlan, policy.RuleSet{})
	q, err := p.Apply(policy.Update{Type: policy.SetMode})
	require.Error(t, err, "%s", q.Mode())
}

func TestUpdateThatSaysARuleTwice(t *testing.T) {
	t.Parallel()
	p, err := policy.Permissions{}.Apply(policy.Update{Type: policy.AddRules, Behavior: policy.Allow, Rules: []policy.UpdateRule{{Tool: "A"}, {Tool: "A"}}})
	require.NoError(t, err)
	require.Len(t, p.Rules(), 1)
}

// No update changes the rules of a policy.
func TestUpdatesLeaveThePolicyAlone(t *testing.T) {
	t.Parallel()
	p := rules(t, "", policy.RuleSet{Source: policy.SourceManaged, Deny: []string{"Bash"}})
	for _, change := range []policy.UpdateType{policy.AddRules, policy.ReplaceRules, policy.RemoveRules, policy.SetMode, policy.AddDirectories} {
		_, err := p.Apply(policy.Update{Type: change, Behavior: policy.Deny, Mode: policy.ModePlan, Destination: policy.SourceManaged})
		require.Error(t, err, "%s", change)
	}
}

func TestSetPermissions(t *testing.T) {
	t.Parallel()
	parent := session(t, bypass(t))
	fork := forked(t, forked(t, parent, pegboard.SessionConfig{}), pegboard.SessionConfig{})
	a := actor{name: "T"}
	pool := a.pool(t, fork)
	require.Equal(t, "allow", judge(t, pool).behavior.String())

	require.NoError(t, fork.SetPermissions(rules(t, "", policy.RuleSet{Deny: []string{"T"}})))
	require.Equal(t, "deny", judge(t, pool).behavior.String())
	require.ErrorContains(t, fork.SetPermissions(rules(t, "", policy.RuleSet{Allow: []string{"T"}})), `allow rule "T"`)
	require.Equal(t, "deny", judge(t, pool).behavior.String(), "what was refused changes nothing")
	require.NoError(t, fork.SetPermissions(policy.Permissions{}))
	require.Equal(t, "allow", judge(t, pool).behavior.String(), "only its own rules were replaced")

	require.NoError(t, parent.SetPermissions(rules(t, policy.ModePlan, policy.RuleSet{Ask: []string{"T"}})))
	require.Equal(t, verdict{policy.Ask, `ask rule "T" covers it`, "T"}, judge(t, pool), "two forks down")
	require.Equal(t, policy.ModePlan, fork.Permissions().Mode())
	require.ErrorContains(t, fork.SetPermissions(rules(t, policy.ModeBypass, policy.RuleSet{})), "laxer")

	require.NoError(t, parent.SetPermissions(rules(t, "", policy.RuleSet{Allow: []string{"T"}})))
	require.Equal(t, "allow", judge(t, pool).behavior.String(), "what the parent is allowed, the fork is")
}

// TestUpdatesOfPermissionsAreNotLost when several are under way.
func TestUpdatesOfPermissionsAreNotLost(t *testing.T) {
	t.Parallel()
	s := session(t, pegboard.SessionConfig{})
	const hosts, each = 8, 25
	var wg sync.WaitGroup
	for i := range hosts {
		wg.Go(func() {
			for k := range each {
				err := s.UpdatePermissions(func(p policy.Permissions) (policy.Permissions, error) {
					runtime.Gosched() // let another update begin
					return p.WithRules(policy.RuleSet{Allow: []string{fmt.Sprintf("T%d_%d", i, k)}})
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	require.Len(t, s.Permissions().Rules(), hosts*each)

	failed := s.UpdatePermissions(func(p policy.Permissions) (policy.Permissions, error) {
		return policy.Permissions{}, context.Canceled
	})
	require.ErrorIs(t, failed, context.Canceled)
	require.Len(t, s.Permissions().Rules(), hosts*each, "an update that fails changes nothing")
}

// offers lists the modes that p offers, the strictest first.
func offers(p policy.Permissions) (list []policy.Mode) {
	for _, m := range strictness() {
		if p.Offers(m) {
			list = append(list, m)
		}
	}
	return list
}

// setMode returns an update that sets the mode.
func setMode(m policy.Mode) policy.Update {
	return policy.Update{Type: policy.SetMode, Mode: m, Destination: policy.SourceSession}
}

// TestModesThatAreOffered: auto and bypass only where the host has said so, and nothing
// that is withheld.
func TestModesThatAreOffered(t *testing.T) {
	t.Parallel()
	const auto, bypass = policy.ModeAuto, policy.ModeBypass
	always := without(stringsOf(strictness()), string(auto), string(bypass))
	tests := []struct {
		name string
		p    policy.Permissions
		more []policy.Mode // offered beside those that always are
		less []policy.Mode
		mode policy.Mode
	}{
		{name: "zero", mode: policy.ModeDefault},
		{name: "made in default", p: rules(t, policy.ModeDefault, policy.RuleSet{}), mode: policy.ModeDefault},
		{name: "made in auto", p: rules(t, auto, policy.RuleSet{}), more: []policy.Mode{auto}, mode: auto},
		{name: "made in bypass", p: rules(t, bypass, policy.RuleSet{}), more: []policy.Mode{bypass}, mode: bypass},
		{name: "auto available", p: policy.Permissions{}.WithAvailable(auto), more: []policy.Mode{auto}, mode: policy.ModeDefault},
		{name: "both available", p: policy.Permissions{}.WithAvailable(auto, bypass), more: []policy.Mode{auto, bypass}, mode: policy.ModeDefault},
		{name: "unknown available", p: policy.Permissions{}.WithAvailable("yolo"), mode: policy.ModeDefault},
		{name: "unknown withheld", p: policy.Permissions{}.Without("yolo"), mode: policy.ModeDefault},
		{name: "available, then withheld", p: policy.Permissions{}.WithAvailable(auto).Without(auto), mode: policy.ModeDefault},
		{name: "withheld, then available", p: policy.Permissions{}.Without(auto).WithAvailable(auto), mode: policy.ModeDefault},
		{name: "made in bypass, which is withheld", p: rules(t, bypass, policy.RuleSet{}).Without(bypass), mode: policy.ModeDefault},
		{name: "made in acceptEdits, which is withheld", p: rules(t, policy.ModeAcceptEdits, policy.RuleSet{}).Without(policy.ModeAcceptEdits), less: []policy.Mode{policy.ModeAcceptEdits}, mode: policy.ModeDefault},
		{name: "default is withheld", p: policy.Permissions{}.Without("manual"), less: []policy.Mode{policy.ModeDefault}, mode: policy.ModePlan},
		{name: "in plan, which is withheld", p: rules(t, policy.ModePlan, policy.RuleSet{}).Without(policy.ModePlan), less: []policy.Mode{policy.ModePlan}, mode: policy.ModeAsk},
		{name: "bypass and default are withheld", p: rules(t, bypass, policy.RuleSet{}).Without(bypass, policy.ModeDefault), less: []policy.Mode{policy.ModeDefault}, mode: policy.ModePlan},
		{name: "all are withheld", p: rules(t, bypass, policy.RuleSet{}).Without(strictness()...), less: strictness()[1:], mode: policy.ModeDeny},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			want := without(append(slices.Clone(always), stringsOf(tc.more)...), stringsOf(tc.less)...)
			require.ElementsMatch(t, want, stringsOf(offers(tc.p)))
			require.Equal(t, tc.mode, tc.p.Mode())
			require.False(t, tc.p.Offers("yolo"))
		})
	}
}

func stringsOf(ms []policy.Mode) (list []string) {
	for _, m := range ms {
		list = append(list, string(m))
	}
	return list
}

// TestModesThatAreNotOffered: entering one is an error, except for the update to bypass,
// which is documented to change nothing.
func TestModesThatAreNotOffered(t *testing.T) {
	t.Parallel()
	for _, p := range []policy.Permissions{{}, policy.Permissions{}.WithAvailable(strictness()...).Without(strictness()...)} {
		for _, m := range strictness() {
			q, err := p.WithMode(m)
			if p.Offers(m) {
				require.NoError(t, err)
				require.Equal(t, m, q.Mode())
				continue
			}
			require.ErrorIs(t, err, policy.ErrModeUnavailable)
			require.ErrorContains(t, err, string(m))
			q, err = p.Apply(setMode(m))
			if m == policy.ModeBypass {
				require.NoError(t, err)
				require.Equal(t, p.Mode(), q.Mode())
				continue
			}
			require.ErrorIs(t, err, policy.ErrModeUnavailable)
		}
	}
	_, err := policy.Permissions{}.WithMode("yolo")
	require.NotErrorIs(t, err, policy.ErrModeUnavailable, "it is unknown everywhere")
}

// TestAnswerCannotEnterAModeThatIsNotOffered: the question stays open.
func TestAnswerCannotEnterAModeThatIsNotOffered(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		p    policy.Permissions
		fits bool
	}{
		"not available": {},
		"available":     {p: policy.Permissions{}.WithAvailable(policy.ModeAuto), fits: true},
		"withheld":      {p: policy.Permissions{}.WithAvailable(policy.ModeAuto).Without(policy.ModeAuto)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := session(t, pegboard.SessionConfig{Permissions: tc.p, Classifier: undecided, Ask: func(ctx ctx, q *pegboard.Question) (policy.Decision, error) {
				err := q.Answer(policy.Decision{Behavior: policy.Allow, Remember: []policy.Update{setMode(policy.ModeAuto)}})
				if tc.fits {
					require.NoError(t, err)
					return pegboard.AskLater(ctx, q)
				}
				require.ErrorIs(t, err, policy.ErrModeUnavailable)
				require.Len(t, q.Call.Session().Questions(), 1)
				return policy.Decision{Behavior: policy.Allow}, nil
			}})
			a := actor{name: "T"}
			ex := executor(pegboard.Executor{})
			require.NoError(t, ex.Run(t.Context(), a.pool(t, s), call("1", "T", ``))[0].Err)
			require.Equal(t, tc.fits, s.Permissions().Mode() == policy.ModeAuto)
		})
	}
}

// TestPlanModeReturnsToNothingThatIsWithheld.
func TestPlanModeReturnsToNothingThatIsWithheld(t *testing.T) {
	t.Parallel()
	p, err := rules(t, policy.ModeBypass, policy.RuleSet{}).WithMode(policy.ModePlan)
	require.NoError(t, err)
	require.Equal(t, policy.ModeBypass, p.AfterPlan().Mode())
	require.Equal(t, policy.ModeDefault, p.Without(policy.ModeBypass).AfterPlan().Mode())
	require.Equal(t, policy.ModeAsk, p.Without(policy.ModeBypass, policy.ModeDefault, policy.ModePlan).AfterPlan().Mode())
}

// TestForkTakesNoModeThatItsParentWithholds: neither when it is made, nor later, nor when
// its parent withholds the mode that it is in.
func TestForkTakesNoModeThatItsParentWithholds(t *testing.T) {
	t.Parallel()
	s := session(t, pegboard.SessionConfig{Permissions: rules(t, policy.ModeBypass, policy.RuleSet{}).WithAvailable(policy.ModeAuto).Without(policy.ModeAcceptEdits)})
	_, err := s.Fork(pegboard.SessionConfig{Permissions: rules(t, policy.ModeAcceptEdits, policy.RuleSet{})})
	require.ErrorIs(t, err, policy.ErrModeUnavailable)

	child := forked(t, s, pegboard.SessionConfig{})
	enter := func(m policy.Mode) error {
		return child.UpdatePermissions(func(p policy.Permissions) (policy.Permissions, error) { return p.WithMode(m) })
	}
	require.ErrorIs(t, enter(policy.ModeAcceptEdits), policy.ErrModeUnavailable)
	require.ErrorIs(t, child.SetPermissions(rules(t, policy.ModeAcceptEdits, policy.RuleSet{})), policy.ErrModeUnavailable)
	require.NoError(t, enter(policy.ModeAuto), "its parent offers it")
	require.NoError(t, enter(policy.ModeBypass))
	require.NoError(t, enter(policy.ModeAuto))
	require.Equal(t, policy.ModeAuto, child.Permissions().Mode())
	require.True(t, child.Permissions().Offers(policy.ModeAuto))
	require.False(t, child.Permissions().Offers(policy.ModeAcceptEdits))

	require.NoError(t, s.UpdatePermissions(func(p policy.Permissions) (policy.Permissions, error) {
		return p.Without(policy.ModeAuto), nil
	}))
	require.Equal(t, policy.ModeDefault, child.Permissions().Mode())
	a := actor{name: "T"}
	require.Equal(t, "ask", judge(t, a.pool(t, child)).behavior.String())

	narrow := forked(t, s, pegboard.SessionConfig{Permissions: policy.Permissions{}.Without(policy.ModeBypass)})
	require.Equal(t, policy.ModeBypass, s.Permissions().Mode())
	require.Equal(t, policy.ModeDefault, narrow.Permissions().Mode(), "a fork may withhold its parent's mode for itself")
	require.Equal(t, "ask", judge(t, a.pool(t, narrow)).behavior.String())
}

// TestForkMayBeStricterThanItsParentWithholds: what a host withholds is about what allows more. A
// fork in a mode that is stricter than ModeDefault and than its parent's is narrower, and so are
// its own forks.
func TestForkMayBeStricterThanItsParentWithholds(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name           string
		parent, fork   policy.Mode
		without, later policy.Mode
		want           policy.Mode // empty: refused
	}{
		{name: "plan", parent: policy.ModeDefault, fork: policy.ModePlan, without: policy.ModePlan, want: policy.ModePlan},
		{name: "dontAsk under bypass", parent: policy.ModeBypass, fork: policy.ModeDontAsk, without: policy.ModeDontAsk, want: policy.ModeDontAsk},
		{name: "plan, withheld later", parent: policy.ModeAuto, fork: policy.ModePlan, later: policy.ModePlan, want: policy.ModePlan},
		{name: "auto under bypass", parent: policy.ModeBypass, fork: policy.ModeAuto, without: policy.ModeAuto},
		{name: "default under bypass", parent: policy.ModeBypass, fork: policy.ModeDefault, without: policy.ModeDefault},
		{name: "plan under ask", parent: policy.ModeAsk, fork: policy.ModePlan},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := rules(t, tt.parent, policy.RuleSet{})
			if tt.without != "" {
				p = p.Without(tt.without)
			}
			s := session(t, pegboard.SessionConfig{Permissions: p})
			child, err := s.Fork(pegboard.SessionConfig{Permissions: rules(t, tt.fork, policy.RuleSet{})})
			if tt.want == "" {
				require.Error(t, err)
				return
			}
			require.NoError(t, err)
			below := forked(t, child, pegboard.SessionConfig{})
			require.NoError(t, s.UpdatePermissions(func(p policy.Permissions) (policy.Permissions, error) {
				if tt.later == "" {
					return p, nil
				}
				return p.Without(tt.later), nil
			}))
			require.NoError(t, child.UpdatePermissions(func(p policy.Permissions) (policy.Permissions, error) { return p.Without(policy.ModeBypass), nil }))
			require.Equal(t, tt.parent, s.Permissions().Mode())
			require.Equal(t, tt.want, child.Permissions().Mode())
			require.Equal(t, tt.want, below.Permissions().Mode())
			require.NoError(t, child.UpdatePermissions(func(p policy.Permissions) (policy.Permissions, error) { return p.AfterPlan(), nil }))
			require.False(t, child.Permissions().Mode().Laxer(tt.parent))
		})
	}
}

// TestWithheldModesAreNeverEntered by any sequence of changes, in a session or its forks.
func TestWithheldModesAreNeverEntered(t *testing.T) {
	t.Parallel()
	entered := 0
	for seed := range effort.Of(t, uint64(2000)) {
		d := dice{rand.New(rand.NewPCG(seed, 25)), nil}
		mode, _ := d.mode(laxest)
		var gone []policy.Mode
		s := session(t, pegboard.SessionConfig{Permissions: rules(t, mode, policy.RuleSet{})})
		line := []*pegboard.Session{s}
		for range 12 {
			m, _ := d.mode(laxest)
			at := line[d.IntN(len(line))]
			change := func(p policy.Permissions) (policy.Permissions, error) {
				switch d.IntN(5) {
				case 0:
					return p.WithAvailable(m), nil
				case 1:
					if at == s && m != policy.ModeDeny {
						gone = append(gone, m)
						return p.Without(m), nil
					}
					return p.AfterPlan(), nil
				case 2:
					return p.Apply(setMode(m))
				}
				return p.WithMode(m)
			}
			if err := at.UpdatePermissions(change); err == nil && at.Permissions().Mode() == m {
				entered++
			}
			if fork, err := at.Fork(pegboard.SessionConfig{}); err == nil && d.IntN(4) == 0 {
				line = append(line, fork)
			}
			require.NotContains(t, gone, s.Permissions().Mode(), "seed %d", seed)
			for _, x := range line[1:] {
				if mode := x.Permissions().Mode(); slices.Contains(gone, mode) { // it can only be narrower
					require.True(t, s.Permissions().Mode().Laxer(mode) && policy.ModeDefault.Laxer(mode), "seed %d: %s", seed, mode)
				}
			}
		}
	}
	if effort.Full(t) {
		require.Greater(t, entered, 1000)
	}
}

// TestAfterPlanInAFork: a fork leaves plan mode for what its parent has at that moment, or for
// its own stricter mode before it.
func TestAfterPlanInAFork(t *testing.T) {
	t.Parallel()
	const plan, edits, bypass, dontAsk, def = policy.ModePlan, policy.ModeAcceptEdits, policy.ModeBypass, policy.ModeDontAsk, policy.ModeDefault
	const none = policy.Mode("")
	tests := []struct {
		name   string
		parent policy.Mode
		starts policy.Mode // of the fork; it enters plan mode if it does not start there
		before policy.Mode // entered by the fork before plan mode, if any
		then   policy.Mode // entered by the parent while the fork plans, if any
		want   policy.Mode
		later  policy.Mode // entered by the parent afterwards, if any
		last   policy.Mode
	}{
		{name: "begun in plan mode", parent: edits, starts: plan, want: edits},
		{name: "begun in plan mode, under default", parent: def, starts: plan, want: def},
		{name: "begun in plan mode, under bypass", parent: bypass, starts: plan, want: bypass},
		{name: "begun in plan mode, under plan mode", parent: plan, starts: plan, want: plan},
		{name: "begun in plan mode, and the parent changes", parent: bypass, starts: plan, then: edits, want: edits},
		{name: "begun in plan mode, and the parent becomes laxer", parent: def, starts: plan, then: edits, want: edits},
		{name: "begun in plan mode, and the parent asks nobody", parent: edits, starts: plan, then: dontAsk, want: dontAsk},
		{name: "begun in plan mode, and the parent changes later", parent: edits, starts: plan, want: edits, later: def, last: def},
		{name: "begun in its parent's mode", parent: edits, want: edits},
		{name: "begun in its parent's mode, which changes", parent: bypass, then: edits, want: edits},
		{name: "begun in a mode of its own", parent: bypass, starts: edits, want: edits},
		{name: "a mode of its own before", parent: bypass, before: edits, want: edits},
		{name: "a mode of its own before, which is too lax now", parent: bypass, before: edits, then: def, want: def},
	}
	for _, tc := range tests {
		for _, by := range []string{"UpdatePermissions", "SetPermissions"} {
			t.Run(tc.name+"/"+by, func(t *testing.T) {
				t.Parallel()
				parent := session(t, pegboard.SessionConfig{Permissions: rules(t, tc.parent, policy.RuleSet{}).WithAvailable(bypass)})
				cfg := pegboard.SessionConfig{}
				if tc.starts != none {
					cfg.Permissions = rules(t, tc.starts, policy.RuleSet{})
				}
				fork := forked(t, parent, cfg)
				change := func(s *pegboard.Session, f func(policy.Permissions) (policy.Permissions, error)) {
					if by == "UpdatePermissions" {
						require.NoError(t, s.UpdatePermissions(f))
						return
					}
					p, err := f(s.Permissions())
					require.NoError(t, err)
					require.NoError(t, s.SetPermissions(p))
				}
				enter := func(s *pegboard.Session, m policy.Mode) {
					if m != none {
						change(s, func(p policy.Permissions) (policy.Permissions, error) { return p.WithMode(m) })
					}
				}
				enter(fork, tc.before)
				if tc.starts != plan {
					enter(fork, plan)
				}
				require.Equal(t, plan, fork.Permissions().Mode())
				enter(parent, tc.then)
				change(fork, func(p policy.Permissions) (policy.Permissions, error) {
					p = p.AfterPlan()
					require.Equal(t, tc.want, p.Mode(), "told at once")
					return p, nil
				})
				require.Equal(t, tc.want, fork.Permissions().Mode())
				if tc.later != none {
					enter(parent, tc.later)
					require.Equal(t, tc.last, fork.Permissions().Mode())
				}
			})
		}
	}
}

// TestModeOfAForkIsNoModeOfAMainSession: what a fork has of its parent's mode does not come
// along to another session.
func TestModeOfAForkIsNoModeOfAMainSession(t *testing.T) {
	t.Parallel()
	parent := session(t, pegboard.SessionConfig{Permissions: rules(t, policy.ModeBypass, policy.RuleSet{})})
	fork := forked(t, parent, pegboard.SessionConfig{Permissions: rules(t, policy.ModePlan, policy.RuleSet{})})
	var taken policy.Permissions
	require.NoError(t, fork.UpdatePermissions(func(p policy.Permissions) (policy.Permissions, error) {
		taken = p.AfterPlan()
		return p, nil
	}))
	require.Equal(t, policy.ModeBypass, taken.Mode())
	require.Equal(t, policy.ModeDefault, session(t, pegboard.SessionConfig{Permissions: taken}).Permissions().Mode())
}

// An agentTree is a random tree of agents, and the tools that they have in common.
type agentTree struct {
	dice
	registry *pegboard.Registry
	dirs     []string
	agents   []treeAgent // parents before their children
}

// A treeAgent is one agent, with what its definition lists.
type treeAgent struct {
	*pegboard.Session
	parent            int // index; -1 for the main agent
	cfg               pegboard.PoolConfig
	tools, disallowed []string
}

var treeTools = []string{"Agent", "Bash", "Edit", "REPL", "Read", "SendMessage", "T", "TaskStop", "ExitPlanMode"}

func newAgentTree(t *testing.T, seed uint64, dirs []string) *agentTree {
	t.Helper()
	f := &agentTree{dice: dice{rand.New(rand.NewPCG(seed, 22)), dirs}, dirs: dirs}
	var builtins []pegboard.Tool
	for _, name := range treeTools {
		a := f.acting()
		a.name = name
		builtins = append(builtins, a.tool())
	}
	f.registry = registryOf(t, builtins...)
	attached := f.acting()
	attached.name = "T"
	_, err := f.registry.Attach("srv", attached.tool())
	require.NoError(t, err)
	p := f.policy(t).WithAvailable(strictness()...)
	f.agents = []treeAgent{{parent: -1, Session: session(t, pegboard.SessionConfig{Dir: dirs[0], Classifier: undecided, Permissions: p})}}
	return f
}

// acting returns a random actor, which may act on what belongs to the conversation.
func (f *agentTree) acting() actor {
	a := f.actor()
	a.aliases, a.source = nil, ""
	a.traits.Destructive = !a.traits.ReadOnly && f.IntN(4) == 0
	if a.traits.Own = f.IntN(2) == 0; f.IntN(3) == 0 {
		kind := one(f.dice, policy.Agent, policy.Skill, policy.Resource)
		a.traits.Targets = []policy.Target{{Kind: kind, Access: policy.Run, Value: "r"}}
	}
	return a
}

// fork adds an agent of a random definition, if its parent can have it.
func (f *agentTree) fork(t *testing.T) {
	t.Helper()
	at := f.IntN(len(f.agents))
	above := f.agents[at]
	cfg := pegboard.SessionConfig{
		AgentID: fmt.Sprint(len(f.agents)), AgentType: "r", CustomAgent: f.IntN(2) == 0, Dir: one(f.dice, "", f.dirs[0], f.dirs[1]),
		Role:        one(f.dice, pegboard.RoleSubAgent, pegboard.RoleAsyncAgent, pegboard.RoleTeammate),
		Permissions: above.Permissions(),
	}
	if f.IntN(2) == 0 {
		mode, _ := f.mode(laxest)
		if mode.Laxer(above.Permissions().Mode()) {
			mode = ""
		}
		cfg.Permissions = rules(t, mode, policy.RuleSet{Ask: f.rules(1), Deny: f.rules(1)})
	}
	child, err := above.Fork(cfg)
	if err != nil { // of a teammate, or outside the parent's directories
		return
	}
	m := treeAgent{Session: child, parent: at}
	m.cfg.Gates = pegboard.Gates{REPL: f.IntN(3) == 0, Simple: f.IntN(4) == 0}
	if f.IntN(2) == 0 {
		tables := pegboard.ClaudeCodeRoleTables()
		m.cfg.Roles = &tables
	}
	for range f.IntN(3) {
		m.tools = append(m.tools, one(f.dice, append(treeTools, "*", "mcp__srv", "Agent(r)")...))
	}
	for range f.IntN(2) {
		m.disallowed = append(m.disallowed, one(f.dice, treeTools...))
	}
	f.agents = append(f.agents, m)
}

// change changes what one agent may do. A change that is refused is none.
func (f *agentTree) change(t *testing.T) {
	t.Helper()
	m := f.agents[f.IntN(len(f.agents))]
	mode, _ := f.mode(laxest)
	lists := policy.RuleSet{Source: one(f.dice, policy.SourceUser, policy.SourceTurn), Ask: f.rules(1), Deny: f.rules(1)}
	if m.parent < 0 {
		lists.Allow = f.rules(3)
	}
	switch f.IntN(7) {
	case 0:
		m.NewTurn()
	case 1:
		_ = m.SetPermissions(m.Permissions().AfterPlan())
	case 2:
		_ = m.SetPermissions(f.policy(t))
	default:
		_ = m.UpdatePermissions(func(p policy.Permissions) (policy.Permissions, error) {
			switch f.IntN(3) {
			case 0:
				return p.AfterPlan(), nil
			case 1:
				return p.WithMode(mode)
			}
			return p.WithRules(lists)
		})
	}
}

// everything returns the tools that the permissions leave a session, whatever its role.
func (f *agentTree) everything(m treeAgent) *pegboard.Pool {
	return f.registry.AssemblePool(m.Session, pegboard.PoolConfig{Roles: &pegboard.RoleTables{Async: []string{"*"}}})
}

// compare holds every call that an agent is allowed against its parent's decision, and returns
// how many there were.
func (f *agentTree) compare(t *testing.T, seed uint64) (allowed int) {
	t.Helper()
	for _, m := range f.agents[1:] {
		resolution, err := f.registry.AssemblePool(m.Session, m.cfg).Resolve(m.tools, m.disallowed)
		if err != nil {
			continue
		}
		above := f.everything(f.agents[m.parent])
		for tool := range resolution.Pool.All() {
			c := call("1", tool.Info().Name, `{}`)
			if resolution.Pool.Decide(t.Context(), c).Behavior != policy.Allow {
				continue
			}
			allowed++
			d := above.Decide(t.Context(), c)
			require.Equal(t, policy.Allow, d.Behavior, "seed %d: %s is allowed in agent %v and not above: %s\nparent %v\nchild %v", seed, c.Name, m.AgentPath(), d.Reason, above.Session().Permissions(), m.Permissions())
		}
	}
	return allowed
}

// TestInvariant4NoAgentOfATreeMayMoreThanItsParent: in random trees of agents, with definitions,
// roles, modes and rules that change, no call that a child is allowed would be refused or asked
// about in its parent.
func TestInvariant4NoAgentOfATreeMayMoreThanItsParent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	sub := filepath.Join(dir, "sub")
	require.NoError(t, os.Mkdir(sub, 0o700))
	allowed := 0
	for seed := range effort.Of(t, uint64(300)) {
		f := newAgentTree(t, seed, []string{dir, sub, filepath.Dir(dir)})
		for range 8 {
			f.fork(t)
		}
		allowed += f.compare(t, seed)
		for range 12 {
			f.change(t)
			if f.IntN(4) == 0 {
				f.fork(t)
			}
			allowed += f.compare(t, seed)
		}
	}
	if effort.Full(t) {
		require.Greater(t, allowed, 5000)
	}
}

// ofTurn adds rules of the turn to the permissions of a session, and returns how.
func ofTurn(b policy.Behavior, tool string) policy.Update {
	return policy.Update{
		Type: policy.AddRules, Behavior: b, Destination: policy.SourceTurn, Rules: []policy.UpdateRule{{Tool: tool}},
	}
}

func update(t *testing.T, s *pegboard.Session, updates ...policy.Update) {
	t.Helper()
	require.NoError(t, s.UpdatePermissions(func(p policy.Permissions) (policy.Permissions, error) { return p.Apply(updates...) }))
}

// TestRulesOfTheTurn decides a call in a session and its fork, while rules of the turn hold
// in the session, and after they have ended.
func TestRulesOfTheTurn(t *testing.T) {
	t.Parallel()
	allow, ask, deny := policy.Allow, policy.Ask, policy.Deny
	tests := []struct {
		name       string
		set        policy.RuleSet // of the session, for good
		give       func(t *testing.T, s *pegboard.Session)
		main, fork policy.Behavior // while the turn lasts
		then       policy.Behavior // of both
	}{
		{name: "none", main: ask, fork: ask, then: ask},
		{name: "allow", give: func(t *testing.T, s *pegboard.Session) { t.Helper(); update(t, s, ofTurn(allow, "T")) }, main: allow, fork: ask, then: ask},
		{name: "allow, by a set of rules", give: func(t *testing.T, s *pegboard.Session) {
			t.Helper()
			require.NoError(t, s.UpdatePermissions(func(p policy.Permissions) (policy.Permissions, error) {
				return p.WithRules(policy.RuleSet{Source: policy.SourceTurn, Allow: []string{"T"}})
			}))
		}, main: allow, fork: ask, then: ask},
		{name: "deny", set: policy.RuleSet{Allow: []string{"T"}}, give: func(t *testing.T, s *pegboard.Session) { t.Helper(); update(t, s, ofTurn(deny, "T")) }, main: deny, fork: deny, then: allow},
		{name: "ask", set: policy.RuleSet{Allow: []string{"T"}}, give: func(t *testing.T, s *pegboard.Session) { t.Helper(); update(t, s, ofTurn(ask, "T")) }, main: ask, fork: ask, then: allow},
		{name: "the same rule for good", set: policy.RuleSet{Source: policy.SourceUser, Allow: []string{"T"}}, give: func(t *testing.T, s *pegboard.Session) { t.Helper(); update(t, s, ofTurn(allow, "T")) }, main: allow, fork: allow, then: allow},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			a := &actor{name: "T", traits: pegboard.Traits{Destructive: true, Targets: []policy.Target{{Kind: policy.Resource, Value: "x"}}}}
			main := session(t, pegboard.SessionConfig{Permissions: rules(t, "", tc.set)})
			early := forked(t, main, pegboard.SessionConfig{AgentID: "early"})
			if tc.give != nil {
				tc.give(t, main)
			}
			late := forked(t, main, pegboard.SessionConfig{AgentID: "late"})
			copied := forked(t, main, pegboard.SessionConfig{AgentID: "copied", Permissions: main.Permissions()})
			decided := func(s *pegboard.Session) policy.Behavior { return judge(t, a.pool(t, s)).behavior }
			require.Equal(t, tc.main, decided(main))
			for _, fork := range []*pegboard.Session{early, late, copied} {
				require.Equal(t, tc.fork, decided(fork), fork.AgentID())
				fork.NewTurn()
				require.Equal(t, tc.fork, decided(fork), "the turn of %s is not its parent's", fork.AgentID())
			}
			require.Equal(t, tc.main, decided(main))
			main.NewTurn()
			for _, s := range []*pegboard.Session{main, early, late, copied} {
				require.Equal(t, tc.then, decided(s), s.AgentID())
				update(t, s) // what has ended is no longer in a fork's own permissions, where it would be an error
			}
			for _, rule := range main.Permissions().Rules() {
				require.NotEqual(t, policy.SourceTurn, rule.Source)
			}
		})
	}
}

// TestForkHasATurnOfItsOwn: what narrows a fork for a turn ends with the fork's turn, and a
// fork cannot allow itself anything for a turn.
func TestForkHasATurnOfItsOwn(t *testing.T) {
	t.Parallel()
	a := &actor{name: "T"}
	main := session(t, pegboard.SessionConfig{Permissions: rules(t, "", policy.RuleSet{Allow: []string{"T"}})})
	fork := forked(t, main, pegboard.SessionConfig{})
	update(t, fork, ofTurn(policy.Deny, "T"))
	require.Equal(t, policy.Deny, judge(t, a.pool(t, fork)).behavior)
	main.NewTurn()
	require.Equal(t, policy.Deny, judge(t, a.pool(t, fork)).behavior)
	fork.NewTurn()
	require.Equal(t, policy.Allow, judge(t, a.pool(t, fork)).behavior)
	require.ErrorContains(t, fork.UpdatePermissions(func(p policy.Permissions) (policy.Permissions, error) {
		return p.Apply(ofTurn(policy.Allow, "U"))
	}), "a fork cannot add the allow rule")
}

// TestRulesOfTheTurnAreNotSaved: an answer may remember them, and the host does not save them.
func TestRulesOfTheTurnAreNotSaved(t *testing.T) {
	t.Parallel()
	var saved []policy.Update
	forGood := ofTurn(policy.Allow, "U")
	forGood.Destination = policy.SourceUser
	cfg := pegboard.SessionConfig{
		Ask: func(context.Context, *pegboard.Question) (policy.Decision, error) {
			return policy.Decision{Behavior: policy.Allow, Remember: []policy.Update{ofTurn(policy.Allow, "T"), forGood}}, nil
		},
		OnRemember: func(_ context.Context, updates []policy.Update) error {
			saved = append(saved, updates...)
			return nil
		},
	}
	s := session(t, cfg)
	ex := executor(pegboard.Executor{})
	pool := registryOf(t, plain("T", says("ran"))).AssemblePool(s, pegboard.PoolConfig{})
	for i := range 2 {
		require.NoError(t, ex.Run(t.Context(), pool, call(fmt.Sprint(i), "T", `{}`))[0].Err)
	}
	require.Equal(t, []policy.Update{forGood}, saved, "asked once, and that much was saved")
	s.NewTurn()
	require.NoError(t, ex.Run(t.Context(), pool, call("3", "T", `{}`))[0].Err)
	require.Len(t, saved, 2, "asked again")
}

// TestTurnHasOnlyRules: a mode or a directory would stay for good, so neither is taken for a turn.
func TestTurnHasOnlyRules(t *testing.T) {
	t.Parallel()
	for _, u := range []policy.Update{
		{Type: policy.SetMode, Mode: policy.ModeAcceptEdits, Destination: policy.SourceTurn},
		{Type: policy.AddDirectories, Directories: []string{"/tmp"}, Destination: policy.SourceTurn},
	} {
		p, err := policy.Permissions{}.Apply(u)
		require.ErrorContains(t, err, "only rules end with a turn", u.Type)
		require.Equal(t, policy.ModeDefault, p.Mode())
		require.Empty(t, p.Directories())
	}
}

// TestInvariant4ForkIsNeverLaxer compares random agents with the sessions they
// were forked from, also after these changed.
func TestInvariant4ForkIsNeverLaxer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	sub := filepath.Join(dir, "sub")
	require.NoError(t, os.Mkdir(sub, 0o700))
	for _, tc := range []struct {
		name string
		dirs []string // of the forks; empty: the parent's
	}{{name: "same directory", dirs: []string{""}}, {name: "narrower directory", dirs: []string{"", sub}}} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			for seed := range effort.Of(t, uint64(1000)) {
				d := dice{rand.New(rand.NewPCG(seed, 2)), []string{dir, sub, filepath.Dir(dir)}}
				a := d.actor()
				mode, lax := d.mode(laxest)
				line := []*pegboard.Session{session(t, pegboard.SessionConfig{Dir: dir, Classifier: undecided})}
				pools := []*pegboard.Pool{a.pool(t, line[0])}
				require.NoError(t, line[0].SetPermissions(rules(t, mode, policy.RuleSet{Allow: d.rules(3), Ask: d.rules(1), Deny: d.rules(1)})))
				for range 2 {
					mode, lax = d.mode(lax)
					fork, err := line[len(line)-1].Fork(pegboard.SessionConfig{
						Role: pegboard.RoleSubAgent, Dir: one(d, tc.dirs...),
						Permissions: rules(t, mode, policy.RuleSet{Ask: d.rules(1), Deny: d.rules(1)}),
					})
					if err != nil { // the parent took a narrower directory than this
						require.ErrorContains(t, err, "outside")
						continue
					}
					line = append(line, fork)
					pools = append(pools, a.pool(t, fork))
				}
				compare := func() {
					for i := range pools[1:] {
						parent, child := judge(t, pools[i]), judge(t, pools[i+1])
						require.GreaterOrEqual(t, child.behavior, parent.behavior, "seed %d: %+v\nparent %v\nchild %v\n%s: %s",
							seed, a.traits, line[i].Permissions(), line[i+1].Permissions(), parent.reason, child.reason)
					}
				}
				compare()
				mode, _ = d.mode(laxest)
				require.NoError(t, line[0].SetPermissions(rules(t, mode, policy.RuleSet{Allow: d.rules(2), Ask: d.rules(1), Deny: d.rules(1)})))
				compare()
			}
		})
	}
}

// TestChildIsNeverLaxerInAnyPairOfModes, nor after the parent took any other mode
// or rules, or the child a rule.
func TestChildIsNeverLaxerInAnyPairOfModes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	sub := filepath.Join(dir, "sub")
	require.NoError(t, os.Mkdir(sub, 0o700))
	modes := strictness()
	seed := uint64(0)
	for i, mode := range modes {
		for _, childs := range modes[:i+1] {
			for _, later := range modes {
				seed++
				d := dice{rand.New(rand.NewPCG(seed, 7)), []string{dir, sub, filepath.Dir(dir)}}
				a := d.actor()
				parent := session(t, pegboard.SessionConfig{Dir: dir, Classifier: undecided})
				above := a.pool(t, parent)
				allowed := d.rules(3)
				require.NoError(t, parent.SetPermissions(rules(t, mode, policy.RuleSet{Allow: allowed, Ask: d.rules(1), Deny: d.rules(1)})))
				child := forked(t, parent, pegboard.SessionConfig{
					Dir: one(d, "", sub), Permissions: rules(t, childs, policy.RuleSet{Allow: allowed, Ask: d.rules(1), Deny: d.rules(1)}),
				})
				under := a.pool(t, child)
				compare := func(when string) {
					p, c := settledBehavior(t, above), settledBehavior(t, under)
					require.GreaterOrEqual(t, c, p, "seed %d, %s: %s, the child %s, later %s\n%+v\nparent %v\nchild %v", seed, when, mode, childs, later, a.traits, parent.Permissions(), child.Permissions())
				}
				compare("at first")
				require.NoError(t, child.UpdatePermissions(func(p policy.Permissions) (policy.Permissions, error) {
					return p.WithRules(policy.RuleSet{Ask: d.rules(1), Deny: d.rules(1)})
				}))
				compare("after a rule of the child")
				require.NoError(t, parent.UpdatePermissions(func(p policy.Permissions) (policy.Permissions, error) {
					return p.WithAvailable(later).WithMode(later)
				}))
				compare("after the parent took another mode")
				require.NoError(t, parent.SetPermissions(d.policy(t)))
				compare("after the parent took other rules")
			}
		}
	}
}

// TestForkKeepsTheAnchorsOfItsParentsRules: a rule means the same files in a
// fork that works further down.
func TestForkKeepsTheAnchorsOfItsParentsRules(t *testing.T) {
	t.Parallel()
	dir, more := t.TempDir(), t.TempDir()
	sub := filepath.Join(dir, "sub")
	require.NoError(t, os.Mkdir(sub, 0o700))
	tests := []struct {
		name, path string
		mode       policy.Mode
		set        policy.RuleSet
		cfg        pegboard.SessionConfig
		want       string
	}{
		{name: "deny", path: "sub/a", mode: policy.ModeBypass, set: policy.RuleSet{Deny: []string{"Edit(./sub/a)"}}, cfg: pegboard.SessionConfig{Dir: sub}, want: "deny"},
		{name: "deny from the source's root", path: "sub/a", mode: policy.ModeBypass, set: policy.RuleSet{Deny: []string{"Edit(/sub/a)"}}, cfg: pegboard.SessionConfig{Dir: sub}, want: "deny"},
		{name: "ask", path: "sub/a", mode: policy.ModeBypass, set: policy.RuleSet{Ask: []string{"Edit(sub/a)"}}, cfg: pegboard.SessionConfig{Dir: sub}, want: "ask"},
		{name: "deny of a bare name", path: "a", mode: policy.ModeBypass, set: policy.RuleSet{Deny: []string{"Edit(a)"}}, cfg: pegboard.SessionConfig{Dir: sub, MoreDirs: []string{dir}}, want: "deny"},
		{name: "allow", path: "sub/a", set: policy.RuleSet{Allow: []string{"Edit(./a)"}}, cfg: pegboard.SessionConfig{Dir: sub}, want: "ask"},
		{name: "allow of a bare name", path: filepath.Join(more, "a"), set: policy.RuleSet{Allow: []string{"Edit(a)"}}, cfg: pegboard.SessionConfig{Dir: more}, want: "ask"},
		{name: "a rule of its own", path: "sub/a", mode: policy.ModeBypass, cfg: pegboard.SessionConfig{Dir: sub, Permissions: rules(t, "", policy.RuleSet{Deny: []string{"Edit(./a)"}})}, want: "deny"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			parent := session(t, pegboard.SessionConfig{Dir: dir, MoreDirs: []string{more}, Permissions: rules(t, tc.mode, tc.set)})
			if !filepath.IsAbs(tc.path) {
				tc.path = filepath.Join(dir, tc.path)
			}
			a := actor{name: "T", traits: pegboard.Traits{Targets: []policy.Target{{Kind: policy.Path, Value: tc.path}}}}
			require.Equal(t, tc.want, judge(t, a.pool(t, forked(t, parent, tc.cfg))).behavior.String())
		})
	}
}

// A directory that is removed from the parent is removed from the child.
func TestAChildLosesADirectoryWithItsParent(t *testing.T) {
	t.Parallel()
	added := t.TempDir()
	p, err := policy.Permissions{}.Apply(policy.Update{Type: policy.AddDirectories, Directories: []string{added}})
	require.NoError(t, err)
	parent := session(t, pegboard.SessionConfig{Dir: t.TempDir(), Permissions: p})
	child := forked(t, parent, pegboard.SessionConfig{Permissions: p})
	require.NoError(t, parent.SetPermissions(policy.Permissions{}))
	a := reading(policy.Target{Value: filepath.Join(added, "f")})
	require.GreaterOrEqual(t, judge(t, a.pool(t, child)).behavior, judge(t, a.pool(t, parent)).behavior)
}

// A relative directory means the same place in a child that works elsewhere.
func TestAChildsRelativeDirectoryIsItsParents(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(top, "b", "c", "d"), 0o700))
	p, err := policy.Permissions{}.Apply(policy.Update{Type: policy.AddDirectories, Directories: []string{"../../x"}}) // of b/c: top/x
	require.NoError(t, err)
	parent := session(t, pegboard.SessionConfig{Dir: filepath.Join(top, "b", "c"), Permissions: p})
	child := forked(t, parent, pegboard.SessionConfig{Dir: filepath.Join(top, "b", "c", "d"), Permissions: p})
	a := reading(policy.Target{Value: filepath.Join(top, "b", "x", "f")})
	require.GreaterOrEqual(t, judge(t, a.pool(t, child)).behavior, judge(t, a.pool(t, parent)).behavior)
}
