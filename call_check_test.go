package pegboard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/policy"
)

// TestCheckAndFilter decide targets in mid-call, as they would have been decided
// before it. Only Check asks.
func TestCheckAndFilter(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "f")
	require.NoError(t, linkDir(filepath.Dir(outside), filepath.Join(dir, "link")))
	path := func(access policy.Access, v string) policy.Target {
		return policy.Target{Kind: policy.Path, Access: access, Value: v}
	}
	yes := policy.Decision{Behavior: policy.Allow}
	tests := []struct {
		name   string
		t      policy.Target
		user   bool
		mode   policy.Mode
		set    policy.RuleSet
		ask    bool // the session has an asker
		answer policy.Decision
		err    error
		filter bool
		asked  int
		denied []string // parts of the error's text; nil: no error
	}{
		{name: "read inside", t: path(policy.Read, "f"), filter: true, ask: true},
		{name: "write inside", t: path(policy.Write, "f"), ask: true, answer: yes, asked: 1},
		{name: "write inside, bypass", t: path(policy.Write, "f"), mode: policy.ModeBypass, filter: true},
		{name: "write inside, plan", t: path(policy.Write, "f"), mode: policy.ModePlan, ask: true, answer: yes, denied: []string{"plan mode"}},
		{name: "read outside", t: path(policy.Read, outside), ask: true, answer: yes, asked: 1},
		{name: "read outside through a link", t: path(policy.Read, "link/f"), ask: true, answer: yes, asked: 1},
		{name: "read outside, allowed by a rule", t: path(policy.Read, outside), set: policy.RuleSet{Allow: []string{"T"}}, filter: true},
		{name: "denied by a rule", t: path(policy.Read, "f"), mode: policy.ModeBypass, set: policy.RuleSet{Deny: []string{"Read(f)"}}, ask: true, answer: yes, denied: []string{`deny rule "Read(f)"`}},
		{name: "asked by a rule", t: path(policy.Read, "f"), mode: policy.ModeBypass, set: policy.RuleSet{Ask: []string{"Read(f)"}}, ask: true, answer: yes, asked: 1},
		{name: "only a person may", t: path(policy.Read, "f"), user: true, ask: true, answer: yes, asked: 1},
		{name: "refused", t: path(policy.Read, outside), ask: true, answer: policy.Decision{Behavior: policy.Deny, Reason: "not that one"}, asked: 1, denied: []string{"not that one"}},
		{name: "no answer", t: path(policy.Read, outside), ask: true, err: errors.New("no line"), asked: 1, denied: []string{"no line"}},
		{name: "undecided", t: path(policy.Read, outside), ask: true, asked: 1, denied: []string{"nobody can be asked"}},
		{name: "an answer that changes the input", t: path(policy.Read, outside), ask: true, answer: policy.Decision{Behavior: policy.Allow, Input: json.RawMessage(`{"a":1}`)}, asked: 1, denied: []string{"cannot be changed"}},
		{name: "nobody", t: path(policy.Read, outside), denied: []string{"nobody can be asked", outside, "Read(/" + outside + ")"}},
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
		access policy.Access
		set    policy.RuleSet
		want   bool
	}{
		{name: "below", path: at("d/a/b"), access: policy.Read, want: true},
		{name: "itself", path: at("d"), access: policy.Read, want: true},
		{name: "beside", path: at("e"), access: policy.Read},
		{name: "a name that begins alike", path: at("d2"), access: policy.Read},
		{name: "by dots", path: at("d") + "/../e", access: policy.Read},
		{name: "through a link that leads elsewhere", path: at("d/up/e"), access: policy.Read},
		{name: "written", path: at("d/a"), access: policy.Write},
		{name: "not a tree", path: at("f/a"), access: policy.Read},
		{name: "denied by a rule", path: at("d/a"), access: policy.Read, set: policy.RuleSet{Deny: []string{"Read(/" + at("d/a") + ")"}}},
		{name: "asked by a rule", path: at("d/a"), access: policy.Read, set: policy.RuleSet{Ask: []string{"Read(/" + at("d/a") + ")"}}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			questions := 0
			cfg := pegboard.SessionConfig{Ask: func(ctx, *pegboard.Question) (policy.Decision, error) {
				questions++
				return policy.Decision{Behavior: policy.Allow}, nil
			}}
			filtered := false
			a := actor{name: "T", traits: pegboard.Traits{ReadOnly: true, Targets: []policy.Target{
				{Kind: policy.Path, Access: policy.Read, Value: at("d"), Tree: true},
				{Kind: policy.Path, Access: policy.Read, Value: at("f")},
			}}, call: func(_ ctx, c *pegboard.Call) error {
				if err := c.Session().SetPermissions(rules(t, "", tc.set)); err != nil {
					return err
				}
				filtered = c.Filter(policy.Target{Kind: policy.Path, Access: tc.access, Value: tc.path})
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
	below := policy.Target{Kind: policy.Path, Access: policy.Read, Value: filepath.Join(outside, "a")}
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
		Traits: pegboard.Traits{ReadOnly: true, Targets: []policy.Target{{Kind: policy.Path, Access: policy.Read, Value: outside, Tree: true}}},
		Permit: func(_ ctx, _ struct{}, c *pegboard.Call) policy.Decision {
			try("opinion", c)
			return policy.Decision{}
		},
		Call: func(ctx, struct{}, *pegboard.Call) (string, error) { return "", nil },
	})
	var reg pegboard.Registry
	require.NoError(t, reg.Add(tool))
	cfg := pegboard.SessionConfig{Hooks: pegboard.Hooks{Pre: func(_ ctx, h *pegboard.HookCall) (policy.Decision, error) {
		try("hook", h.Call)
		return policy.Decision{}, nil
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
	in := policy.Target{Kind: policy.Path, Access: policy.Read, Value: "f"}
	var before, after bool
	a := actor{name: "T", traits: readsData, call: func(ctx ctx, c *pegboard.Call) error {
		before = c.Filter(in)
		if err := c.Session().SetPermissions(rules(t, "", policy.RuleSet{Deny: []string{"Read(f)"}})); err != nil {
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
		set   policy.RuleSet
		later policy.RuleSet // set while the call runs
		want  bool
	}{
		{name: "ask rule on the tool", set: policy.RuleSet{Ask: []string{"T"}}, want: true},
		{name: "ask rule on the tree", set: policy.RuleSet{Ask: []string{"Read(/src)"}}, want: true},
		{name: "only a person may", user: true, want: true},
		{name: "ask rule and a deny rule below", set: policy.RuleSet{Ask: []string{"T"}, Deny: []string{"Read(/src/a)"}}},
		{name: "only a person may, and a deny rule", user: true, set: policy.RuleSet{Deny: []string{"Read(/src/a)"}}},
		{name: "an ask rule since", user: true, later: policy.RuleSet{Ask: []string{"Read(/src/a)"}}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var questions []*pegboard.Question
			filtered := false
			a := reading(policy.Target{Value: "src", Tree: true, Filtered: true})
			a.user = tc.user
			a.call = func(_ ctx, c *pegboard.Call) error {
				more, err := c.Session().Permissions().WithRules(tc.later)
				if err != nil {
					return err
				}
				if err := c.Session().SetPermissions(more); err != nil {
					return err
				}
				filtered = c.Filter(policy.Target{Kind: policy.Path, Access: policy.Read, Value: "src/a"})
				return nil
			}
			s := session(t, pegboard.SessionConfig{
				Dir: t.TempDir(), Permissions: rules(t, "", tc.set),
				Ask: answering(&questions, policy.Decision{Behavior: policy.Allow}, nil),
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
			if err := c.Check(ctx, policy.Target{Kind: policy.Path, Access: policy.Read, Value: path}); err != nil {
				return err
			}
		}
		return nil
	}}
	dir := t.TempDir()
	pool := a.pool(t, session(t, pegboard.SessionConfig{
		Dir: dir, Permissions: rules(t, "", policy.RuleSet{Deny: []string{"Read(/denied)"}}),
		Ask: answering(&questions, policy.Decision{Behavior: policy.Allow}, nil),
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
		checked = c.Check(ctx, policy.Target{Kind: policy.Host, Access: policy.Read, Value: "h.test"})
		return nil
	}}
	s := session(t, pegboard.SessionConfig{Permissions: rules(t, policy.ModeAuto, policy.RuleSet{}), Classifier: func(ctx, *pegboard.Question) (policy.Decision, error) {
		asked++
		return policy.Decision{Behavior: policy.Allow}, nil
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
	cfg := pegboard.SessionConfig{Ask: func(ctx, *pegboard.Question) (policy.Decision, error) {
		giveUp(why)
		return policy.Decision{Behavior: policy.Allow}, nil
	}}
	var checked error
	a := actor{name: "T", traits: readsData, call: func(ctx ctx, c *pegboard.Call) error {
		ctx, giveUp = context.WithCancelCause(ctx)
		checked = c.Check(ctx, policy.Target{})
		return nil
	}}
	ex := executor(pegboard.Executor{})
	require.NoError(t, ex.Run(t.Context(), a.pool(t, session(t, cfg)), call("1", "T", ``))[0].Err)
	require.ErrorIs(t, checked, pegboard.ErrDenied)
	require.ErrorContains(t, checked, "the tool gave up")
}

// Two inputs of one length: the one that is decided, and one that a hook writes over it.
const (
	decided = `{"p":"good"}`
	written = `{"p":"evil"}`
)

// echo returns a tool that answers with the bytes it runs on and writes the path
// in them. permit, if not nil, is its own opinion.
func echo(t testing.TB, permit func(in json.RawMessage) policy.Decision) pegboard.Tool {
	t.Helper()
	if permit == nil {
		permit = func(json.RawMessage) policy.Decision { return policy.Decision{} }
	}
	schema := json.RawMessage(`{"type":"object","properties":{"p":{"type":"string"}}}`)
	tool, err := pegboard.BuildRaw(schema, pegboard.Definition[json.RawMessage, *pegboard.Result]{
		Info: pegboard.Info{Name: "Echo"}, Description: "For a test.",
		Inspect: func(in json.RawMessage, _ *pegboard.Call) pegboard.Traits {
			var v struct{ P string }
			if json.Unmarshal(in, &v) != nil {
				return pegboard.Traits{}
			}
			return pegboard.Traits{Targets: []policy.Target{{Kind: policy.Path, Value: v.P}}}
		},
		Permit: func(_ ctx, in json.RawMessage, _ *pegboard.Call) policy.Decision { return permit(in) },
		Call: func(_ ctx, in json.RawMessage, _ *pegboard.Call) (*pegboard.Result, error) {
			return pegboard.TextResult(string(in)), nil
		},
	})
	require.NoError(t, err)
	return tool
}

// TestWritingToAShownCallDoesNotChangeWhatRuns: hooks, askers and listeners can write to
// the bytes of the call they are given. The tool runs on the bytes that were decided.
func TestWritingToAShownCallDoesNotChangeWhatRuns(t *testing.T) {
	t.Parallel()
	yes := policy.Decision{Behavior: policy.Allow}
	scribble := func(c *pegboard.Call) { copy(c.Input, written) }
	tests := []struct {
		name string
		set  func(*pegboard.SessionConfig, *pegboard.Executor)
	}{
		{name: "asker", set: func(cfg *pegboard.SessionConfig, _ *pegboard.Executor) {
			cfg.Ask = func(_ ctx, q *pegboard.Question) (policy.Decision, error) { scribble(q.Call); return yes, nil }
		}},
		{name: "hook before", set: func(cfg *pegboard.SessionConfig, _ *pegboard.Executor) {
			cfg.Hooks.Pre = func(_ ctx, h *pegboard.HookCall) (policy.Decision, error) { scribble(h.Call); return yes, nil }
		}},
		{name: "hook that answers", set: func(cfg *pegboard.SessionConfig, _ *pegboard.Executor) {
			cfg.Hooks.Permission = func(_ ctx, q *pegboard.Question) (policy.Decision, error) { scribble(q.Call); return yes, nil }
		}},
		{name: "hook after", set: func(cfg *pegboard.SessionConfig, _ *pegboard.Executor) {
			cfg.Hooks.Post = func(_ ctx, h *pegboard.HookCall) error { scribble(h.Call); return nil }
		}},
		{name: "hook after, the outcome's call", set: func(cfg *pegboard.SessionConfig, _ *pegboard.Executor) {
			cfg.Hooks.Post = func(_ ctx, h *pegboard.HookCall) error { scribble(h.Outcome.Call); return nil }
		}},
		{name: "listener, the outcome's call", set: func(_ *pegboard.SessionConfig, ex *pegboard.Executor) {
			ex.OnEvent = func(e pegboard.Event) {
				if e.Outcome != nil {
					scribble(e.Outcome.Call)
				}
			}
		}},
		{name: "listener", set: func(_ *pegboard.SessionConfig, ex *pegboard.Executor) {
			ex.OnEvent = func(e pegboard.Event) { scribble(e.Call) }
		}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			cfg := pegboard.SessionConfig{
				Permissions: rules(t, "", policy.RuleSet{Deny: []string{"Edit(/evil)"}}),
				Ask:         func(ctx, *pegboard.Question) (policy.Decision, error) { return yes, nil },
			}
			ex := executor(pegboard.Executor{})
			tc.set(&cfg, &ex.Executor)
			out := ex.Run(t.Context(), registryOf(t, echo(t, nil)).AssemblePool(session(t, cfg), pegboard.PoolConfig{}), call("1", "Echo", decided))[0]
			require.NoError(t, out.Err)
			require.Equal(t, decided, out.Result.Text())
			require.Equal(t, decided, string(out.Call.Input))
		})
	}
}

// scribbler is a tool whose wrapper writes to the input it checks.
type scribbler struct{ pegboard.Tool }

func (s scribbler) Validate(ctx ctx, c *pegboard.Call) error {
	copy(c.Input, written)
	return s.Tool.Validate(ctx, c)
}

// TestRawToolRunsOnWhatWasInspected, also if its own wrapper writes to the call.
func TestRawToolRunsOnWhatWasInspected(t *testing.T) {
	t.Parallel()
	out := run(t, registryOf(t, scribbler{echo(t, nil)}), session(t, bypass(t)), call("1", "Echo", decided))
	require.NoError(t, out.Err)
	require.Equal(t, decided, out.Result.Text())
}

// TestChangedInputIsCopied: a hook, tool or asker that changes the input may reuse its
// buffer.
func TestChangedInputIsCopied(t *testing.T) {
	t.Parallel()
	type change = func(now json.RawMessage) policy.Decision
	tests := []struct {
		name string
		set  func(cfg *pegboard.SessionConfig, tool *change, by change)
	}{
		{name: "hook", set: func(cfg *pegboard.SessionConfig, _ *change, by change) {
			cfg.Hooks.Pre = func(_ ctx, h *pegboard.HookCall) (policy.Decision, error) { return by(h.Call.Input), nil }
		}},
		{name: "tool", set: func(_ *pegboard.SessionConfig, tool *change, by change) { *tool = by }},
		{name: "asker", set: func(cfg *pegboard.SessionConfig, _ *change, by change) {
			cfg.Ask = func(_ ctx, q *pegboard.Question) (policy.Decision, error) { return by(q.Call.Input), nil }
		}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			buffer := []byte(decided)
			cfg := pegboard.SessionConfig{Permissions: rules(t, "", policy.RuleSet{Deny: []string{"Edit(/evil)"}})}
			var tool change
			tc.set(&cfg, &tool, func(now json.RawMessage) policy.Decision {
				d := policy.Decision{Behavior: policy.Allow}
				if string(now) == `{}` {
					d.Input = buffer
				}
				return d
			})
			ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) {
				if e.Kind == pegboard.EventDecided {
					copy(buffer, written)
				}
			}})
			out := ex.Run(t.Context(), registryOf(t, echo(t, tool)).AssemblePool(session(t, cfg), pegboard.PoolConfig{}), call("1", "Echo", `{}`))[0]
			require.NoError(t, out.Err)
			require.Equal(t, written, string(buffer))
			require.Equal(t, decided, out.Result.Text())
			require.Equal(t, decided, string(out.Call.Input))
		})
	}
}

// TestApprovalIsOfTheBytesThatWereShown: an asker's buffer that becomes another input
// does not carry the approval over to it.
func TestApprovalIsOfTheBytesThatWereShown(t *testing.T) {
	t.Parallel()
	buffer := []byte(decided)
	var asked []string
	cfg := pegboard.SessionConfig{
		Ask: func(_ ctx, q *pegboard.Question) (policy.Decision, error) {
			asked = append(asked, string(q.Call.Input))
			if len(asked) > 1 {
				return policy.Decision{Behavior: policy.Deny}, nil
			}
			return policy.Decision{Behavior: policy.Allow, Input: buffer}, nil
		},
		Hooks: pegboard.Hooks{Pre: func(_ ctx, h *pegboard.HookCall) (policy.Decision, error) {
			if string(h.Call.Input) != decided {
				return policy.Decision{}, nil
			}
			copy(buffer, written)
			return policy.Decision{Input: json.RawMessage(written)}, nil
		}},
	}
	out := run(t, registryOf(t, echo(t, nil)), session(t, cfg), call("1", "Echo", `{}`))
	require.Equal(t, []string{`{}`, written}, asked)
	require.ErrorIs(t, out.Err, pegboard.ErrDenied)
}

// TestDecidingRuleIsACopy: a host may write to the rule of an outcome or an event
// without effect on later decisions.
func TestDecidingRuleIsACopy(t *testing.T) {
	t.Parallel()
	only := []string{"T"}
	for _, tc := range []struct {
		name string
		set  policy.RuleSet
	}{
		{name: "deny", set: policy.RuleSet{Deny: only}},
		{name: "ask", set: policy.RuleSet{Ask: only}},
		{name: "allow", set: policy.RuleSet{Allow: only}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			pool := registryOf(t, inert("T")).AssemblePool(session(t, pegboard.SessionConfig{}), pegboard.PoolConfig{})
			p := rules(t, "", tc.set)
			require.NoError(t, pool.Session().SetPermissions(p))
			decorate := func(d *policy.Decision) { d.Rule.Tool, d.Rule.Behavior = "T (shown)", policy.Undecided }
			ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) {
				if e.Decision != nil {
					decorate(e.Decision)
				}
			}})
			for range 2 {
				out := ex.Run(t.Context(), pool, call("1", "T", ``))[0]
				require.Equal(t, tc.name == "allow", out.Err == nil)
				decorate(&out.Decision)
				now := pool.Session().Permissions().Rules()
				require.Len(t, now, 1)
				require.Equal(t, "T", now[0].Tool)
				require.Equal(t, p.Rules()[0].Behavior, now[0].Behavior)
			}
		})
	}
}

// TestRunCopiesCalls: the host may write to the bytes that it passed to Run, since the
// call runs on a copy.
func TestRunCopiesCalls(t *testing.T) {
	t.Parallel()
	var reg pegboard.Registry
	require.NoError(t, reg.Add(worker(func(job, bool) {})))
	c := call("1", "Work", `{"path":"a"}`)
	cfg := pegboard.SessionConfig{Hooks: pegboard.Hooks{Pre: func(ctx, *pegboard.HookCall) (policy.Decision, error) {
		copy(c.Input, `{"path":"b"}`)
		return policy.Decision{}, nil
	}}}
	out := run(t, &reg, session(t, cfg), c)
	require.Equal(t, "a", out.Result.Text())
	require.JSONEq(t, `{"path":"a"}`, string(out.Call.Input))
}

// listing is the input of a tool that takes paths from /work.
type listing struct {
	Path  string `json:"path,omitempty"`
	Depth int    `json:"depth,omitempty" jsonschema:"default=3"`
	Sort  string `json:"sort,omitempty"`
}

// lister returns a tool whose paths are absolute where they are observed, and that adds
// the name of the last folder. Asked counts how often it was asked.
func lister(asked *atomic.Int32, change func(*pegboard.Definition[listing, string])) pegboard.Tool {
	d := pegboard.Definition[listing, string]{
		Info: pegboard.Info{Name: "ListFolder"}, Description: "Lists a folder.",
		Traits: pegboard.Traits{ReadOnly: true, Targets: []policy.Target{{Kind: policy.Resource, Access: policy.Read, Value: "disk"}}},
		Observe: func(in listing, _ *pegboard.Call) map[string]any {
			asked.Add(1)
			abs := in.Path
			if !path.IsAbs(abs) {
				abs = path.Join("/work", abs)
			}
			return map[string]any{"path": abs, "name": path.Base(abs)}
		},
		Call: func(_ ctx, _ listing, c *pegboard.Call) (string, error) { return string(c.Input), nil },
	}
	if change != nil {
		change(&d)
	}
	return pegboard.Build(d)
}

func TestObserved(t *testing.T) {
	t.Parallel()
	raw := served(t, `{"type":"object","properties":{"a":{"type":"string","default":"<x>"},"b":{"type":"integer"}}}`)
	var asked atomic.Int32
	tests := []struct {
		name        string
		tool        pegboard.Tool
		input, want string
	}{
		{name: "a path and a default", tool: lister(&asked, nil), input: `{ "path" : "src" }`, want: `{"path":"/work/src","depth":3,"name":"src"}`},
		{name: "nothing given", tool: lister(&asked, nil), input: ``, want: `{"depth":3,"name":"work","path":"/work"}`},
		{name: "everything given", tool: lister(&asked, nil), input: `{"depth":1,"path":"/etc","sort":"\u0061"}`, want: `{"depth":1,"path":"/etc","sort":"\u0061","name":"etc"}`},
		{
			name: "nothing to add", input: `{ "path":"/etc", "depth":3 }`, want: `{ "path":"/etc", "depth":3 }`,
			tool: lister(&asked, func(d *pegboard.Definition[listing, string]) {
				d.Observe = func(in listing, _ *pegboard.Call) map[string]any { return map[string]any{"path": in.Path} }
			}),
		},
		{name: "a raw tool", tool: raw, input: `{"b":1}`, want: `{"b":1,"a":"<x>"}`},
		{name: "a raw tool that was given everything", tool: raw, input: `{"b":1, "a":null}`, want: ``},
		{name: "another raw tool", tool: raw, input: ` {"a":"y"} `, want: ` {"a":"y"} `},
		{
			name: "values of all kinds", input: `{}`, want: `{"depth":3,"a":"<&>","b":[1,null],"c":{"d":true}}`,
			tool: lister(&asked, func(d *pegboard.Definition[listing, string]) {
				d.Observe = func(listing, *pegboard.Call) map[string]any {
					return map[string]any{"a": "<&>", "b": []any{1, nil}, "c": map[string]bool{"d": true}}
				}
			}),
		},
		{
			name: "a panic", input: `{"path":"src"}`, want: `{"path":"src","depth":3}`,
			tool: lister(&asked, func(d *pegboard.Definition[listing, string]) {
				d.Observe = func(listing, *pegboard.Call) map[string]any { panic("oh") }
			}),
		},
		{
			name: "no JSON", input: `{"path":"src"}`, want: `{"path":"src","depth":3}`,
			tool: lister(&asked, func(d *pegboard.Definition[listing, string]) {
				d.Observe = func(listing, *pegboard.Call) map[string]any { return map[string]any{"path": "x", "f": func() {}} }
			}),
		},
		{
			name: "bound properties stay hidden", input: `{"sort":"up"}`, want: `{"sort":"up","name":"secret"}`,
			tool: bind(t, lister(&asked, nil), map[string]pegboard.Binding{"depth": constantly(7), "path": constantly("secret")}),
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, c, err := registryOf(t, tt.tool).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{}).Rebuild(call("1", tt.tool.Info().Name, tt.input))
			if tt.want == "" {
				require.Error(t, err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tt.want, string(c.Observed()))
			require.Equal(t, tt.want, string(c.Observed()))
			require.Equal(t, tt.input, string(c.Input))
			c.Observed()[0] = 'x'
			require.Equal(t, tt.want, string(c.Observed()), "it is a copy")
		})
	}
	loose := call("1", "ListFolder", `{"path":"src"}`)
	require.Equal(t, `{"path":"src"}`, string(loose.Observed()), "nobody knows its tool")
}

// TestObservedByThoseWhoWatch shows hooks, listeners and the user the same, and the tool and
// the outcome what the model wrote.
func TestObservedByThoseWhoWatch(t *testing.T) {
	t.Parallel()
	const written, seen = `{"path": "src"}`, `{"path":"/work/src","depth":3,"name":"src"}`
	var asked atomic.Int32
	var mu sync.Mutex
	saw := map[string]string{}
	see := func(who string, c *pegboard.Call) {
		mu.Lock()
		defer mu.Unlock()
		saw[who] = string(c.Observed())
		if string(c.Input) != written {
			saw[who] = "the input is " + string(c.Input)
		}
	}
	cfg := pegboard.SessionConfig{
		Permissions: rules(t, "", policy.RuleSet{Ask: []string{"ListFolder"}}),
		Hooks: pegboard.Hooks{
			Pre: func(_ ctx, h *pegboard.HookCall) (policy.Decision, error) {
				see("Pre", h.Call)
				return policy.Decision{}, nil
			},
			Permission: func(_ ctx, q *pegboard.Question) (policy.Decision, error) {
				see("Permission", q.Call)
				return policy.Decision{}, nil
			},
			Post:  func(_ ctx, h *pegboard.HookCall) error { see("Post", h.Call); return nil },
			Batch: func(_ ctx, outs []pegboard.Outcome) error { see("Batch", outs[0].Call); return nil },
		},
		Ask: func(_ ctx, q *pegboard.Question) (policy.Decision, error) {
			see("Ask", q.Call)
			return policy.Decision{Behavior: policy.Allow}, nil
		},
	}
	pool := registryOf(t, lister(&asked, nil)).AssemblePool(session(t, cfg), pegboard.PoolConfig{})
	ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) { see(e.Kind.String(), e.Call) }})
	out := ex.Run(t.Context(), pool, call("1", "ListFolder", written))[0]
	require.NoError(t, out.Err)
	require.Equal(t, written, out.Result.Text(), "the tool's input")
	see("Outcome", out.Call)
	require.Equal(t, written, saw["admitted"], "it was not decoded yet")
	delete(saw, "admitted")
	for who, what := range saw {
		require.Equal(t, seen, what, who)
	}
	require.Subset(t, slices.Collect(maps.Keys(saw)), []string{"Pre", "Permission", "Post", "Batch", "Ask", "Outcome", "asked", "settled", "decided", "started", "finished"})
	require.Equal(t, int32(1), asked.Load(), "it is made once")
}

// TestObservedIsMadeWhenItIsAskedFor: a call that nobody observes costs nothing.
func TestObservedIsMadeWhenItIsAskedFor(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	s := session(t, pegboard.SessionConfig{Permissions: rules(t, policy.ModeBypass, policy.RuleSet{Deny: []string{"Other(path:/work)", "Edit(/x)"}, Ask: []string{"Bash"}})})
	pool := registryOf(t, lister(&asked, nil)).AssemblePool(s, pegboard.PoolConfig{})
	out := executor(pegboard.Executor{}).Run(t.Context(), pool, call("1", "ListFolder", `{}`))[0]
	require.NoError(t, out.Err)
	require.Zero(t, asked.Load())
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() { require.JSONEq(t, `{"path":"/work","depth":3,"name":"work"}`, string(out.Call.Observed())) })
	}
	group.Wait()
}

// TestRulesSeeWhatIsObserved compares deny and ask rules on parameters with both forms.
func TestRulesSeeWhatIsObserved(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		rule  string
		allow bool
		input string
		want  bool // it matches
	}{
		{name: "the literal input", rule: "ListFolder(path:src)", input: `{"path":"src"}`, want: true},
		{name: "the observed input", rule: "ListFolder(path:/work/*)", input: `{"path":"src"}`, want: true},
		{name: "neither", rule: "ListFolder(path:/etc/*)", input: `{"path":"src"}`},
		{name: "what the model left out", rule: "ListFolder(path:/work)", input: `{}`, want: true},
		{name: "a default", rule: "ListFolder(depth:3)", input: `{}`, want: true},
		{name: "a default that was not used", rule: "ListFolder(depth:3)", input: `{"depth":2}`},
		{name: "a property that is only observed", rule: "ListFolder(name:src)", input: `{"path":"src"}`, want: true},
		{name: "another value of it", rule: "ListFolder(name:dst)", input: `{"path":"src"}`},
		{name: "an allow rule compares nothing", rule: "ListFolder(path:/work/*)", allow: true, input: `{"path":"src"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int32
			tool := lister(&asked, func(d *pegboard.Definition[listing, string]) { d.Traits.OpenWorld = true })
			decide := func(mode policy.Mode, set policy.RuleSet) policy.Behavior {
				s := session(t, pegboard.SessionConfig{Permissions: rules(t, mode, set)})
				return registryOf(t, tool).AssemblePool(s, pegboard.PoolConfig{}).Decide(t.Context(), call("1", "ListFolder", tt.input)).Behavior
			}
			if tt.allow {
				require.Equal(t, policy.Ask, decide("", policy.RuleSet{Allow: []string{tt.rule}}))
				return
			}
			deny, ask := policy.Allow, policy.Allow
			if tt.want {
				deny, ask = policy.Deny, policy.Ask
			}
			require.Equal(t, deny, decide(policy.ModeBypass, policy.RuleSet{Deny: []string{tt.rule}}))
			require.Equal(t, ask, decide(policy.ModeBypass, policy.RuleSet{Ask: []string{tt.rule}}))
		})
	}
}

// TestRulesWhenNobodyKnowsWhatIsObserved: such a call is never allowed past a rule on a
// parameter.
func TestRulesWhenNobodyKnowsWhatIsObserved(t *testing.T) {
	t.Parallel()
	tool := lister(new(atomic.Int32), func(d *pegboard.Definition[listing, string]) {
		d.Observe = func(listing, *pegboard.Call) map[string]any { panic("oh") }
	})
	s := session(t, pegboard.SessionConfig{Permissions: rules(t, policy.ModeBypass, policy.RuleSet{Deny: []string{"ListFolder(path:/etc/*)"}})})
	pool := registryOf(t, tool, inert("Other")).AssemblePool(s, pegboard.PoolConfig{})
	outs := executor(pegboard.Executor{}).Run(t.Context(), pool, call("1", "ListFolder", `{"path":"src"}`), call("2", "Other", `{}`))
	require.ErrorIs(t, outs[0].Err, pegboard.ErrDenied)
	require.NoError(t, outs[1].Err)
}

// TestHooksReturnWhatTheyObserved replaces the input of calls by what hooks and the user make
// of the observed one.
func TestHooksReturnWhatTheyObserved(t *testing.T) {
	t.Parallel()
	const written = `{"path": "src"}`
	tests := []struct {
		name   string
		change func(observed string) string
		want   string // the input that runs
		times  int    // how often a hook saw the call
	}{
		{name: "unchanged", change: func(o string) string { return o }, want: written, times: 1},
		{name: "nothing", change: func(string) string { return "" }, want: written, times: 1},
		{name: "the model's bytes", change: func(string) string { return written }, want: written, times: 1},
		{
			name:   "one property changed", // what was only observed is not part of the input
			change: func(o string) string { return with(o, "depth", 1) }, want: `{"depth":1,"path":"/work/src"}`, times: 2,
		},
		{
			name:   "what is only observed was changed", // the schema does not have it
			change: func(o string) string { return with(o, "name", "dst") }, times: 1,
		},
	}
	for _, tt := range tests {
		for _, who := range []string{"Pre", "joined", "Permission", "Ask", "Permit"} {
			t.Run(tt.name+" by "+who, func(t *testing.T) {
				t.Parallel()
				var times int
				say := func(b policy.Behavior) func(c *pegboard.Call) (policy.Decision, error) {
					return func(c *pegboard.Call) (policy.Decision, error) {
						times++
						d := policy.Decision{Behavior: b}
						if times == 1 {
							d.Input = json.RawMessage(tt.change(string(c.Observed())))
						}
						return d, nil
					}
				}
				pre := func(_ ctx, h *pegboard.HookCall) (policy.Decision, error) { return say(0)(h.Call) }
				answer := func(_ ctx, q *pegboard.Question) (policy.Decision, error) { return say(policy.Allow)(q.Call) }
				cfg := pegboard.SessionConfig{Permissions: rules(t, "", policy.RuleSet{Ask: []string{"ListFolder"}})}
				want := tt.times
				tool := lister(new(atomic.Int32), func(d *pegboard.Definition[listing, string]) {
					if who == "Permit" {
						d.Permit = func(_ ctx, _ listing, c *pegboard.Call) policy.Decision { d, _ := say(0)(c); return d }
					}
				})
				switch who {
				case "Pre":
					cfg = bypass(t)
					cfg.Hooks.Pre = pre
				case "joined":
					cfg = bypass(t)
					idle := pegboard.Hooks{Pre: func(_ ctx, h *pegboard.HookCall) (policy.Decision, error) {
						return policy.Decision{Input: h.Call.Observed()}, nil // has not changed it either
					}}
					cfg.Hooks = pegboard.JoinHooks(pegboard.Hooks{Pre: pre}, idle)
				case "Permission":
					cfg.Hooks.Permission, want = answer, 1
				case "Ask":
					cfg.Ask, want = answer, 1
				case "Permit":
					cfg = bypass(t)
				}
				pool := registryOf(t, tool).AssemblePool(session(t, cfg), pegboard.PoolConfig{})
				out := executor(pegboard.Executor{}).Run(t.Context(), pool, call("1", "ListFolder", written))[0]
				if tt.want == "" {
					require.Error(t, out.Err)
					require.Equal(t, 1, times)
					return
				}
				require.NoError(t, out.Err)
				require.Equal(t, tt.want, string(out.Call.Input))
				require.Equal(t, tt.want, out.Result.Text())
				require.Equal(t, want, times)
			})
		}
	}
}

// TestAHooksCopyIsNotObserved: a hook that writes into the bytes that it was given changes
// what it sees itself, and no rule.
func TestAHooksCopyIsNotObserved(t *testing.T) {
	t.Parallel()
	cfg := pegboard.SessionConfig{Permissions: rules(t, policy.ModeBypass, policy.RuleSet{Deny: []string{"ListFolder(path:/work/src)"}})}
	var saw string
	cfg.Hooks.Pre = func(_ ctx, h *pegboard.HookCall) (policy.Decision, error) {
		copy(h.Call.Input, `{"path":"dst"}`)
		saw = string(h.Call.Observed())
		return policy.Decision{}, nil
	}
	pool := registryOf(t, lister(new(atomic.Int32), nil)).AssemblePool(session(t, cfg), pegboard.PoolConfig{})
	out := executor(pegboard.Executor{}).Run(t.Context(), pool, call("1", "ListFolder", `{"path":"src"}`))[0]
	require.ErrorIs(t, out.Err, pegboard.ErrDenied)
	require.JSONEq(t, `{"path":"/work/dst","depth":3,"name":"dst"}`, saw)
}

// with returns a JSON object with another value of a property.
func with(object, name string, value any) string {
	var members map[string]any
	if err := json.Unmarshal([]byte(object), &members); err != nil {
		panic(err)
	}
	members[name] = value
	text, err := json.Marshal(members)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// TestForcedDecision: the caller's word in every situation.
func TestForcedDecision(t *testing.T) {
	t.Parallel()
	type set = policy.RuleSet
	hook := func(b policy.Behavior) pegboard.Hooks {
		return pegboard.Hooks{Pre: func(ctx, *pegboard.HookCall) (policy.Decision, error) {
			return policy.Decision{Behavior: b, Reason: "the hook's word"}, nil
		}}
	}
	write := actor{traits: pegboard.Traits{Targets: []policy.Target{pathTo(policy.Write, "f")}}}
	fatal := actor{traits: pegboard.Traits{Targets: []policy.Target{{Kind: policy.Resource, Value: "x", AskReason: "it is the end"}}}}
	protected := actor{traits: pegboard.Traits{Targets: []policy.Target{pathTo(policy.Write, ".git/config")}}}
	reads := actor{traits: pegboard.Traits{ReadOnly: true}}
	own := func(b policy.Behavior) actor {
		return actor{own: policy.Decision{Behavior: b, Reason: "the tool's word"}}
	}
	const deny, ask, allow, none = policy.Deny, policy.Ask, policy.Allow, policy.Undecided
	const caller, mode, rule, tool, byHook = policy.ByCaller, policy.ByMode, policy.ByRule, policy.ByTool, policy.ByHook
	tests := []struct {
		name  string
		force policy.Behavior
		actor actor
		mode  policy.Mode
		set   set
		hooks pegboard.Hooks
		want  policy.Behavior
		by    policy.Decider // unless it is asked
	}{
		{name: "nothing", want: ask},
		{name: "undecided", force: none, want: ask},
		{name: "what is no behavior", force: 9, actor: reads, want: deny, by: caller},

		{name: "deny", force: deny, want: deny, by: caller},
		{name: "deny what an allow rule covers", force: deny, set: set{Allow: []string{"T"}}, want: deny, by: caller},
		{name: "deny in bypass mode", force: deny, mode: policy.ModeBypass, want: deny, by: caller},
		{name: "deny what only reads", force: deny, actor: reads, want: deny, by: caller},
		{name: "deny what a hook allows", force: deny, hooks: hook(allow), want: deny, by: caller},

		{name: "ask", force: ask, actor: reads, want: ask},
		{name: "ask what an allow rule covers", force: ask, set: set{Allow: []string{"T"}}, want: ask},
		{name: "ask in bypass mode", force: ask, mode: policy.ModeBypass, want: ask},
		{name: "ask what a hook allows", force: ask, hooks: hook(allow), want: ask},
		{name: "ask, and a deny rule", force: ask, actor: write, set: set{Deny: []string{"Edit(f)"}}, want: deny, by: rule},
		{name: "ask where nobody is asked", force: ask, actor: reads, mode: policy.ModeDontAsk, want: deny, by: mode},

		{name: "allow", force: allow, want: allow, by: caller},
		{name: "allow an edit", force: allow, actor: write, want: allow, by: caller},
		{name: "allow in mode ask", force: allow, mode: policy.ModeAsk, want: allow, by: caller},
		{name: "allow in auto mode", force: allow, mode: policy.ModeAuto, want: allow, by: caller},
		{name: "allow in plan mode", force: allow, mode: policy.ModePlan, want: allow, by: caller},
		{name: "allow an edit in plan mode", force: allow, actor: write, mode: policy.ModePlan, want: deny, by: mode},
		{name: "allow where nobody is asked", force: allow, mode: policy.ModeDontAsk, want: deny, by: mode},
		{name: "allow in mode deny", force: allow, mode: policy.ModeDeny, want: deny, by: mode},
		{name: "allow, and a deny rule", force: allow, actor: write, set: set{Deny: []string{"Edit(f)"}}, want: deny, by: rule},
		{name: "allow, and an ask rule", force: allow, set: set{Ask: []string{"T"}}, want: ask},
		{name: "allow, and an ask rule that cannot be compared", force: allow, set: set{Ask: []string{"T(x)"}}, want: ask},
		{name: "allow, and an allow rule", force: allow, set: set{Allow: []string{"T"}}, want: allow, by: rule},
		{name: "allow, only a person may", force: allow, actor: actor{user: true}, want: ask},
		{name: "allow what must not happen unseen", force: allow, actor: fatal, want: ask},
		{name: "allow what must not happen unseen, in bypass mode", force: allow, actor: fatal, mode: policy.ModeBypass, want: ask},
		{name: "allow a protected file", force: allow, actor: protected, want: ask},
		{name: "allow, and a hook asks", force: allow, hooks: hook(ask), want: ask},
		{name: "allow, and a hook denies", force: allow, hooks: hook(deny), want: deny, by: byHook},
		{name: "allow, and the tool asks", force: allow, actor: own(ask), want: ask},
		{name: "allow, and the tool denies", force: allow, actor: own(deny), want: deny, by: tool},
		{name: "allow, attached", force: allow, actor: actor{source: "srv"}, want: allow, by: caller},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tc.actor.name = "T"
			s := session(t, pegboard.SessionConfig{Dir: t.TempDir(), Hooks: tc.hooks, Classifier: undecided})
			pool := tc.actor.pool(t, s)
			require.NoError(t, s.SetPermissions(rules(t, tc.mode, tc.set)))
			c := call("1", names(pool)[0], `{}`)
			if tc.name != "nothing" {
				c = pegboard.ForceDecision(c, tc.force, "the caller's word")
			}
			ex := executor(pegboard.Executor{})
			o := ex.Run(t.Context(), pool, c)[0]
			if tc.want == ask {
				require.ErrorIs(t, o.Err, pegboard.ErrNoApprover)
			} else {
				require.Equal(t, tc.want == allow, o.Err == nil, o.Result.Text())
				require.Equal(t, tc.by, o.Decision.By, o.Decision.Reason)
			}
			if tc.by == caller {
				require.Contains(t, o.Decision.Reason, "the caller's word")
			}
			if tc.want == deny && tc.by == caller {
				require.Contains(t, o.Result.Text(), "the caller's word")
			}
			if tc.hooks.Pre == nil { // Decide knows no hooks
				x := pool.ExplainDecision(t.Context(), c)
				require.Equal(t, tc.want, x.Decision.Behavior, x)
				require.Equal(t, x.Decision, pool.Decide(t.Context(), c))
			}
		})
	}
}

// TestForcedAskIsAnswered by the person, who sees the reason, and not by the classifier.
func TestForcedAskIsAnswered(t *testing.T) {
	t.Parallel()
	var asked []*pegboard.Question
	s := session(t, pegboard.SessionConfig{Permissions: rules(t, policy.ModeAuto, policy.RuleSet{Allow: []string{"T"}}),
		Classifier: always(policy.Deny), Ask: answering(&asked, policy.Decision{Behavior: policy.Allow}, nil)})
	a := actor{name: "T"}
	ex := executor(pegboard.Executor{})
	o := ex.Run(t.Context(), a.pool(t, s), pegboard.ForceDecision(call("1", "T", ``), policy.Ask, "it looks odd"))[0]
	require.NoError(t, o.Err)
	require.Equal(t, policy.ByPerson, o.Decision.By)
	require.Len(t, asked, 1)
	require.Equal(t, "it looks odd", asked[0].Reason)
}

// TestForcedAllowIsAboutItsBytes: an input that was changed, by whomever, is decided anew.
func TestForcedAllowIsAboutItsBytes(t *testing.T) {
	t.Parallel()
	other := []byte(`{"k":2}`)
	hooked := pegboard.Hooks{Pre: func(_ ctx, h *pegboard.HookCall) (policy.Decision, error) {
		return policy.Decision{Input: other}, nil
	}}
	tests := []struct {
		name   string
		hooks  pegboard.Hooks
		change func(c *pegboard.Call)
		force  policy.Behavior
		want   string
	}{
		{name: "unchanged", force: policy.Allow, want: "allow"},
		{name: "a hook changes it", hooks: hooked, force: policy.Allow, want: "ask"},
		{name: "a hook changes what is denied", hooks: hooked, force: policy.Deny, want: "deny"},
		{name: "the caller changes it afterwards", change: func(c *pegboard.Call) { c.Input = other }, force: policy.Allow, want: "ask"},
		{name: "the caller changes the bytes afterwards", change: func(c *pegboard.Call) { c.Input[5] = '2' }, force: policy.Allow, want: "ask"},
		{name: "the caller changes the name afterwards", change: func(c *pegboard.Call) { c.Name = "Old" }, force: policy.Allow, want: "ask"},
		{name: "the caller changes what is denied afterwards", change: func(c *pegboard.Call) { c.Input, c.Name = other, "Old" }, force: policy.Deny, want: "deny"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			a := actor{name: "T", aliases: []string{"Old"}}
			pool := a.pool(t, session(t, pegboard.SessionConfig{Hooks: tc.hooks}))
			c := pegboard.ForceDecision(call("1", "T", `{"k":1}`), tc.force, "")
			if tc.change != nil {
				tc.change(&c)
			}
			v := judgeCall(t, pool, c)
			require.Equal(t, tc.want, v.behavior.String())
			require.NotEmpty(t, v.reason)
		})
	}
}

// TestForcedAllowIsForTheMainAgentsModel: a tool that makes calls, and a fork, allow
// nothing with it, but a refusal holds there.
func TestForcedAllowIsForTheMainAgentsModel(t *testing.T) {
	t.Parallel()
	for _, b := range []policy.Behavior{policy.Allow, policy.Ask, policy.Deny} {
		s := session(t, pegboard.SessionConfig{Permissions: rules(t, "", policy.RuleSet{Allow: []string{"Free"}})})
		var inner []pegboard.Outcome
		outer := pegboard.Build(pegboard.Definition[struct{}, string]{
			Info: pegboard.Info{Name: "Script"}, Description: "Makes calls.", Traits: pegboard.Traits{ReadOnly: true},
			Call: func(ctx context.Context, _ struct{}, c *pegboard.Call) (string, error) {
				inner = c.Run(ctx, pegboard.ForceDecision(call("i", "T", ``), b, "my word"), pegboard.ForceDecision(call("j", "Free", ``), b, "my word"))
				return "", nil
			},
		})
		reg := registryOf(t, outer, inert("T"), inert("Free"))
		require.NoError(t, run(t, reg, s, call("1", "Script", ``)).Err)
		fork := forked(t, s, pegboard.SessionConfig{})
		ex := executor(pegboard.Executor{})
		for _, out := range [][]pegboard.Outcome{inner, ex.Run(t.Context(), reg.AssemblePool(fork, pegboard.PoolConfig{}),
			pegboard.ForceDecision(call("i", "T", ``), b, "my word"), pegboard.ForceDecision(call("j", "Free", ``), b, "my word"))} {
			require.ErrorIs(t, out[0].Err, pegboard.ErrDenied)
			require.Equal(t, b == policy.Deny, out[0].Decision.By == policy.ByCaller)
			require.Equal(t, b == policy.Allow, out[1].Err == nil, "the rule allows it")
		}
		d := reg.AssemblePool(fork, pegboard.PoolConfig{}).Decide(t.Context(), pegboard.ForceDecision(call("i", "T", ``), b, ""))
		require.Equal(t, max(b, policy.Ask), d.Behavior)
	}
}

// TestForcedAllowAnswersNoLoop: the caller did not know that the call repeats.
func TestForcedAllowAnswersNoLoop(t *testing.T) {
	t.Parallel()
	s := session(t, pegboard.SessionConfig{Breaker: pegboard.BreakerLimits{Repeats: 3}})
	pool, ex := registryOf(t, inert("T")).AssemblePool(s, pegboard.PoolConfig{}), executor(pegboard.Executor{})
	for i := range 3 {
		o := ex.Run(t.Context(), pool, pegboard.ForceDecision(call("1", "T", `{}`), policy.Allow, "again"))[0]
		require.Equal(t, i < 2, o.Err == nil)
	}
}

// TestForcedDecisionInAStream is the same.
func TestForcedDecisionInAStream(t *testing.T) {
	t.Parallel()
	s := session(t, pegboard.SessionConfig{})
	ex := executor(pegboard.Executor{})
	st := ex.Stream(t.Context(), registryOf(t, inert("T")).AssemblePool(s, pegboard.PoolConfig{}))
	st.Submit(pegboard.ForceDecision(call("1", "T", ``), policy.Allow, "yes"))
	st.Submit(call("2", "T", ``))
	st.Finish(pegboard.FinishToolCalls)
	var errs []error
	for o := range st.Outcomes() {
		errs = append(errs, o.Err)
	}
	require.NoError(t, errs[0])
	require.ErrorIs(t, errs[1], pegboard.ErrNoApprover)
}

// TestForcedDecisionNeverOverridesARestriction: whatever the rules, mode and tool are, it
// turns no denial into anything else and answers no question but that no rule allows the
// call, or that the mode asks.
func TestForcedDecisionNeverOverridesARestriction(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	allowed, stood := 0, 0
	for seed := range effort.Of(t, uint64(3000)) {
		d := dice{rand.New(rand.NewPCG(seed, 32)), []string{dir, dir, filepath.Dir(dir)}}
		a, p, said := d.actor(), d.policy(t), d.opinion()
		force := one(d, policy.Allow, policy.Allow, policy.Ask, policy.Deny)
		s := session(t, pegboard.SessionConfig{Dir: dir, Classifier: undecided, Hooks: pegboard.Hooks{Pre: func(ctx, *pegboard.HookCall) (policy.Decision, error) { return said, nil }}})
		pool := a.pool(t, s)
		require.NoError(t, s.SetPermissions(p))
		c := call("1", names(pool)[0], ``)
		base, got := judgeCall(t, pool, c), judgeCall(t, pool, pegboard.ForceDecision(c, force, "forced"))
		at := []any{"seed %d: %+v, forced %v under %v\n%s\n%s", seed, a.traits, force, p, base.reason, got.reason}
		switch {
		case force != policy.Allow:
			require.GreaterOrEqual(t, got.behavior, max(base.behavior, force), at...)
		case base.behavior != policy.Ask || base.rule != "" || a.user || cautious(&a) || said.Behavior == policy.Ask || a.own.Behavior == policy.Ask:
			require.Equal(t, base, got, at...)
			stood++
		case got.behavior == policy.Allow:
			allowed++
		}
		require.GreaterOrEqual(t, got.behavior, policy.Allow, at...)
	}
	if effort.Full(t) {
		require.Greater(t, min(allowed, stood), 50)
	}
}
