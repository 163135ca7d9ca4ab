package dbos_test

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// BenchmarkDBOS runs the calls of a message without a record and with one in SQLite: what the
// record adds to a call. bench/run prints it: bench/run ./DBOS.
func BenchmarkDBOS(b *testing.B) {
	for _, bb := range []struct {
		calls int
		takes time.Duration
	}{{1, 0}, {1, 10 * time.Millisecond}, {128, time.Millisecond}} {
		name := fmt.Sprintf("DBOS/%dx%v/", bb.calls, bb.takes)
		sleep := tool("Sleep", pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared}, func(context.Context, text, *pegboard.Call) (*pegboard.Result, error) {
			time.Sleep(bb.takes)
			return pegboard.TextResult("done"), nil
		})
		b.Run(name+"floor-here", func(b *testing.B) { benchmarkCalls(b, nil, bb.calls, sleep) })
		b.Run(name+"pegboard-sqlite", func(b *testing.B) {
			e, shutDown, err := open(filepath.Join(b.TempDir(), "calls.db"))
			require.NoError(b, err)
			defer func() { require.NoError(b, shutDown()) }()
			benchmarkCalls(b, e.Invoke, bb.calls, sleep)
		})
	}
}

func benchmarkCalls(b *testing.B, invoke pegboard.Invoke, n int, tool pegboard.Tool) {
	b.Helper()
	pool, err := poolOf("conversation", tool)
	require.NoError(b, err)
	defer func() { require.NoError(b, pool.Session().Close(context.Background())) }()
	executor := pegboard.Executor{Invoke: invoke, MaxParallel: 32, Logger: slog.New(slog.DiscardHandler)}
	calls := make([]pegboard.Call, n)
	for i := range calls {
		calls[i] = call(strconv.Itoa(i), "Sleep", `{}`)
	}
	turn := 0
	for b.Loop() {
		pool.Session().NewTurn()
		turn++
		for _, o := range executor.Run(pegboard.WithTurn(b.Context(), strconv.Itoa(turn)), pool, calls...) {
			require.NoError(b, o.Err)
		}
	}
}
