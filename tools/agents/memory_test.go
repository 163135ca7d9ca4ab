package agents_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/agents"
)

// TestMemoryOfAgents: after a thousand agents, twenty at a time, the heap is as it was, and no
// goroutine is left. It is not parallel: it measures the whole program.
func TestMemoryOfAgents(t *testing.T) { //nolint:paralleltest // see above
	h := newHouse(t, pegboard.SessionConfig{}, says("done"), nil, look())
	wave := func() {
		var calls []pegboard.Call
		for i := range agents.DefaultMaxRunning {
			c := agentCall(t, nil)
			c.ID = fmt.Sprint(i)
			calls = append(calls, c)
		}
		for _, out := range h.run(t.Context(), calls...) {
			require.NoError(t, out.Err)
		}
	}
	heap := func() uint64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	wave()
	before, goroutines := heap(), runtime.NumGoroutine()
	for range 50 {
		wave()
	}
	after := heap()
	t.Logf("heap %d KiB before, %d KiB after", before>>10, after>>10)
	require.Less(t, after, before+8<<20)
	require.Eventually(t, func() bool { return runtime.NumGoroutine() <= goroutines+1 }, time.Minute, time.Millisecond, "one goroutine is that of this condition")
}
