package pegboard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// TestCheckAndFilter decide targets in mid-call, as they would have been decided
// before it. Only Check asks.
func TestCheckAndFilter(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "f")
	require.NoError(t, linkDir(filepath.Dir(outside), filepath.Join(dir, "link")))
	path := func(access pegboard.Access, v string) pegboard.Target {
		return pegboard.Target{Kind: pegboard.TargetPath, Access: access, Value: v}
	}
	yes := pegboard.Decision{Behavior: pegboard.Allow}
	tests := []struct {
		name   string
		t      pegboard.Target
		user   bool
		mode   pegboard.Mode
		set    pegboard.RuleSet
		ask    bool // the session has an asker
		answer pegboard.Decision
		err    error
		filter bool
		asked  int
		denied []string // parts of the error's text; nil: no error
	}{
		{name: "read inside", t: path(pegboard.AccessRead, "f"), filter: true, ask: true},
		{name: "write inside", t: path(pegboard.AccessWrite, "f"), ask: true, answer: yes, asked: 1},
		{name: "write inside, bypass", t: path(pegboard.AccessWrite, "f"), mode: pegboard.ModeBypass, filter: true},
		{name: "write inside, plan", t: path(pegboard.AccessWrite, "f"), mode: pegboard.ModePlan, ask: true, answer: yes, denied: []string{"plan mode"}},
		{name: "read outside", t: path(pegboard.AccessRead, outside), ask: true, answer: yes, asked: 1},
		{name: "read outside through a link", t: path(pegboard.AccessRead, "link/f"), ask: true, answer: yes, asked: 1},
		{name: "read outside, allowed by a rule", t: path(pegboard.AccessRead, outside), set: pegboard.RuleSet{Allow: []string{"T"}}, filter: true},
		{name: "denied by a rule", t: path(pegboard.AccessRead, "f"), mode: pegboard.ModeBypass, set: pegboard.RuleSet{Deny: []string{"Read(f)"}}, ask: true, answer: yes, denied: []string{`deny rule "Read(f)"`}},
		{name: "asked by a rule", t: path(pegboard.AccessRead, "f"), mode: pegboard.ModeBypass, set: pegboard.RuleSet{Ask: []string{"Read(f)"}}, ask: true, answer: yes, asked: 1},
		{name: "only a person may", t: path(pegboard.AccessRead, "f"), user: true, ask: true, answer: yes, asked: 1},
		{name: "refused", t: path(pegboard.AccessRead, outside), ask: true, answer: pegboard.Decision{Behavior: pegboard.Deny, Reason: "not that one"}, asked: 1, denied: []string{"not that one"}},
		{name: "no answer", t: path(pegboard.AccessRead, outside), ask: true, err: errors.New("no line"), asked: 1, denied: []string{"no line"}},
		{name: "undecided", t: path(pegboard.AccessRead, outside), ask: true, asked: 1, denied: []string{"nobody can be asked"}},
		{name: "an answer that changes the input", t: path(pegboard.AccessRead, outside), ask: true, answer: pegboard.Decision{Behavior: pegboard.Allow, Input: json.RawMessage(`{"a":1}`)}, asked: 1, denied: []string{"cannot be changed"}},
		{name: "nobody", t: path(pegboard.AccessRead, outside), denied: []string{"nobody can be asked", outside, "Read(/" + outside + ")"}},
		{name: "something unknown", denied: []string{"nobody can be asked", "allow rule T"}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var questions []*pegboard.Question
			checked := errors.New("not run")
			filtered := false
			a := actor{name: "T", user: tc.user, traits: readsData, call: func(ctx ctx, c *pegboard.Call) error {
				if tc.user {
					questions = nil // the one that let it run
				}
				filtered = c.Filter(tc.t)
				require.Empty(t, questions, "Filter asks nobody")
				checked = c.Check(ctx, tc.t)
				return nil
			}}
			cfg := pegboard.SessionConfig{Dir: dir}
			if tc.ask {
				cfg.Ask = answering(&questions, tc.answer, tc.err)
			}
			pool := a.pool(t, session(t, cfg))
			require.NoError(t, pool.Session().SetPermissions(rules(t, tc.mode, tc.set)))
			ex := executor(pegboard.Executor{})
			require.NoError(t, ex.Run(t.Context(), pool, call("1", "T", ``))[0].Err)
			require.Equal(t, tc.filter, filtered)
			require.Len(t, questions, tc.asked)
			if tc.denied == nil {
				require.NoError(t, checked)
				return
			}
			require.ErrorIs(t, checked, pegboard.ErrDenied)
			for _, s := range tc.denied {
				require.ErrorContains(t, checked, s)
			}
		})
	}
}

// TestCheckBelowWhatWasAllowed: a person who lets a tool read a directory is not
// asked again for each file in it.
func TestCheckBelowWhatWasAllowed(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	at := func(name string) string { return filepath.Join(outside, name) }
	require.NoError(t, os.Mkdir(at("d"), 0o700))
	require.NoError(t, linkDir(outside, at("d/up")))
	tests := []struct {
		name   string
		path   string
		access pegboard.Access
		set    pegboard.RuleSet
		want   bool
	}{
		{name: "below", path: at("d/a/b"), access: pegboard.AccessRead, want: true},
		{name: "itself", path: at("d"), access: pegboard.AccessRead, want: true},
		{name: "beside", path: at("e"), access: pegboard.AccessRead},
		{name: "a name that begins alike", path: at("d2"), access: pegboard.AccessRead},
		{name: "by dots", path: at("d") + "/../e", access: pegboard.AccessRead},
		{name: "through a link that leads elsewhere", path: at("d/up/e"), access: pegboard.AccessRead},
		{name: "written", path: at("d/a"), access: pegboard.AccessWrite},
		{name: "not a tree", path: at("f/a"), access: pegboard.AccessRead},
		{name: "denied by a rule", path: at("d/a"), access: pegboard.AccessRead, set: pegboard.RuleSet{Deny: []string{"Read(/" + at("d/a") + ")"}}},
		{name: "asked by a rule", path: at("d/a"), access: pegboard.AccessRead, set: pegboard.RuleSet{Ask: []string{"Read(/" + at("d/a") + ")"}}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			questions := 0
			cfg := pegboard.SessionConfig{Ask: func(ctx, *pegboard.Question) (pegboard.Decision, error) {
				questions++
				return pegboard.Decision{Behavior: pegboard.Allow}, nil
			}}
			filtered := false
			a := actor{name: "T", traits: pegboard.Traits{ReadOnly: true, Targets: []pegboard.Target{
				{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: at("d"), Tree: true},
				{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: at("f")},
			}}, call: func(_ ctx, c *pegboard.Call) error {
				if err := c.Session().SetPermissions(rules(t, "", tc.set)); err != nil {
					return err
				}
				filtered = c.Filter(pegboard.Target{Kind: pegboard.TargetPath, Access: tc.access, Value: tc.path})
				return nil
			}}
			ex := executor(pegboard.Executor{})
			require.NoError(t, ex.Run(t.Context(), a.pool(t, session(t, cfg)), call("1", "T", ``))[0].Err)
			require.Equal(t, 1, questions, "the one before the call")
			require.Equal(t, tc.want, filtered)
		})
	}
}

// TestCheckBeforeTheCallIsAllowed: Filter and Check deny in hooks, Tool.Permit and
// listeners, before the call itself is allowed.
func TestCheckBeforeTheCallIsAllowed(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	below := pegboard.Target{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: filepath.Join(outside, "a")}
	seen := map[string]string{}
	try := func(where string, c *pegboard.Call) {
		defer func() {
			if v := recover(); v != nil {
				seen[where] = fmt.Sprint("panic: ", v)
			}
		}()
		seen[where] = fmt.Sprint(c.Filter(below), errors.Is(c.Check(t.Context(), below), pegboard.ErrDenied))
	}
	tool := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "T"}, Description: "For a test.",
		Traits: pegboard.Traits{ReadOnly: true, Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: outside, Tree: true}}},
		Permit: func(_ ctx, _ struct{}, c *pegboard.Call) pegboard.Decision {
			try("opinion", c)
			return pegboard.Decision{}
		},
		Call: func(ctx, struct{}, *pegboard.Call) (string, error) { return "", nil },
	})
	var reg pegboard.Registry
	require.NoError(t, reg.Add(tool))
	cfg := pegboard.SessionConfig{Hooks: pegboard.Hooks{Pre: func(_ ctx, h *pegboard.HookCall) (pegboard.Decision, error) {
		try("hook", h.Call)
		return pegboard.Decision{}, nil
	}}}
	ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) { try(e.Kind.String(), e.Call) }})
	ex.Run(t.Context(), reg.AssemblePool(session(t, cfg), pegboard.PoolConfig{}), call("1", "T", ``))
	const refused = "false true"
	require.Equal(t, map[string]string{
		"admitted": refused, "hook": refused, "opinion": refused, "decided": refused, "finished": refused,
	}, seen)
}

// TestCheckFollowsThePermissionsOfTheMoment: a rule that is set while a call runs holds
// for the next Check of that call.
func TestCheckFollowsThePermissionsOfTheMoment(t *testing.T) {
	t.Parallel()
	in := pegboard.Target{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: "f"}
	var before, after bool
	a := actor{name: "T", traits: readsData, call: func(ctx ctx, c *pegboard.Call) error {
		before = c.Filter(in)
		if err := c.Session().SetPermissions(rules(t, "", pegboard.RuleSet{Deny: []string{"Read(f)"}})); err != nil {
			return err
		}
		after = c.Filter(in)
		return c.Check(ctx, in)
	}}
	ex := executor(pegboard.Executor{})
	out := ex.Run(t.Context(), a.pool(t, session(t, pegboard.SessionConfig{})), call("1", "T", ``))[0]
	require.True(t, before)
	require.False(t, after)
	require.ErrorIs(t, out.Err, pegboard.ErrDenied)
}

// TestFilterBelowWhatAPersonApproved: when a person has allowed the read of a tree,
// Filter leaves nothing below it out, except for a deny rule, and for an ask rule that
// was set since.
func TestFilterBelowWhatAPersonApproved(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		user  bool
		set   pegboard.RuleSet
		later pegboard.RuleSet // set while the call runs
		want  bool
	}{
		{name: "ask rule on the tool", set: pegboard.RuleSet{Ask: []string{"T"}}, want: true},
		{name: "ask rule on the tree", set: pegboard.RuleSet{Ask: []string{"Read(/src)"}}, want: true},
		{name: "only a person may", user: true, want: true},
		{name: "ask rule and a deny rule below", set: pegboard.RuleSet{Ask: []string{"T"}, Deny: []string{"Read(/src/a)"}}},
		{name: "only a person may, and a deny rule", user: true, set: pegboard.RuleSet{Deny: []string{"Read(/src/a)"}}},
		{name: "an ask rule since", user: true, later: pegboard.RuleSet{Ask: []string{"Read(/src/a)"}}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var questions []*pegboard.Question
			filtered := false
			a := reading(pegboard.Target{Value: "src", Tree: true, Filtered: true})
			a.user = tc.user
			a.call = func(_ ctx, c *pegboard.Call) error {
				more, err := c.Session().Permissions().WithRules(tc.later)
				if err != nil {
					return err
				}
				if err := c.Session().SetPermissions(more); err != nil {
					return err
				}
				filtered = c.Filter(pegboard.Target{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: "src/a"})
				return nil
			}
			s := session(t, pegboard.SessionConfig{
				Dir: t.TempDir(), Permissions: rules(t, "", tc.set),
				Ask: answering(&questions, pegboard.Decision{Behavior: pegboard.Allow}, nil),
			})
			ex := executor(pegboard.Executor{})
			require.NoError(t, ex.Run(t.Context(), a.pool(t, s), call("1", "T", ``))[0].Err)
			require.Len(t, questions, 1)
			require.Equal(t, tc.want, filtered)
		})
	}
}

// TestCheckEmitsEvents: a decision in mid-call is an event like the one before the call.
func TestCheckEmitsEvents(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "f")
	var questions []*pegboard.Question
	a := actor{name: "T", traits: readsData, call: func(ctx ctx, c *pegboard.Call) error {
		for _, path := range []string{"allowed", outside, "denied"} {
			if err := c.Check(ctx, pegboard.Target{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: path}); err != nil {
				return err
			}
		}
		return nil
	}}
	dir := t.TempDir()
	pool := a.pool(t, session(t, pegboard.SessionConfig{
		Dir: dir, Permissions: rules(t, "", pegboard.RuleSet{Deny: []string{"Read(/denied)"}}),
		Ask: answering(&questions, pegboard.Decision{Behavior: pegboard.Allow}, nil),
	}))
	var seen []string
	ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) {
		line := e.Kind.String()
		for _, target := range e.Targets {
			line += " " + filepath.Base(filepath.Dir(target.Value)) + "/" + filepath.Base(target.Value)
		}
		if d := e.Decision; d != nil {
			line += " " + d.Behavior.String()
			if d.Rule != nil {
				line += " by " + d.Rule.String()
			}
		}
		seen = append(seen, line)
	}})
	out := ex.Run(t.Context(), pool, call("1", "T", ``))[0]
	require.ErrorIs(t, out.Err, pegboard.ErrDenied)
	in, there := filepath.Base(dir)+"/", filepath.Base(filepath.Dir(outside))+"/"
	require.Equal(t, []string{
		"admitted", "decided ./data allow", "started",
		"decided " + in + "allowed allow",
		"asked " + there + "f", "settled", "decided " + there + "f allow",
		"decided " + in + "denied deny by Read(/denied)",
		"finished",
	}, seen)
}

// A Check in mid-call is decided as before the call: in auto mode by the classifier.
func TestCheckAsksTheClassifier(t *testing.T) {
	t.Parallel()
	asked := 0
	var checked error
	a := actor{name: "T", call: func(ctx ctx, c *pegboard.Call) error {
		checked = c.Check(ctx, pegboard.Target{Kind: pegboard.TargetHost, Access: pegboard.AccessRead, Value: "h.test"})
		return nil
	}}
	s := session(t, pegboard.SessionConfig{Permissions: rules(t, pegboard.ModeAuto, pegboard.RuleSet{}), Classifier: func(ctx, *pegboard.Question) (pegboard.Decision, error) {
		asked++
		return pegboard.Decision{Behavior: pegboard.Allow}, nil
	}})
	ex := executor(pegboard.Executor{})
	require.NoError(t, ex.Run(t.Context(), a.pool(t, s), call("1", "T", ``))[0].Err)
	require.NoError(t, checked)
	require.Equal(t, 2, asked)
}

// TestLateAnswerToACheckDoesNotCount: the tool stopped waiting before the person
// answered.
func TestLateAnswerToACheckDoesNotCount(t *testing.T) {
	t.Parallel()
	why := errors.New("the tool gave up")
	var giveUp context.CancelCauseFunc
	cfg := pegboard.SessionConfig{Ask: func(ctx, *pegboard.Question) (pegboard.Decision, error) {
		giveUp(why)
		return pegboard.Decision{Behavior: pegboard.Allow}, nil
	}}
	var checked error
	a := actor{name: "T", traits: readsData, call: func(ctx ctx, c *pegboard.Call) error {
		ctx, giveUp = context.WithCancelCause(ctx)
		checked = c.Check(ctx, pegboard.Target{})
		return nil
	}}
	ex := executor(pegboard.Executor{})
	require.NoError(t, ex.Run(t.Context(), a.pool(t, session(t, cfg)), call("1", "T", ``))[0].Err)
	require.ErrorIs(t, checked, pegboard.ErrDenied)
	require.ErrorContains(t, checked, "the tool gave up")
}
