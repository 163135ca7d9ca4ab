package pegboard_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// TestIdentityTellsCallsApart whose ids are equal or missing, whose tool is unknown, that
// wait for each other, and that another call makes.
func TestIdentityTellsCallsApart(t *testing.T) {
	t.Parallel()
	hooked := map[any]int{}
	cfg := bypass(t)
	cfg.Hooks.Pre = func(_ context.Context, h *pegboard.HookCall) (pegboard.Decision, error) {
		if h.Call.Identity() != h.Identity() {
			return pegboard.Decision{Behavior: pegboard.Deny}, nil
		}
		hooked[h.Identity()]++
		return pegboard.Decision{}, nil
	}
	waiting := make(chan struct{})
	var parent, child any
	tool := func(name string, f func(ctx context.Context, c *pegboard.Call)) pegboard.Tool {
		return pegboard.Build(pegboard.Definition[struct{}, string]{
			Info: pegboard.Info{Name: name}, Description: "For a test.",
			Call: func(ctx context.Context, _ struct{}, c *pegboard.Call) (string, error) {
				f(ctx, c)
				return "", nil
			},
		})
	}
	pool := registryOf(t,
		tool("Outer", func(ctx context.Context, c *pegboard.Call) {
			<-waiting
			c.Run(ctx, call("", "Inner", `{}`))
		}),
		tool("Inner", func(_ context.Context, c *pegboard.Call) {
			if c.Parent() != nil {
				parent, child = c.Parent().Identity(), c.Identity()
			}
		}),
	).AssemblePool(session(t, cfg), pegboard.PoolConfig{})
	events := map[any][]pegboard.EventKind{}
	var order, held []any
	var mu sync.Mutex // batches do not wait for each other
	ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) {
		mu.Lock()
		defer mu.Unlock()
		id := e.Call.Identity()
		switch e.Kind {
		case pegboard.EventAdmitted:
			order = append(order, id)
		case pegboard.EventWaiting:
			if held = append(held, e.WaitsFor.Identity()); len(held) == 1 {
				close(waiting)
			}
		}
		events[id] = append(events[id], e.Kind)
	}})
	outs := ex.Run(t.Context(), pool, call("1", "Outer", `{}`), call("1", "Outer", `{}`), call("", "Inner", `{}`), call("", "Nothing", `{}`))
	require.NoError(t, outs[0].Err)
	require.Len(t, events, 5)
	require.NotContains(t, events, any(nil))
	for _, kinds := range events {
		require.Equal(t, pegboard.EventAdmitted, kinds[0])
		require.Equal(t, pegboard.EventFinished, kinds[len(kinds)-1])
		require.NotContains(t, kinds[1:len(kinds)-1], pegboard.EventFinished)
	}
	require.Same(t, order[0], parent, "the call that makes another one")
	require.Same(t, order[4], child, "the call that it makes")
	require.Same(t, order[0], held[0], "the call that another one waits for")
	require.Len(t, hooked, 3)

	var none pegboard.Call
	require.Nil(t, none.Identity())
	_, rebuilt, err := pool.Rebuild(call("1", "Inner", `{}`))
	require.NoError(t, err)
	require.Nil(t, rebuilt.Identity())
}

// TestNamesTool knows names and aliases of tools, also of those that are left out.
func TestNamesTool(t *testing.T) {
	t.Parallel()
	cfg := bypass(t)
	perms, err := cfg.Permissions.WithRules(pegboard.RuleSet{Deny: []string{"Hidden"}})
	require.NoError(t, err)
	cfg.Permissions = perms
	tool := func(name string, aliases ...string) pegboard.Tool {
		return pegboard.Build(pegboard.Definition[struct{}, string]{
			Info: pegboard.Info{Name: name, Aliases: aliases}, Description: "For a test.",
			Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { return "", nil },
		})
	}
	pool := registryOf(t, tool("Shown", "S"), tool("Hidden", "H")).AssemblePool(session(t, cfg), pegboard.PoolConfig{})
	want := map[string]bool{"Shown": true, "S": true, "Hidden": true, "H": true, "shown": false, "secret words": false}
	got := map[string]bool{}
	ex := executor(pegboard.Executor{})
	for name := range want {
		got[name] = ex.Run(t.Context(), pool, call("1", name, `{}`))[0].Call.NamesTool()
	}
	require.Equal(t, want, got)
	c := call("1", "Anything", `{}`)
	require.True(t, c.NamesTool(), "a call of the host")
}
