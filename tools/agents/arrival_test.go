package agents_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/agents"
)

// TestLettersArrive: an agent and the main agent that wait for anything, as Sleep does, are woken by
// a message, and by one that came before they waited.
func TestLettersArrive(t *testing.T) {
	t.Parallel()
	for _, place := range []string{"in memory", "on disk"} {
		for _, early := range []bool{false, true} {
			name := place + ", while it waits"
			if early {
				name = place + ", before it waits"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				ready, proceed := make(chan struct{}), make(chan struct{})
				var h *house
				h = newHouse(t, pegboard.SessionConfig{}, func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
					if _, err := a.Next(ctx, agents.Usage{}); err != nil {
						return agents.Reply{}, err
					}
					close(ready)
					if early {
						<-proceed
					}
					select {
					case <-a.Session.Notified():
					case <-ctx.Done():
						return agents.Reply{}, context.Cause(ctx)
					}
					parts, err := a.Next(ctx, agents.Usage{})
					if err != nil || len(parts) == 0 {
						return agents.Reply{Text: "woken for nothing"}, err
					}
					select {
					case <-a.Session.Notified():
						return agents.Reply{Text: "woken again for nothing"}, nil
					default:
					}
					if out := h.sendAs(t, a, "main", "I have read it"); out.Err != nil {
						return agents.Reply{}, out.Err
					}
					<-ctx.Done() // so that no report wakes the main agent
					return agents.Reply{}, context.Cause(ctx)
				}, func(o *agents.Options) {
					if place == "on disk" {
						o.Dir = filepath.Join(t.TempDir(), "agents")
					}
				})
				id := agentID(t, h.call(t, map[string]any{"run_in_background": true}))
				<-ready
				select {
				case <-h.session.Notified():
					require.FailNow(t, "nothing has come", h.news())
				default:
				}
				if !early {
					time.Sleep(10 * time.Millisecond) // it waits, or is about to
				}
				require.NoError(t, h.send(t, id, "are you there?").Err)
				close(proceed)
				select {
				case <-h.session.Notified():
				case <-time.After(time.Minute):
					require.FailNow(t, "the answer has not woken the main agent", h.agents.List(h.session))
				}
				news := h.news()
				require.Len(t, news, 1)
				require.Contains(t, news[0], "I have read it")
				select {
				case <-h.session.Notified():
					require.FailNow(t, "it was handed out")
				default:
				}
			})
		}
	}
}
