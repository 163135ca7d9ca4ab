package shell_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// TestHundredCommandsAtOnce runs a hundred commands in one batch, each of which
// prints a megabyte, and keeps little of that in memory.
func TestHundredCommandsAtOnce(t *testing.T) {
	needBash(t)
	const count, limit = 100, 50
	s := session(t, tempDir(t))
	var reg pegboard.Registry
	require.NoError(t, reg.Add(shell.Bash(shell.Options{})))
	pool := reg.AssemblePool(s, pegboard.PoolConfig{})
	calls := make([]pegboard.Call, count)
	for i := range calls {
		input := fmt.Sprintf(`{"command":"sleep 0.5; seq %d 160000 | tail -c 1000000"}`, i)
		calls[i] = pegboard.Call{ID: fmt.Sprint(i), Name: "Bash", Input: []byte(input)}
	}
	require.Equal(t, pegboard.Allow, pool.Decide(t.Context(), calls[0]).Behavior, "lines that only read need no rule")

	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	goroutines := runtime.NumGoroutine()
	running, most := 0, 0
	ex := pegboard.Executor{MaxParallel: limit, OnEvent: func(e pegboard.Event) {
		switch e.Kind {
		case pegboard.EventStarted:
			running++
			most = max(most, running)
		case pegboard.EventFinished:
			running--
		}
	}}
	outcomes := ex.Run(t.Context(), pool, calls...)
	for i, out := range outcomes {
		require.NoError(t, out.Err)
		data, ok := out.Result.Data.(shell.Output)
		require.True(t, ok)
		require.EqualValues(t, 1_000_000, data.PersistedOutputSize, "call %d: %s", i, out.Result.Text()[:200])
	}
	require.Greater(t, most, 10, "they ran beside each other")
	runtime.GC()
	runtime.ReadMemStats(&after)
	require.Less(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(16<<20))
	require.NoError(t, s.Close(context.Background()))
	require.Eventually(t, func() bool { return runtime.NumGoroutine() <= goroutines+2 }, time.Minute, time.Millisecond)
}
