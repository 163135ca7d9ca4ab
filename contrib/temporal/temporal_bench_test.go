package temporal_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/contrib/temporal"
)

// BenchmarkTemporal runs the calls of a message here and on four workers, all in this process
// and with the test server: what the engine adds to a call, and how long a tool must take for
// that not to matter. bench/run prints it: bench/run ./Temporal.
func BenchmarkTemporal(b *testing.B) {
	for _, bb := range []struct {
		calls int
		takes time.Duration
	}{{1, 0}, {1, 10 * time.Millisecond}, {1, 100 * time.Millisecond}, {1, time.Second}, {128, time.Millisecond}} {
		name := fmt.Sprintf("Temporal/%dx%v/", bb.calls, bb.takes)
		sleep := tool("Sleep", func(context.Context, text, *pegboard.Call) (*pegboard.Result, error) {
			time.Sleep(bb.takes)
			return pegboard.TextResult("done"), nil
		}, func(d *definition) {
			d.Traits = pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared}
		})
		calls := make([]pegboard.Call, bb.calls)
		for i := range calls {
			calls[i] = call("", "Sleep", `{}`)
		}
		b.Run(name+"floor-here", func(b *testing.B) { benchmarkCalls(b, nil, calls, sleep) })
		b.Run(name+"pegboard-workers", func(b *testing.B) {
			queue := newQueue()
			for range 4 {
				work(b, queue, sleep)
			}
			e, err := temporal.NewEngine(temporal.Options{Client: server.GetDefaultClient(), Route: to(queue)})
			require.NoError(b, err)
			benchmarkCalls(b, e.Invoke, calls, sleep)
		})
	}
}

func benchmarkCalls(b *testing.B, invoke pegboard.Invoke, calls []pegboard.Call, tool pegboard.Tool) {
	b.Helper()
	h := newHost(b, temporal.Options{}, pegboard.SessionConfig{}, tool)
	h.exec.Invoke, h.exec.MaxParallel = invoke, 32
	for b.Loop() {
		h.pool.Session().NewTurn()
		for _, o := range h.run(b.Context(), calls...) {
			require.NoError(b, o.Err)
		}
	}
}
