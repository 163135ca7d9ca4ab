//go:build unix

package proc_test

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/proc"
)

// begin runs a command on the side and returns when it has printed something.
func begin(t *testing.T, table *proc.Table, c proc.Command) (exit func() proc.Exit) {
	t.Helper()
	var result proc.Exit
	printed := make(chan struct{})
	first := sync.OnceFunc(func() { close(printed) })
	forward := c.Output
	c.Output = func(p []byte) {
		first()
		if forward != nil {
			forward(p)
		}
	}
	done := goroutine.Go(func() {
		var err error
		result, err = table.Run(context.WithoutCancel(t.Context()), c)
		require.NoError(t, err)
	})
	select {
	case <-printed:
	case err := <-done:
		require.FailNow(t, "the command ended without a word", "%v", err)
	}
	return sync.OnceValue(func() proc.Exit {
		require.NoError(t, <-done)
		return result
	})
}

func TestClose(t *testing.T) {
	t.Parallel()
	var table proc.Table
	scripts := []string{
		"echo; exec sleep 1000",
		"echo; sleep 1000 & wait",
		"trap '' TERM; echo; while :; do sleep 1000; done",
		"(trap '' TERM; echo; sleep 1000) & wait",
		"yes",
	}
	var exits []func() proc.Exit
	for _, script := range scripts {
		c := sh(t, script)
		c.Grace, c.Drain = 20*time.Millisecond, never
		exits = append(exits, begin(t, &table, c))
	}
	require.Equal(t, len(scripts), table.Live())
	require.NoError(t, table.Close(t.Context()))
	require.Zero(t, table.Live())
	for i, exit := range exits {
		require.Equal(t, proc.ErrClosed, exit().Err, scripts[i])
		require.Equal(t, -1, exit().Code, scripts[i])
	}
	_, err := table.Run(t.Context(), sh(t, "echo"))
	require.Equal(t, proc.ErrClosed, err)
	require.NoError(t, table.Close(t.Context()), "again")
}

func TestCloseWithoutTime(t *testing.T) {
	t.Parallel()
	var table proc.Table
	c := sh(t, "trap '' TERM; echo; while :; do sleep 1000; done")
	c.Grace, c.Drain = never, never
	exit := begin(t, &table, c)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, table.Close(ctx))
	require.Equal(t, "killed", exit().Signal)
	require.Equal(t, proc.ErrClosed, exit().Err)
}

func TestCloseNamesWhatIsLeft(t *testing.T) {
	t.Parallel()
	var table proc.Table
	release := make(chan struct{})
	c := sh(t, "echo; exec sleep 1000")
	c.Output = func([]byte) { <-release } // as good as a process that cannot be killed
	exit := begin(t, &table, c)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	err := table.Close(ctx)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Regexp(t, `^still running after being killed: sh \(pid \d+\): `, err.Error())
	require.Equal(t, 1, table.Live())
	close(release)
	require.Equal(t, proc.ErrClosed, exit().Err)
	require.NoError(t, table.Close(t.Context()))
}

// The table knows a command before its process exists.
func TestCloseWhileStarting(t *testing.T) {
	t.Parallel()
	c := sh(t, "exec sleep 1000")
	c.Grace = never
	for range effort.Of(t, 20) {
		var table proc.Table
		done := goroutine.Go(func() {
			exit, err := table.Run(t.Context(), c)
			require.NoError(t, err)
			require.Equal(t, proc.ErrClosed, exit.Err)
		})
		for table.Live() == 0 {
			runtime.Gosched()
		}
		require.NoError(t, table.Close(t.Context()))
		require.NoError(t, <-done)
	}
}

// Commands start, end and are cancelled while the table is closed.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	var table proc.Table
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	c := sh(t, "echo; exec sleep 0.0$1")
	c.Grace = 10 * time.Millisecond
	var all []<-chan error
	for i := range 8 {
		c := c
		c.Args = append(c.Args[:len(c.Args):len(c.Args)], "sh", string(rune('1'+i)))
		all = append(all, goroutine.Go(func() {
			for {
				exit, err := table.Run(ctx, c)
				if err != nil {
					require.Contains(t, []error{proc.ErrClosed, context.DeadlineExceeded}, err)
					return
				}
				if exit.Err == nil {
					require.Zero(t, exit.Code)
				}
			}
		}))
	}
	closing, stop := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer stop()
	<-closing.Done()
	require.NoError(t, table.Close(t.Context()))
	for _, done := range all {
		require.NoError(t, <-done)
	}
	require.Zero(t, table.Live())
}

// A descendant may hold the input without reading it. The child has ended, and
// with it whoever would write more.
func TestWriteToADescendant(t *testing.T) {
	t.Parallel()
	var table proc.Table
	c := sh(t, "exec 3<&0; sleep 1000 <&3 & exit 5")
	c.Stdin, c.Drain = true, never
	p := start(t.Context(), t, &table, c)
	n, err := p.Stdin().Write(make([]byte, 4<<20))
	require.Error(t, err)
	require.Less(t, n, 4<<20)
	p.Stop(nil)
	exit := p.Exit()
	require.NoError(t, exit.Err, "the child had ended by itself")
	require.Equal(t, 5, exit.Code)
}
