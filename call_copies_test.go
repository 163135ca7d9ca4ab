package pegboard_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// Two inputs of one length: the one that is decided, and one that a hook writes over it.
const (
	decided = `{"p":"good"}`
	written = `{"p":"evil"}`
)

// echo returns a tool that answers with the bytes it runs on and writes the path
// in them. permit, if not nil, is its own opinion.
func echo(t testing.TB, permit func(in json.RawMessage) pegboard.Decision) pegboard.Tool {
	t.Helper()
	if permit == nil {
		permit = func(json.RawMessage) pegboard.Decision { return pegboard.Decision{} }
	}
	schema := json.RawMessage(`{"type":"object","properties":{"p":{"type":"string"}}}`)
	tool, err := pegboard.BuildRaw(schema, pegboard.Definition[json.RawMessage, *pegboard.Result]{
		Info: pegboard.Info{Name: "Echo"}, Description: "For a test.",
		Inspect: func(in json.RawMessage, _ *pegboard.Call) pegboard.Traits {
			var v struct{ P string }
			if json.Unmarshal(in, &v) != nil {
				return pegboard.Traits{}
			}
			return pegboard.Traits{Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Value: v.P}}}
		},
		Permit: func(_ ctx, in json.RawMessage, _ *pegboard.Call) pegboard.Decision { return permit(in) },
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
	yes := pegboard.Decision{Behavior: pegboard.Allow}
	scribble := func(c *pegboard.Call) { copy(c.Input, written) }
	tests := []struct {
		name string
		set  func(*pegboard.SessionConfig, *pegboard.Executor)
	}{
		{name: "asker", set: func(cfg *pegboard.SessionConfig, _ *pegboard.Executor) {
			cfg.Ask = func(_ ctx, q *pegboard.Question) (pegboard.Decision, error) { scribble(q.Call); return yes, nil }
		}},
		{name: "hook before", set: func(cfg *pegboard.SessionConfig, _ *pegboard.Executor) {
			cfg.Hooks.Pre = func(_ ctx, h *pegboard.HookCall) (pegboard.Decision, error) { scribble(h.Call); return yes, nil }
		}},
		{name: "hook that answers", set: func(cfg *pegboard.SessionConfig, _ *pegboard.Executor) {
			cfg.Hooks.Permission = func(_ ctx, q *pegboard.Question) (pegboard.Decision, error) { scribble(q.Call); return yes, nil }
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
				Permissions: rules(t, "", pegboard.RuleSet{Deny: []string{"Edit(/evil)"}}),
				Ask:         func(ctx, *pegboard.Question) (pegboard.Decision, error) { return yes, nil },
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
	type change = func(now json.RawMessage) pegboard.Decision
	tests := []struct {
		name string
		set  func(cfg *pegboard.SessionConfig, tool *change, by change)
	}{
		{name: "hook", set: func(cfg *pegboard.SessionConfig, _ *change, by change) {
			cfg.Hooks.Pre = func(_ ctx, h *pegboard.HookCall) (pegboard.Decision, error) { return by(h.Call.Input), nil }
		}},
		{name: "tool", set: func(_ *pegboard.SessionConfig, tool *change, by change) { *tool = by }},
		{name: "asker", set: func(cfg *pegboard.SessionConfig, _ *change, by change) {
			cfg.Ask = func(_ ctx, q *pegboard.Question) (pegboard.Decision, error) { return by(q.Call.Input), nil }
		}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			buffer := []byte(decided)
			cfg := pegboard.SessionConfig{Permissions: rules(t, "", pegboard.RuleSet{Deny: []string{"Edit(/evil)"}})}
			var tool change
			tc.set(&cfg, &tool, func(now json.RawMessage) pegboard.Decision {
				d := pegboard.Decision{Behavior: pegboard.Allow}
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
		Ask: func(_ ctx, q *pegboard.Question) (pegboard.Decision, error) {
			asked = append(asked, string(q.Call.Input))
			if len(asked) > 1 {
				return pegboard.Decision{Behavior: pegboard.Deny}, nil
			}
			return pegboard.Decision{Behavior: pegboard.Allow, Input: buffer}, nil
		},
		Hooks: pegboard.Hooks{Pre: func(_ ctx, h *pegboard.HookCall) (pegboard.Decision, error) {
			if string(h.Call.Input) != decided {
				return pegboard.Decision{}, nil
			}
			copy(buffer, written)
			return pegboard.Decision{Input: json.RawMessage(written)}, nil
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
		set  pegboard.RuleSet
	}{
		{name: "deny", set: pegboard.RuleSet{Deny: only}},
		{name: "ask", set: pegboard.RuleSet{Ask: only}},
		{name: "allow", set: pegboard.RuleSet{Allow: only}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			pool := registryOf(t, inert("T")).AssemblePool(session(t, pegboard.SessionConfig{}), pegboard.PoolConfig{})
			p := rules(t, "", tc.set)
			require.NoError(t, pool.Session().SetPermissions(p))
			decorate := func(d *pegboard.Decision) { d.Rule.Tool, d.Rule.Behavior = "T (shown)", pegboard.Undecided }
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
	cfg := pegboard.SessionConfig{Hooks: pegboard.Hooks{Pre: func(ctx, *pegboard.HookCall) (pegboard.Decision, error) {
		copy(c.Input, `{"path":"b"}`)
		return pegboard.Decision{}, nil
	}}}
	out := run(t, &reg, session(t, cfg), c)
	require.Equal(t, "a", out.Result.Text())
	require.JSONEq(t, `{"path":"a"}`, string(out.Call.Input))
}
