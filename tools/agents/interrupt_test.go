package agents_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/agents"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// work returns a tool that takes ten seconds, or as long as its context, and says which.
func work() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Grep"}, Description: "Works.", Traits: pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared},
		Call: func(ctx context.Context, _ struct{}, _ *pegboard.Call) (string, error) {
			select {
			case <-time.After(10 * time.Second):
				return "done", nil
			case <-ctx.Done():
				return "", context.Cause(ctx)
			}
		},
	})
}

// TestInterruptReachesAgentsThatAreWaitedFor: a message of the user stops the calls of agents that
// calls of the main session wait for, and of no agent in the background: one that was started
// there, one that was moved, and those that Go code has started beside the calls.
func TestInterruptReachesAgentsThatAreWaitedFor(t *testing.T) {
	t.Parallel()
	working := func(failed chan<- error) agents.Loop {
		return func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
			if _, err := a.Next(ctx, agents.Usage{}); err != nil {
				return agents.Reply{}, err
			}
			pool, err := a.Pool()
			if err != nil {
				return agents.Reply{}, err
			}
			out := new(pegboard.Executor).Run(ctx, pool, tooltest.Call("Grep", `{}`))[0]
			failed <- out.Err
			return agents.Reply{Text: "worked"}, context.Cause(ctx)
		}
	}
	tests := []struct {
		name    string
		start   func(t *testing.T, h *house)
		stopped bool
	}{
		{name: "a call that waits", stopped: true, start: func(t *testing.T, h *house) {
			t.Helper()
			call := agentCall(t, nil)
			go h.run(t.Context(), call)
		}},
		{name: "a call in the background", start: func(t *testing.T, h *house) {
			t.Helper()
			require.NoError(t, h.call(t, map[string]any{"run_in_background": true}).Err)
		}},
		{name: "a call that was moved", start: func(t *testing.T, h *house) {
			t.Helper()
			call := agentCall(t, nil)
			go h.run(t.Context(), call)
			synctest.Wait()
			require.Equal(t, 1, h.agents.ToBackground(h.session))
		}},
		{name: "a fork in the background", start: func(t *testing.T, h *house) {
			t.Helper()
			require.NoError(t, h.call(t, map[string]any{"subagent_type": "fork", "run_in_background": true}).Err)
		}},
		{name: "code beside the calls", start: func(t *testing.T, h *house) {
			t.Helper()
			go func() { _, _ = h.agents.Start(t.Context(), h.session, agents.Request{Prompt: "p"}) }()
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				failed := make(chan error, 1)
				h := newHouse(t, pegboard.SessionConfig{}, working(failed), func(o *agents.Options) { o.Forks = true }, work())
				tt.start(t, h)
				time.Sleep(time.Second)
				h.session.Interrupt(pegboard.ErrNewMessage)
				err := <-failed
				if tt.stopped {
					require.ErrorIs(t, err, pegboard.ErrNewMessage)
				} else {
					require.NoError(t, err)
				}
				synctest.Wait()
			})
		})
	}
}

// TestStartEndsWithItsContext: what Go code waits for ends with its context, also where the cause
// is a message of the user, for which the agent's tools would not stop.
func TestStartEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		failed := make(chan error, 1)
		h := newHouse(t, pegboard.SessionConfig{}, func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
			pool, err := a.Pool()
			if err != nil {
				return agents.Reply{}, err
			}
			failed <- new(pegboard.Executor).Run(ctx, pool, tooltest.Call("Grep", `{}`))[0].Err
			return agents.Reply{}, context.Cause(ctx)
		}, nil, work())
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(pegboard.ErrNewMessage) })
		began := time.Now()
		_, err := h.agents.Start(ctx, h.session, agents.Request{Prompt: "p"})
		require.ErrorIs(t, err, pegboard.ErrNewMessage)
		require.Equal(t, time.Second, time.Since(began))
		require.ErrorIs(t, <-failed, pegboard.ErrNewMessage)
	})
}
