//go:build unix

package spool_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/spool"
)

// printing starts a process that prints so many bytes, and hands its output to take.
func printing(b *testing.B, size int64, take func(out *os.File)) {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), roleName+"=print", fmt.Sprint(sizeName, "=", size))
	r, w, err := os.Pipe()
	require.NoError(b, err)
	cmd.Stdout = w
	require.NoError(b, cmd.Start())
	require.NoError(b, w.Close())
	take(r)
	require.NoError(b, r.Close())
	require.NoError(b, cmd.Wait())
}

// A heapMeter is a reader that notes how large the heap is, now and then.
type heapMeter struct {
	r     io.Reader
	calls int
	peak  uint64
}

func (m *heapMeter) Read(p []byte) (int, error) {
	if m.calls++; m.calls%256 == 0 {
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		m.peak = max(m.peak, s.HeapAlloc)
	}
	return m.r.Read(p)
}

// processorTime is how long this process has been computing.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkStore stores what a process prints, and lets programs store the same
// beside it. x-floor is a ratio of speeds: above 1, we are faster. cpu-x-floor is one
// of computing time, which other load on the machine changes less: below 1, we need
// less.
func BenchmarkStore(b *testing.B) {
	const size = 1 << 30
	tests := []struct {
		name  string
		floor string
		keep  int64
	}{
		{name: "all", floor: `exec cat > "$0"`, keep: -1},
		{name: "64 MiB", floor: `head -c 67108864 > "$0"; exec cat > /dev/null`, keep: 64 << 20},
	}
	for _, tc := range tests {
		b.Run(tc.name, func(b *testing.B) {
			root := b.TempDir()
			d, err := spool.Open(root, "s", spool.Options{MaxFile: tc.keep})
			require.NoError(b, err)
			defer func() { _ = d.Close() }()
			meter := heapMeter{}
			var ours, floors, spent, floorSpent []float64
			b.SetBytes(size)
			for b.Loop() {
				path := filepath.Join(root, "floor")
				start := time.Now()
				printing(b, size, func(out *os.File) {
					cmd := exec.CommandContext(b.Context(), "sh", "-c", tc.floor, path)
					cmd.Stdin = out
					require.NoError(b, cmd.Run())
					floorSpent = append(floorSpent, (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds())
				})
				floors = append(floors, time.Since(start).Seconds())
				require.NoError(b, os.Remove(path))

				start = time.Now()
				printing(b, size, func(out *os.File) {
					meter.r = out
					before := processorTime(b)
					e, err := d.Put(b.Context(), "id", "txt", &meter)
					spent = append(spent, (processorTime(b) - before).Seconds())
					require.NoError(b, err)
					require.EqualValues(b, size, e.Total)
					require.EqualValues(b, size/64, e.Lines)
				})
				ours = append(ours, time.Since(start).Seconds())
				require.NoError(b, d.Remove(b.Context(), spool.EntryName("id", "txt")))
			}
			b.ReportMetric(median(floors)/median(ours), "x-floor")
			b.ReportMetric(median(spent)/median(floorSpent), "cpu-x-floor")
			b.ReportMetric(float64(meter.peak)/(1<<20), "heap-MiB")
			b.ReportMetric(size/median(ours)/1e6, "our-MB/s")
		})
	}
}

// BenchmarkMany stores results of 1 MB, with a quota that is reached after a few
// hundred of them.
func BenchmarkMany(b *testing.B) {
	text := strings.Repeat(strings.Repeat("y", 99)+"\n", 10_000)
	d, err := spool.Open(b.TempDir(), "s", spool.Options{MaxSession: 200 << 20})
	require.NoError(b, err)
	defer func() { _ = d.Close() }()
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		_, err := d.Put(context.Background(), fmt.Sprint("id", i), "txt", strings.NewReader(text))
		require.NoError(b, err)
	}
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.HeapAlloc)/(1<<20), "heap-MiB")
	require.LessOrEqual(b, sizeOf(b, d.Path()), int64(200<<20))
}

func median(xs []float64) float64 {
	slices.Sort(xs)
	return xs[len(xs)/2]
}
