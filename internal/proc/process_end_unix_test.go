//go:build unix

package proc_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/proc"
)

// cancelAt returns a context that ends when the command prints word.
func cancelAt(t *testing.T, c *proc.Command, word string) (ctx context.Context, cause error) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	cause = errors.New("it printed " + word)
	var seen strings.Builder
	c.Output = func(p []byte) {
		seen.Write(p)
		if strings.Contains(seen.String(), word) {
			cancel(cause)
		}
	}
	return ctx, cause
}

func TestEnd(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		script string
		grace  time.Duration
		code   int
		signal string
		text   string
	}{
		{name: "at once", script: "echo ready; exec sleep 1000",
			grace: never, code: -1, signal: "terminated", text: "ready\n"},
		{name: "with last words", script: "trap 'echo bye; exit 7' TERM; echo ready; while :; do :; done",
			grace: never, code: 7, text: "ready\nbye\n"},
		{name: "deaf", script: "trap '' TERM; echo ready; while :; do sleep 1000; done",
			grace: 20 * time.Millisecond, code: -1, signal: "killed", text: "ready\n"},
		{name: "deaf grandchild", script: "(trap '' TERM; echo ready; sleep 1000; echo more) & wait",
			grace: 20 * time.Millisecond, code: -1, signal: "terminated", text: "ready\n"},
		{name: "deaf grandchild of many generations",
			script: "(((trap '' TERM; echo ready; sleep 1000) & sleep 1000) & sleep 1000) & wait",
			grace:  20 * time.Millisecond, code: -1, signal: "terminated", text: "ready\n"},
		{name: "deaf grandchild with its own output", script: "(trap '' TERM; sleep 1000) >/dev/null 2>&1 & echo ready; wait",
			grace: 20 * time.Millisecond, code: -1, signal: "terminated", text: "ready\n"},
		{name: "stopped", script: "(while [ $(ps -o stat= -p $$ | cut -c1) != T ]; do :; done; echo ready) & kill -STOP $$",
			grace: 20 * time.Millisecond, code: -1, signal: "killed", text: "ready\n"},
		{name: "still printing", script: "trap '' TERM; echo ready; yes >&2",
			grace: 20 * time.Millisecond, code: -1, signal: "killed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := sh(t, tt.script)
			c.Grace, c.Drain = tt.grace, never
			ctx, cause := cancelAt(t, &c, "ready")
			exit := run(ctx, t, c)
			require.Equal(t, cause, exit.Err)
			require.Equal(t, tt.code, exit.Code)
			require.Equal(t, tt.signal, exit.Signal)
			require.False(t, exit.Lingering)
			if tt.text != "" {
				require.Equal(t, tt.text, exit.Output.Text())
			}
		})
	}
}

func TestDeadline(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	exit := run(ctx, t, sh(t, "sleep 1000"))
	require.Equal(t, context.DeadlineExceeded, exit.Err)
	require.Equal(t, -1, exit.Code)
}

// A shell does not wait for a process substitution, so part of the output comes
// after the end of the child.
func TestOutputAfterTheEnd(t *testing.T) {
	t.Parallel()
	exit := run(t.Context(), t, bash(t, "echo late > >(sleep 0.1; cat); exit 3"))
	require.NoError(t, exit.Err)
	require.Equal(t, 3, exit.Code)
	require.Equal(t, "late\n", exit.Output.Text())
	require.False(t, exit.Lingering)
}

func TestNothingIsLeftInTheGroup(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"silent":  "sleep 1000 >/dev/null 2>&1 & echo done",
		"deaf":    "(trap '' TERM HUP; exec sleep 1000) >/dev/null 2>&1 & echo done",
		"nohup":   "nohup sleep 1000 >/dev/null 2>&1 & echo done",
		"several": "for i in 1 2 3 4; do sleep 1000 >/dev/null 2>&1 & done; echo done",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := sh(t, script)
			c.Drain = never
			exit := run(t.Context(), t, c)
			require.NoError(t, exit.Err)
			require.Zero(t, exit.Code)
			require.Equal(t, "done\n", exit.Output.Text())
			require.False(t, exit.Lingering)
		})
	}
}

// Elapsed is the time of the child, without the time of the drain.
func TestElapsed(t *testing.T) {
	t.Parallel()
	c := sh(t, "sleep 0.05; sleep 1000 & exit 0")
	c.Drain = 300 * time.Millisecond
	begin := time.Now()
	exit := run(t.Context(), t, c)
	require.NoError(t, exit.Err)
	require.GreaterOrEqual(t, exit.Elapsed, 50*time.Millisecond)
	require.LessOrEqual(t, exit.Elapsed+c.Drain, time.Since(begin))
}

func TestLingeringInTheGroup(t *testing.T) {
	t.Parallel()
	c := sh(t, "sleep 1000 & echo done; exit 4")
	c.Drain = 2 * time.Second // after it the group is killed, which closes the output within the same time
	exit := run(t.Context(), t, c)
	require.NoError(t, exit.Err)
	require.Equal(t, 4, exit.Code)
	require.Equal(t, "done\n", exit.Output.Text())
	require.False(t, exit.Lingering, "it was ended, and its output with it")
}

// What was printed is read to its end, also if this process is slow.
func TestSlowReaderLosesNothing(t *testing.T) {
	t.Parallel()
	c := sh(t, "echo begin; sleep 0.1; seq 1 10000")
	c.Drain = time.Second
	slow := time.After(3 * c.Drain / 2)
	c.Output = func([]byte) { <-slow; slow = closedTime() }
	exit := run(t.Context(), t, c)
	require.True(t, strings.HasSuffix(exit.Output.Text(), "\n10000\n"))
	require.False(t, exit.Lingering)
	require.Empty(t, exit.Ended)
}

func closedTime() <-chan time.Time {
	c := make(chan time.Time)
	close(c)
	return c
}

// The child has ended, a descendant holds the output: the context need not wait
// for the drain, and the exit code is the child's own.
func TestEndWhileDraining(t *testing.T) {
	t.Parallel()
	c := sh(t, `LEADER=$$ sh -c 'while [ $(ps -o ppid= -p $$) -eq $LEADER ]; do :; done; echo orphan; exec sleep 1000' & exit 6`)
	c.Drain = never
	ctx, _ := cancelAt(t, &c, "orphan")
	exit := run(ctx, t, c)
	require.Equal(t, 6, exit.Code)
	require.Equal(t, "orphan\n", exit.Output.Text())
	require.False(t, exit.Lingering)
}
