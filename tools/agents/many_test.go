package agents_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/agents"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// TestManyEndWhileInterrupted: of a hundred agents that end, are interrupted and are moved to the
// background in the same moment, each call has one outcome, each agent one end, and nothing stays.
func TestManyEndWhileInterrupted(t *testing.T) {
	t.Parallel()
	const many = 100
	dir := t.TempDir()
	var h *house
	h = newHouse(t, pegboard.SessionConfig{}, func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
		if _, err := a.Next(ctx, agents.Usage{}); err != nil {
			return agents.Reply{}, err
		}
		pool, err := a.Pool()
		if err != nil {
			return agents.Reply{}, err
		}
		if len(a.Session.AgentPath()) == 1 && rand.IntN(2) == 0 { //nolint:gosec // a test
			nested := tooltest.Call("Agent", `{"description":"d","prompt":"p"}`)
			if rand.IntN(2) == 0 { //nolint:gosec // a test
				nested = tooltest.Call("Agent", `{"description":"d","prompt":"p","run_in_background":true}`)
			}
			time.AfterFunc(time.Duration(rand.IntN(20))*time.Millisecond, func() { h.agents.ToBackground(a.Session) }) //nolint:gosec // a test
			new(pegboard.Executor).Run(ctx, pool, nested)
		}
		select {
		case <-time.After(time.Duration(rand.IntN(60)) * time.Millisecond): //nolint:gosec // a test
		case <-ctx.Done():
			return agents.Reply{}, context.Cause(ctx)
		}
		return agents.Reply{Text: "done"}, nil
	}, func(o *agents.Options) { o.Dir, o.MaxRunning = dir, 3*many }, look())
	h.executor.MaxParallel = many
	var calls []pegboard.Call
	for i := range many {
		c := agentCall(t, map[string]any{"run_in_background": i%4 == 0})
		c.ID = fmt.Sprint(i)
		calls = append(calls, c)
	}
	outcomes := make(chan []pegboard.Outcome, 1)
	go func() { outcomes <- h.run(t.Context(), calls...) }()
	for range 10 {
		time.Sleep(10 * time.Millisecond)
		h.agents.ToBackground(h.session)
		h.session.Interrupt(nil)
	}
	got := <-outcomes
	require.Len(t, got, many)
	require.Eventually(t, func() bool {
		for _, s := range h.agents.List(h.session) {
			if s.State == agents.Running {
				return false
			}
		}
		return true
	}, time.Minute, 10*time.Millisecond)
	require.NoError(t, h.session.Close(t.Context()))
	later := newHouse(t, pegboard.SessionConfig{}, says("x"), func(o *agents.Options) { o.Dir = dir }, look())
	for _, s := range later.agents.List(later.session) {
		require.NotEqual(t, agents.Running, s.State, s.ID)
		require.NotEqual(t, agents.Lost, s.State, s.ID)
	}
}
