package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// BenchmarkStore stores the output of a command, 1 GiB, beside a shell that does the
// same. No peer has a case.
func BenchmarkStore(b *testing.B) {
	for _, c := range []struct {
		name, floor string
		keep        int64
	}{
		{name: "all", floor: "cat > out", keep: -1},
		{name: "64MiB", floor: "{ head -c 67108864 > out; cat > /dev/null; }"},
	} {
		b.Run("Store1GiB/floor-"+c.name, func(b *testing.B) {
			dir := b.TempDir()
			for b.Loop() {
				cmd := exec.CommandContext(b.Context(), "bash", "-c", gigabyte+" | "+c.floor)
				cmd.Dir = dir
				require.NoError(b, cmd.Run())
			}
		})
		b.Run("Store1GiB/pegboard-"+c.name, func(b *testing.B) {
			store, err := pegboard.NewDirStore(b.TempDir(), "bench", pegboard.DirOptions{MaxFile: c.keep, MaxSession: -1, MaxTotal: -1})
			require.NoError(b, err)
			defer func() { require.NoError(b, store.Close()) }()
			var heap meter
			for b.Loop() {
				storePrinted(b, store, &heap)
			}
			heap.report(b)
		})
	}
}

// storePrinted stores the output of the command and removes it again.
func storePrinted(b *testing.B, store *pegboard.DirStore, heap *meter) {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), "bash", "-c", gigabyte)
	out, err := cmd.StdoutPipe()
	require.NoError(b, err)
	require.NoError(b, cmd.Start())
	heap.Reader = out
	stored, err := store.Put(b.Context(), "call", "text/plain", heap)
	require.NoError(b, err)
	require.NoError(b, cmd.Wait())
	require.NoError(b, os.Remove(filepath.Join(store.Dir(), stored.Ref)))
}

// A meter is a reader that looks now and then how large the heap is.
type meter struct {
	io.Reader
	reads       int
	begin, peak uint64
}

func (m *meter) Read(p []byte) (int, error) {
	if m.reads++; m.reads%1024 == 1 {
		m.look()
	}
	return m.Reader.Read(p)
}

func (m *meter) look() {
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	if m.begin == 0 {
		m.begin = s.HeapAlloc
	}
	m.peak = max(m.peak, s.HeapAlloc)
}

func (m *meter) report(b *testing.B) {
	b.ReportMetric(float64(m.peak-m.begin)/(1<<20), "heapMiB")
}

// BenchmarkResults makes 10,000 calls with results of 1 MB in one session, whose
// store keeps 200 MiB, and fails if the store exceeds that.
func BenchmarkResults(b *testing.B) {
	const quota = 200 << 20
	text := strings.Repeat(strings.Repeat("y", 99)+"\n", 10_000)
	tell := pegboard.Build(pegboard.Definition[map[string]int, string]{
		Info: pegboard.Info{Name: "Tell"}, Description: "Tells much.", Traits: pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared},
		Call: func(context.Context, map[string]int, *pegboard.Call) (string, error) { return text, nil },
	})
	b.Run("Results10000/pegboard", func(b *testing.B) {
		store, err := pegboard.NewDirStore(b.TempDir(), "bench", pegboard.DirOptions{MaxSession: quota})
		require.NoError(b, err)
		defer func() { require.NoError(b, store.Close()) }()
		pool := pegPool(b, pegboard.SessionConfig{Results: store, Breaker: pegboard.BreakerLimits{Repeats: -1, Denials: -1}}, tell)
		var ex pegboard.Executor
		var heap meter
		for b.Loop() {
			for i := range 10_000 {
				out := ex.Run(b.Context(), pool, pegboard.Call{ID: fmt.Sprint("call_", i), Name: "Tell", Input: json.RawMessage(`{}`)})[0]
				require.NoError(b, out.Err)
				if i%100 == 0 {
					heap.look()
				}
			}
			require.LessOrEqual(b, sizeOf(b, store.Dir()), int64(quota))
		}
		heap.report(b)
	})
}

func sizeOf(b *testing.B, dir string) (size int64) {
	entries, err := os.ReadDir(dir)
	require.NoError(b, err)
	for _, e := range entries {
		info, err := e.Info()
		require.NoError(b, err)
		size += info.Size()
	}
	return size
}
