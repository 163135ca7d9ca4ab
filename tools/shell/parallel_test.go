package shell_test

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files"
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

// TestStoredOutputCanBeReadOn without a rule, by the tools that the result names.
func TestStoredOutputCanBeReadOn(t *testing.T) {
	t.Parallel()
	needBash(t)
	s := session(t, tempDir(t))
	var reg pegboard.Registry
	require.NoError(t, reg.Add(shell.Bash(shell.Options{})))
	require.NoError(t, reg.Add(files.Tools()...))
	pool := reg.AssemblePool(s, pegboard.PoolConfig{})
	var ex pegboard.Executor
	do := func(tool string, input map[string]any) pegboard.Outcome {
		raw, err := json.Marshal(input)
		require.NoError(t, err)
		return ex.Run(t.Context(), pool, pegboard.Call{Name: tool, Input: raw})[0]
	}
	out := do("Bash", map[string]any{"command": "seq 1 50000"})
	require.NoError(t, out.Err)
	data, ok := out.Result.Data.(shell.Output)
	require.True(t, ok)
	require.NotEmpty(t, data.PersistedOutputPath)
	require.Contains(t, out.Result.Text(), data.PersistedOutputPath)

	read := do("Read", map[string]any{"file_path": data.PersistedOutputPath, "offset": 40_000, "limit": 1})
	require.NoError(t, read.Err, read.Result.Text())
	require.Contains(t, read.Result.Text(), "\t40000")
	grep := do("Grep", map[string]any{"path": data.PersistedOutputPath, "pattern": "^31415$", "output_mode": "content"})
	require.NoError(t, grep.Err, grep.Result.Text())
	require.Contains(t, grep.Result.Text(), "31415")
	write := do("Write", map[string]any{"file_path": data.PersistedOutputPath, "content": "forged"})
	require.ErrorIs(t, write.Err, pegboard.ErrDenied)
}
