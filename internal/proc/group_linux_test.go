package proc_test

import (
	"bufio"
	"context"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/proc"
)

func TestOwnSession(t *testing.T) {
	t.Parallel()
	exit := run(t.Context(), t, sh(t, "[ $(ps -o sid= -p $$) -eq $$ ] && ps -o tty= -p $$"))
	require.Equal(t, "?", strings.TrimSpace(exit.Output.Text()))
}

// A daemon has left the group: nothing ends it, but it holds up nobody.
func TestDaemon(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		drain time.Duration
		end   func(table *proc.Table)
	}{
		{name: "drained", drain: 50 * time.Millisecond, end: func(*proc.Table) {}},
		{name: "closed", drain: never, end: func(table *proc.Table) {
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			if err := table.Close(ctx); err != nil {
				panic(err)
			}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var table proc.Table
			c := sh(t, "setsid sh -c 'echo daemon; : >up; exec sleep 1000' & while [ ! -e up ]; do :; done; exit 9")
			c.Drain = tt.drain
			mark := c.Env[len(c.Env)-1]
			exit := begin(t, &table, c)
			tt.end(&table)
			require.True(t, exit().Lingering)
			require.Equal(t, "daemon\n", exit().Output.Text())

			var daemons []int
			// A process shows no environment while it replaces its program, as
			// the daemon does with sleep.
			require.Eventually(t, func() bool {
				daemons = withMark(t, mark)
				return len(daemons) == 1
			}, soon, poll)
			require.NoError(t, syscall.Kill(daemons[0], syscall.SIGKILL))
		})
	}
}

func TestChildDiesWithTheHost(t *testing.T) {
	t.Parallel()
	c := own(t, "host")
	host := exec.Command(c.Args[0])
	host.Dir, host.Env = c.Dir, c.Env
	output, err := host.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, host.Start())
	line, err := bufio.NewReader(output).ReadString('\n')
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(atoi(t, strings.TrimSpace(line)), 0), "the child lives")
	require.NoError(t, host.Process.Kill())
	require.Error(t, host.Wait())
	// What c marks must be gone at the end of the test.
}

// The kernel kills a child when the thread that started it ends, so that thread
// must not end while threads around it do.
func TestChildOutlivesOtherThreads(t *testing.T) {
	t.Parallel()
	c := sh(t, "exec sleep 0.05")
	var table proc.Table
	stop := make(chan struct{})
	var churn []<-chan error
	for range 2 {
		churn = append(churn, goroutine.Go(func() {
			for {
				select {
				case <-stop:
					return
				case err := <-goroutine.Go(func() { runtime.LockOSThread() }): // the thread ends with its goroutine
					require.NoError(t, err)
				}
			}
		}))
	}
	var runs []<-chan error
	for range 10 {
		runs = append(runs, goroutine.Go(func() {
			for range 10 {
				exit, err := table.Run(t.Context(), c)
				require.NoError(t, err)
				require.Empty(t, exit.Signal)
				require.Zero(t, exit.Code)
			}
		}))
	}
	for _, done := range runs {
		require.NoError(t, <-done)
	}
	close(stop)
	for _, done := range churn {
		require.NoError(t, <-done)
	}
}
