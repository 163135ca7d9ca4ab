//go:build unix

package proc_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/proc"
)

const benchBytes = 1 << 30

// BenchmarkOutput compares what a command that prints 1 GiB takes here with what
// a shell takes that writes its output to a file. The ways are taken in turns,
// since the machine may be shared, and the metrics are medians: x/file is the
// throughput as a part of that of the shell, cpu/file is the processor time in
// the same way, heap-MiB is the most that the heap grew.
func BenchmarkOutput(b *testing.B) {
	producers := map[string]string{
		"zero": "head -c 1073741824 /dev/zero",
		"text": "yes 'a line of a log, as long as such lines are' | head -c 1073741824",
	}
	ways := []struct {
		name string
		set  func(c *proc.Command)
	}{
		{name: "memory", set: func(c *proc.Command) { c.File = "" }},
		{name: "cut", set: func(c *proc.Command) { c.MaxFile = 64 << 20 }},
		{name: "whole", set: func(*proc.Command) {}},
	}
	for name, script := range producers {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(1+len(ways)) * benchBytes)
			wall, cpu := map[string][]float64{}, map[string][]float64{}
			for b.Loop() {
				file := filepath.Join(b.TempDir(), "out")
				baseWall, baseCPU := taken(b, func() { redirect(b, script, file) })
				for _, way := range ways {
					require.NoError(b, os.RemoveAll(file))
					c := proc.Command{Args: []string{"bash", "-c", script}, Dir: b.TempDir(), File: file}
					way.set(&c)
					before := heap()
					w, p := taken(b, func() { runWhole(b, c) })
					b.ReportMetric(max(0, float64(heap()-before))/(1<<20), way.name+"-heap-MiB")
					wall[way.name] = append(wall[way.name], baseWall.Seconds()/w.Seconds())
					cpu[way.name] = append(cpu[way.name], p.Seconds()/baseCPU.Seconds())
				}
				require.NoError(b, os.RemoveAll(file))
			}
			for _, way := range ways {
				b.ReportMetric(median(wall[way.name]), way.name+"-x/file")
				b.ReportMetric(median(cpu[way.name]), way.name+"-cpu/file")
			}
		})
	}
}

func redirect(b *testing.B, script, file string) {
	b.Helper()
	cmd := exec.Command("bash", "-c", "{ "+script+"; } > "+file)
	require.NoError(b, cmd.Run())
	info, err := os.Stat(file)
	require.NoError(b, err)
	require.Equal(b, int64(benchBytes), info.Size())
}

func runWhole(b *testing.B, c proc.Command) {
	b.Helper()
	var table proc.Table
	exit, err := table.Run(b.Context(), c)
	require.NoError(b, err)
	require.NoError(b, exit.Err)
	require.NoError(b, exit.FileErr)
	require.Equal(b, int64(benchBytes), exit.Output.Total)
}

// taken returns what f takes by the clock and of the processor, its children
// included.
func taken(b *testing.B, f func()) (wall, cpu time.Duration) {
	b.Helper()
	before, begin := used(b), time.Now()
	f()
	return time.Since(begin), used(b) - before
}

func used(b *testing.B) time.Duration {
	b.Helper()
	var sum int64
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var r syscall.Rusage
		require.NoError(b, syscall.Getrusage(who, &r))
		sum += r.Utime.Nano() + r.Stime.Nano()
	}
	return time.Duration(sum)
}

func median(all []float64) float64 {
	slices.Sort(all)
	return all[len(all)/2]
}

// heap returns the bytes that the runtime holds for the heap.
func heap() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapSys - m.HeapReleased)
}

// BenchmarkStart is what a short command costs, against os/exec alone.
func BenchmarkStart(b *testing.B) {
	b.Run("Run", func(b *testing.B) {
		var table proc.Table
		dir := b.TempDir()
		for b.Loop() {
			_, err := table.Run(b.Context(), proc.Command{Args: []string{"true"}, Dir: dir})
			require.NoError(b, err)
		}
	})
	b.Run("CombinedOutput", func(b *testing.B) {
		for b.Loop() {
			_, err := exec.Command("true").CombinedOutput()
			require.NoError(b, err)
		}
	})
}
