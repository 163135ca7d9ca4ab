package agents_test

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/tools/agents"
)

// TestHookEndsItsGoroutine: a hook that panics or ends its goroutine changes nothing.
func TestHookEndsItsGoroutine(t *testing.T) {
	t.Parallel()
	ends := map[string]func(){"a panic": func() { panic("boom") }, "the end of its goroutine": runtime.Goexit}
	for name, end := range ends {
		hooks := map[string]agents.Hooks{
			"start": {Start: func(context.Context, *agents.Agent) (string, error) { end(); return "", nil }},
			"stop":  {Stop: func(context.Context, agents.Ending) (string, error) { end(); return "", nil }},
		}
		for hook, with := range hooks {
			t.Run(hook+": "+name, func(t *testing.T) {
				t.Parallel()
				h := newHouse(t, pegboard.SessionConfig{}, says("Fine."), func(o *agents.Options) { o.Hooks = with }, look())
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				r, err := h.agents.Start(ctx, h.session, agents.Request{Prompt: "Do it."})
				require.NoError(t, err)
				require.Equal(t, "Fine.", r.Text())
			})
		}
	}
}

// TestPreparationEndsItsGoroutine: an agent whose preparation ends with its goroutine takes no
// place among those that run.
func TestPreparationEndsItsGoroutine(t *testing.T) {
	t.Parallel()
	ends := false
	tool := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Change"}, Description: "Changes.",
		Enabled: func(s *pegboard.Session) bool {
			if ends && s != nil && len(s.AgentPath()) > 0 {
				runtime.Goexit()
			}
			return true
		},
		Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { return "changed", nil },
	})
	h := newHouse(t, pegboard.SessionConfig{}, says("Fine."), func(o *agents.Options) { o.MaxRunning = 1 }, tool)
	require.NoError(t, h.call(t, map[string]any{"name": "anna"}).Err)
	ends = true
	require.ErrorIs(t, h.call(t, nil).Err, pegboard.ErrPanic)
	require.ErrorIs(t, h.sendMessage(t, "anna").Err, pegboard.ErrPanic)
	ends = false
	require.NoError(t, h.call(t, nil).Err)
	require.NoError(t, h.sendMessage(t, "anna").Err)
}

// TestStartAtClose: an agent that is started while its caller's session is closed ends with it,
// and Close has no trouble.
func TestStartAtClose(t *testing.T) {
	t.Parallel()
	for i := range effort.Of(t, 200) {
		var loops sync.WaitGroup
		h := newHouse(t, pegboard.SessionConfig{}, func(ctx context.Context, _ *agents.Agent) (agents.Reply, error) {
			loops.Add(1)
			defer loops.Done()
			<-ctx.Done()
			return agents.Reply{Text: "Done."}, nil
		}, nil, look())
		var start sync.WaitGroup
		start.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			_, err := h.agents.Start(ctx, h.session, agents.Request{Prompt: "Do it."})
			if err == nil || ctx.Err() != nil {
				t.Errorf("it was not ended by Close: %v", err)
			}
		})
		time.Sleep(time.Duration(i%20) * 20 * time.Microsecond)
		require.NoError(t, h.session.Close(t.Context()))
		loops.Wait() // none begins after Close
		start.Wait()
	}
}
