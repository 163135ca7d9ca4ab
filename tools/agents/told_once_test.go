package agents_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/tools/agents"
)

// TestMoveAtEnd: an agent that is moved to the background while it ends, or while its call is
// stopped, is told of once: by its call or by a notice.
func TestMoveAtEnd(t *testing.T) {
	t.Parallel()
	errStop := errors.New("the user wants something else")
	for _, stops := range []bool{false, true} {
		for i := range effort.Of(t, 150) {
			end := make(chan struct{})
			h := newHouse(t, pegboard.SessionConfig{}, func(ctx context.Context, _ *agents.Agent) (agents.Reply, error) {
				select {
				case <-end:
				case <-ctx.Done():
				}
				return agents.Reply{Text: "Done."}, nil
			}, nil, look())
			ctx, cancel := context.WithCancelCause(t.Context())
			var both sync.WaitGroup
			var out pegboard.Outcome
			both.Go(func() { out = h.run(ctx, agentCall(t, nil))[0] })
			require.Eventually(t, func() bool { return len(h.agents.List(h.session)) > 0 }, time.Minute, 100*time.Microsecond)
			both.Go(func() {
				time.Sleep(time.Duration(i%10) * 30 * time.Microsecond)
				if stops {
					cancel(errStop)
				} else {
					close(end)
				}
			})
			moved := h.agents.ToBackground(h.session)
			both.Wait()
			data, ok := out.Result.Data.(agents.Result)
			launched := ok && data.Status == agents.StatusLaunched
			require.Equal(t, moved == 1, launched, out.Result.Text())
			if stops && launched {
				require.NoError(t, h.agents.Stop(h.session, data.AgentID), "it goes on in the background")
			}
			require.Eventually(t, func() bool { return h.agents.List(h.session)[0].State != agents.Running }, time.Minute, time.Millisecond)
			var told []string
			require.Eventually(t, func() bool {
				told = append(told, news(h.session)...)
				return len(told) > 0 || !launched
			}, time.Minute, time.Millisecond)
			require.Equal(t, launched, len(told) == 1, told)
			require.NoError(t, h.session.Close(context.Background()))
			require.Empty(t, news(h.session))
			cancel(nil)
		}
	}
}
