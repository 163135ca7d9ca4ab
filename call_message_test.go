package pegboard_test

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// observed is a tool that notes what f reads of its call in each stage.
func observed(name string, f func(c *pegboard.Call) any, notes map[string]any) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: name}, Description: "For a test.",
		Inspect: func(_ struct{}, c *pegboard.Call) pegboard.Traits {
			notes[name+" Inspect"] = f(c)
			return pegboard.Traits{}
		},
		Validate: func(_ context.Context, _ struct{}, c *pegboard.Call) error {
			notes[name+" Validate"] = f(c)
			return nil
		},
		Permit: func(_ context.Context, _ struct{}, c *pegboard.Call) pegboard.Decision {
			notes[name+" Permit"] = f(c)
			return pegboard.Decision{}
		},
		Call: func(ctx context.Context, _ struct{}, c *pegboard.Call) (string, error) {
			notes[name+" Call"] = f(c)
			if name == "Outer" {
				c.Run(ctx, call("inner", "Inner", `{}`))
			}
			return "", nil
		},
	})
}

// TestCallKnowsTheMessageThatAsked in all stages, also a call that another one makes.
func TestCallKnowsTheMessageThatAsked(t *testing.T) {
	t.Parallel()
	type message struct{ id string }
	notes := map[string]any{}
	f := func(c *pegboard.Call) any { return c.Message() }
	pool := registryOf(t, observed("Outer", f, notes), observed("Inner", f, notes)).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{})
	want := map[string]any{}
	m := &message{"msg_1"}
	for _, tool := range []string{"Outer", "Inner"} {
		for _, stage := range []string{"Inspect", "Validate", "Permit", "Call"} {
			want[tool+" "+stage] = m
		}
	}
	ex := executor(pegboard.Executor{})
	outs := ex.Run(pegboard.WithMessage(t.Context(), m), pool, call("1", "Outer", `{}`))
	require.NoError(t, outs[0].Err)
	require.Equal(t, want, notes)
	require.Same(t, m, outs[0].Call.Message())

	clear(notes)
	st := ex.Stream(pegboard.WithMessage(t.Context(), m), pool)
	st.Submit(call("1", "Outer", `{}`))
	st.Finish(pegboard.FinishToolCalls)
	for o := range st.Outcomes() {
		require.NoError(t, o.Err)
	}
	require.Equal(t, want, notes)
}

// TestCallWithoutAMessage has none: the host gave none, no executor admitted it, or it was
// made again elsewhere.
func TestCallWithoutAMessage(t *testing.T) {
	t.Parallel()
	notes := map[string]any{}
	pool := registryOf(t, observed("T", func(c *pegboard.Call) any { return c.Message() }, notes)).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{})
	ex := executor(pegboard.Executor{})
	require.NoError(t, ex.Run(t.Context(), pool, call("1", "T", `{}`))[0].Err)
	require.Equal(t, map[string]any{"T Inspect": nil, "T Validate": nil, "T Permit": nil, "T Call": nil}, notes)

	bare := call("1", "T", `{}`)
	require.Nil(t, bare.Message())
	_, again, err := pool.Rebuild(bare)
	require.NoError(t, err)
	require.Nil(t, again.Message())
	require.Nil(t, again.Parent())
}

// TestAgentInsideACallHasMessagesOfItsOwn: the message of the outer agent is not that of the
// calls of an agent that a tool runs.
func TestAgentInsideACallHasMessagesOfItsOwn(t *testing.T) {
	t.Parallel()
	notes := map[string]any{}
	ex := executor(pegboard.Executor{})
	inner := registryOf(t, observed("T", func(c *pegboard.Call) any { return c.Message() }, notes)).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{})
	agent := plain("Agent", func(ctx context.Context, _ struct{}, _ *pegboard.Call) (string, error) {
		ex.Run(ctx, inner, call("1", "T", `{}`))
		return "", nil
	})
	outer := registryOf(t, agent).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{})
	require.NoError(t, ex.Run(pegboard.WithMessage(t.Context(), "outer"), outer, call("1", "Agent", `{}`))[0].Err)
	require.Contains(t, notes, "T Call")
	require.Nil(t, notes["T Call"])
}

// TestOuterCallIsKnownInEachStage of a call that another one makes.
func TestOuterCallIsKnownInEachStage(t *testing.T) {
	t.Parallel()
	notes := map[string]any{}
	f := func(c *pegboard.Call) any {
		if c.Parent() == nil {
			return nil
		}
		return c.Parent().ID
	}
	pool := registryOf(t, observed("Outer", f, notes), observed("Inner", f, notes)).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{})
	require.NoError(t, executor(pegboard.Executor{}).Run(t.Context(), pool, call("out", "Outer", `{}`))[0].Err)
	require.Equal(t, map[string]any{
		"Outer Inspect": nil, "Outer Validate": nil, "Outer Permit": nil, "Outer Call": nil,
		"Inner Inspect": "out", "Inner Validate": "out", "Inner Permit": "out", "Inner Call": "out",
	}, notes)
}

// TestCallFromATextIsMarked in each stage, in events and in its outcome, and decided like
// any other.
func TestCallFromATextIsMarked(t *testing.T) {
	t.Parallel()
	notes := map[string]any{}
	cfg := pegboard.SessionConfig{Permissions: rules(t, "", pegboard.RuleSet{Allow: []string{"T"}})}
	cfg.Hooks.Pre = func(_ context.Context, h *pegboard.HookCall) (pegboard.Decision, error) {
		notes["Pre"] = h.Call.FromText
		return pegboard.Decision{}, nil
	}
	pool := registryOf(t, observed("T", func(c *pegboard.Call) any { return c.FromText }, notes), inert("Other")).AssemblePool(session(t, cfg), pegboard.PoolConfig{})
	ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) { notes[e.Kind.String()] = e.Call.FromText }, Invoke: func(ctx context.Context, tool pegboard.Tool, c *pegboard.Call) (*pegboard.Result, error) {
		return tool.Call(ctx, c)
	}})
	written := call("1", "T", `{}`)
	written.FromText = true
	out := ex.Run(t.Context(), pool, written)[0]
	require.NoError(t, out.Err)
	require.True(t, out.Call.FromText)
	for what, marked := range notes {
		require.Equal(t, true, marked, what)
	}
	require.Subset(t, slices.Collect(maps.Keys(notes)), []string{"T Inspect", "T Validate", "T Permit", "T Call", "Pre", "admitted", "decided", "started", "finished"})

	written.Name = "Other"
	require.ErrorIs(t, ex.Run(t.Context(), pool, written)[0].Err, pegboard.ErrDenied)
}

// TestTurnOfACall is that of the message, in a session that suspends and in any other. A call
// inside another one has none.
func TestTurnOfACall(t *testing.T) {
	t.Parallel()
	turns := func(cfg pegboard.SessionConfig, ctx context.Context) (of map[string]any) {
		of = map[string]any{}
		inner := observed("Inner", func(c *pegboard.Call) any { return c.Turn() }, of)
		outer := plain("Outer", func(ctx context.Context, _ struct{}, c *pegboard.Call) (string, error) {
			of["Outer"] = c.Turn()
			return "", c.Run(ctx, call("1", "Inner", `{}`))[0].Err
		})
		cfg.Permissions = bypass(t).Permissions
		ex := executor(pegboard.Executor{})
		require.NoError(t, ex.Run(ctx, registryOf(t, inner, outer).AssemblePool(session(t, cfg), pegboard.PoolConfig{}), call("1", "Outer", `{}`))[0].Err)
		require.Empty(t, of["Inner Call"])
		return of
	}
	named := pegboard.WithTurn(t.Context(), "m7")
	require.Empty(t, turns(pegboard.SessionConfig{}, t.Context())["Outer"])
	require.Equal(t, "m7", turns(pegboard.SessionConfig{}, named)["Outer"])
	journal, err := pegboard.NewFileJournal(t.TempDir())
	require.NoError(t, err)
	suspends := func() pegboard.SessionConfig {
		return pegboard.SessionConfig{ID: "s", Suspend: &pegboard.Suspending{Key: bytes.Repeat([]byte("k"), 32), Journal: journal}}
	}
	require.Equal(t, "m7", turns(suspends(), named)["Outer"])
	require.NotEmpty(t, turns(suspends(), t.Context())["Outer"], "the name that was made")
	bare := call("1", "T", `{}`)
	require.Empty(t, bare.Turn())
}
