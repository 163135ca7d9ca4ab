//go:build unix

package proc_test

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/proc"
)

func TestMaxOutput(t *testing.T) {
	t.Parallel()
	const most = 1 << 20
	tests := []struct {
		name   string
		script string
		code   int
		signal string
		over   bool
	}{
		{name: "just as much", script: "head -c 1048576 /dev/zero"},
		{name: "one byte more", script: "head -c 1048577 /dev/zero; exec sleep 1000", code: -1, signal: "killed", over: true},
		{name: "without end", script: "exec yes", code: -1, signal: "killed", over: true},
		{name: "deaf", script: "trap '' TERM; yes", code: -1, signal: "killed", over: true},
		{name: "with last words", script: "trap 'exit 3' TERM; yes & wait", code: -1, signal: "killed", over: true},
		{name: "after the end", code: 4, over: true,
			script: `LEADER=$$ sh -c 'while [ $(ps -o ppid= -p $$) -eq $LEADER ]; do :; done; exec yes' & exit 4`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := sh(t, tt.script)
			c.MaxOutput, c.Grace, c.Drain = most, never, never
			c.File = filepath.Join(t.TempDir(), "out")
			exit := run(t.Context(), t, c)
			require.False(t, exit.Lingering)
			require.NoError(t, exit.FileErr)
			require.Equal(t, exit.Output.Total, exit.Stored)
			if !tt.over {
				require.NoError(t, exit.Err)
				require.Equal(t, int64(most), exit.Output.Total)
				return
			}
			require.Equal(t, proc.ErrOutputLimit, exit.Err)
			require.Greater(t, exit.Output.Total, int64(most))
			require.LessOrEqual(t, exit.Output.Total, int64(2*most))
			require.Equal(t, tt.code, exit.Code)
			require.Equal(t, tt.signal, exit.Signal)
		})
	}
}

// What has left the group cannot be killed, but its output is closed.
func TestMaxOutputOfADaemon(t *testing.T) {
	t.Parallel()
	setsid, err := exec.LookPath("setsid")
	if err != nil {
		t.Skip("setsid is not installed")
	}
	c := sh(t, setsid+" yes & exec sleep 1000")
	c.MaxOutput, c.Drain = 1<<20, never
	require.Equal(t, proc.ErrOutputLimit, run(t.Context(), t, c).Err)
	// What c marks must be gone at the end of the test.
}

func TestFileHoldsAnyBytes(t *testing.T) {
	t.Parallel()
	want := make([]byte, 3<<20)
	for i := range want {
		want[i] = byte(i * i >> 7)
	}
	dir := t.TempDir()
	source := filepath.Join(dir, "source")
	require.NoError(t, os.WriteFile(source, want, 0o600))
	c := sh(t, "cat "+source)
	c.File = filepath.Join(dir, "out")
	exit := run(t.Context(), t, c)
	require.True(t, bytes.Equal(want, []byte(content(t, c.File))))
	require.Equal(t, int64(len(want)), exit.Stored)
	info, err := os.Stat(c.File)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o600), info.Mode())
}

// Not parallel: it measures what is allocated.
func TestMemoryIsBounded(t *testing.T) {
	const size = 2_000_000_000
	c := sh(t, "head -c 2000000000 /dev/zero")
	c.File = filepath.Join(t.TempDir(), "out")
	c.MaxFile = 64 << 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	exit := run(t.Context(), t, c)
	runtime.ReadMemStats(&after)
	require.NoError(t, exit.Err)
	require.Equal(t, int64(size), exit.Output.Total)
	require.Equal(t, int64(size-1<<20), exit.Output.Omitted)
	require.Equal(t, c.MaxFile, exit.Stored)
	info, err := os.Stat(c.File)
	require.NoError(t, err)
	require.Equal(t, c.MaxFile, info.Size())
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(8<<20))
}

// Not parallel: it counts goroutines.
func TestManyAtOnce(t *testing.T) {
	const many = 100
	c := sh(t, "cat; exit 3")
	c.Stdin = true
	text := strings.Repeat("a line of some length\n", 100)
	goroutines := runtime.NumGoroutine()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)

	var table proc.Table
	var all []*proc.Process
	dir := t.TempDir()
	for i := range many {
		c := c
		c.File = filepath.Join(dir, "out"+string(rune('0'+i/10))+string(rune('0'+i%10)))
		p, err := table.Start(t.Context(), c)
		require.NoError(t, err)
		all = append(all, p)
	}
	require.Equal(t, many, table.Live())
	for _, p := range all {
		_, err := io.WriteString(p.Stdin(), text)
		require.NoError(t, err)
		require.NoError(t, p.Stdin().Close())
	}
	for _, p := range all {
		exit := p.Exit()
		require.Equal(t, 3, exit.Code)
		require.Equal(t, text, exit.Output.Text())
		require.Equal(t, int64(len(text)), exit.Stored)
	}
	runtime.ReadMemStats(&after)
	require.Zero(t, table.Live())
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(many*128<<10))
	for begin := time.Now(); runtime.NumGoroutine() > goroutines; runtime.Gosched() {
		require.Less(t, time.Since(begin), soon, "goroutines are left")
	}
}
