package agents_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/tools/agents"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// TestRecordIsThatOfTheLastRun: an agent that goes on in the moment in which its run ends has the
// record of the new run, although that asks for nothing.
func TestRecordIsThatOfTheLastRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var runs atomic.Int64
	waiting := make(chan struct{})
	h := newHouse(t, pegboard.SessionConfig{}, func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
		if runs.Add(1)%2 == 1 { // it ends at once, and the next one waits
			return says("Done.")(ctx, a)
		}
		select { // a run that is stopped leaves nothing that waits: the next agent uses the channels
		case waiting <- struct{}{}:
		case <-ctx.Done():
			return agents.Reply{}, ctx.Err()
		}
		<-ctx.Done()
		return agents.Reply{}, ctx.Err()
	}, func(o *agents.Options) { o.Dir = dir }, look())
	for range effort.Of(t, 1000) {
		result, err := h.agents.Start(t.Context(), h.session, agents.Request{Prompt: "p", Background: true})
		require.NoError(t, err)
		for n, again := 0, false; !again; n++ {
			select {
			case <-waiting:
				again = true
			default:
				send := tooltest.Call("SendMessage", fmt.Sprintf(`{"to":%q,"message":"Go on, %d.","summary":"s"}`, result.AgentID, n))
				require.NoError(t, h.run(t.Context(), send)[0].Err)
			}
		}
		time.Sleep(time.Millisecond)
		var record struct {
			Agent agents.Status `json:"agent"`
		}
		require.NoError(t, json.Unmarshal([]byte(readFile(t, filepath.Join(dir, "agents", result.AgentID+".json"))), &record))
		require.Equal(t, agents.Running, record.Agent.State)
		runs.Store(1)
		require.NoError(t, h.agents.Stop(h.session, result.AgentID))
		require.Eventually(t, func() bool {
			l := h.agents.List(h.session)
			return l[len(l)-1].State != agents.Running
		}, time.Minute, time.Millisecond)
		runs.Store(0)
	}
}
