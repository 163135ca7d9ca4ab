package proc_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/proc"
)

// started is a process with its output as it comes.
type started struct {
	*proc.Process
	lines *bufio.Reader
}

func (s started) line(t *testing.T) string {
	t.Helper()
	line, err := s.lines.ReadString('\n')
	require.NoError(t, err)
	return line
}

// start starts a command that must start. What it prints has to be read, or it
// comes to no end.
func start(ctx context.Context, t *testing.T, table *proc.Table, c proc.Command) started {
	t.Helper()
	read, write := io.Pipe()
	c.Output = func(p []byte) { _, _ = write.Write(p) }
	p, err := table.Start(ctx, c)
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = read.Close()
		p.Stop(nil)
		<-p.Done()
	})
	return started{Process: p, lines: bufio.NewReader(read)}
}

func isDone(p started) bool {
	select {
	case <-p.Done():
		return true
	default:
		return false
	}
}

func TestProcessWhileItRuns(t *testing.T) {
	t.Parallel()
	var table proc.Table
	c := own(t, "echo")
	c.Stdin = true
	begin := time.Now()
	p := start(t.Context(), t, &table, c)
	require.Equal(t, 1, table.Live())
	require.NotZero(t, p.Pid())
	require.NotEqual(t, os.Getpid(), p.Pid())
	first := p.LastOutput()
	require.WithinRange(t, first, begin, time.Now())

	for _, word := range []string{"one\n", "two\n"} {
		asked := time.Now()
		_, err := io.WriteString(p.Stdin(), word)
		require.NoError(t, err)
		require.Equal(t, word, p.line(t))
		require.WithinRange(t, p.LastOutput(), asked, time.Now())
	}
	require.Equal(t, "one\ntwo\n", p.Output().Text())
	require.False(t, isDone(p))
	require.NoError(t, p.Stdin().Close())
	require.NoError(t, p.Stdin().Close(), "again")
	exit := p.Exit()
	require.True(t, isDone(p))
	require.Zero(t, table.Live())
	require.NoError(t, exit.Err)
	require.Zero(t, exit.Code)
	require.Equal(t, "one\ntwo\n", exit.Output.Text())
	require.Equal(t, exit, p.Exit())
	require.Equal(t, exit.Output, p.Output())
}

func TestWriteToNobody(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		role string
		set  func(*proc.Command)
		prep func(t *testing.T, p started)
	}{
		{name: "no input", role: "wait", set: func(c *proc.Command) { c.Stdin = false }, prep: func(*testing.T, started) {}},
		{name: "closed by us", role: "wait", prep: func(t *testing.T, p started) {
			t.Helper()
			require.NoError(t, p.Stdin().Close())
		}},
		{name: "closed by the child", role: "shut", prep: func(t *testing.T, p started) {
			t.Helper()
			require.Equal(t, "shut\n", p.line(t))
		}},
		{name: "ended", role: "three", prep: func(_ *testing.T, p started) { <-p.Done() }},
		{name: "stopped", role: "wait", prep: func(t *testing.T, p started) {
			t.Helper()
			p.line(t)
			p.Stop(nil)
			<-p.Done()
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var table proc.Table
			c := own(t, tt.role)
			c.Stdin = true
			if tt.set != nil {
				tt.set(&c)
			}
			p := start(t.Context(), t, &table, c)
			tt.prep(t, p)
			_, err := io.WriteString(p.Stdin(), "hello")
			require.Error(t, err)
			require.NoError(t, p.Stdin().Close())
		})
	}
}

// A write that is too much for the pipe waits, but not longer than the child lives.
func TestWriteIsEnded(t *testing.T) {
	t.Parallel()
	var table proc.Table
	c := own(t, "wait") // which never reads
	c.Stdin = true
	p := start(t.Context(), t, &table, c)
	p.line(t)
	wrote := goroutine.Go(func() {
		n, err := io.WriteString(p.Stdin(), strings.Repeat("x", 4<<20))
		require.Error(t, err)
		require.Less(t, n, 4<<20)
	})
	p.Stop(nil)
	require.NoError(t, <-wrote)
	require.ErrorIs(t, p.Exit().Err, context.Canceled)
}

func TestStop(t *testing.T) {
	t.Parallel()
	first, second := errors.New("first"), errors.New("second")
	tests := []struct {
		name string
		role string
		stop func(p started, table *proc.Table, cancel context.CancelCauseFunc)
		want error
	}{
		{name: "once", role: "wait", want: first,
			stop: func(p started, _ *proc.Table, _ context.CancelCauseFunc) { p.Stop(first) }},
		{name: "for no reason", role: "wait", want: context.Canceled,
			stop: func(p started, _ *proc.Table, _ context.CancelCauseFunc) { p.Stop(nil) }},
		{name: "twice", role: "wait", want: first,
			stop: func(p started, _ *proc.Table, _ context.CancelCauseFunc) { p.Stop(first); p.Stop(second) }},
		{name: "after the end", role: "print", want: nil,
			stop: func(p started, _ *proc.Table, _ context.CancelCauseFunc) {
				_, _ = io.Copy(io.Discard, io.LimitReader(p.lines, 6))
				<-p.Done()
				p.Stop(first)
			}},
		{name: "by the context", role: "wait", want: first,
			stop: func(p started, _ *proc.Table, cancel context.CancelCauseFunc) {
				cancel(first)
				<-p.Done()
				p.Stop(second)
			}},
		{name: "by the table", role: "wait", want: proc.ErrClosed,
			stop: func(p started, table *proc.Table, _ context.CancelCauseFunc) {
				_ = table.Close(context.Background())
				p.Stop(first)
			}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var table proc.Table
			ctx, cancel := context.WithCancelCause(t.Context())
			p := start(ctx, t, &table, own(t, tt.role))
			if tt.role == "wait" {
				require.Equal(t, "ready\n", p.line(t))
			}
			tt.stop(p, &table, cancel)
			require.Equal(t, tt.want, p.Exit().Err)
			require.Zero(t, table.Live())
			cancel(second)
			require.Equal(t, tt.want, p.Exit().Err)
		})
	}
}

// What ends a process may come from many sides at once, at any moment of its life.
func TestStopAtAnyMoment(t *testing.T) {
	t.Parallel()
	c := own(t, "three")
	for range effort.Of(t, 30) {
		var table proc.Table
		ctx, cancel := context.WithCancel(t.Context())
		p, err := table.Start(ctx, c)
		require.NoError(t, err)
		all := []<-chan error{
			goroutine.Go(func() { p.Stop(nil) }),
			goroutine.Go(cancel),
			goroutine.Go(func() { require.NoError(t, table.Close(t.Context())) }),
			goroutine.Go(func() { p.Output(); p.LastOutput(); _, _ = p.Stored(); p.Pid() }),
		}
		exit := p.Exit()
		require.True(t, exit.Code == 3 || exit.Err != nil)
		for _, done := range all {
			require.NoError(t, <-done)
		}
	}
}

// The tests in this file need no shell: they run the test binary.

func TestRunEverywhere(t *testing.T) {
	t.Parallel()
	tests := []struct {
		role string
		code int
		text string
	}{
		{role: "three", code: 3},
		{role: "print", text: "outerr"},
		{role: "read", text: "0 <nil>"},
	}
	for _, tt := range tests {
		t.Run(tt.role, func(t *testing.T) {
			t.Parallel()
			exit := run(t.Context(), t, own(t, tt.role))
			require.NoError(t, exit.Err)
			require.Equal(t, tt.code, exit.Code)
			require.Equal(t, tt.text, exit.Output.Text())
			require.Empty(t, exit.Signal)
			require.False(t, exit.Lingering)
			require.Positive(t, exit.Elapsed)
		})
	}
}

func TestCancelEverywhere(t *testing.T) {
	t.Parallel()
	for _, role := range []string{"wait", "parent"} {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			tired := errors.New("the user has seen enough")
			ctx, cancel := context.WithCancelCause(t.Context())
			c := own(t, role)
			c.Drain = never
			c.Output = func([]byte) { cancel(tired) }
			exit := run(ctx, t, c)
			require.Equal(t, tired, exit.Err)
			require.NotZero(t, exit.Code)
			require.Equal(t, "ready\n", exit.Output.Text())
			require.False(t, exit.Lingering)
		})
	}
}

func TestRunRefuses(t *testing.T) {
	t.Parallel()
	here := t.TempDir()
	missing := filepath.Join(here, "missing")
	itself := own(t, "three").Args
	tests := []struct {
		name    string
		command proc.Command
		want    string
	}{
		{name: "nothing", command: proc.Command{Dir: here}, want: "no arguments"},
		{name: "no directory", command: proc.Command{Args: itself}, want: `directory "" is not absolute`},
		{name: "relative directory", command: proc.Command{Args: itself, Dir: "a"}, want: `directory "a" is not absolute`},
		{name: "relative file", command: proc.Command{Args: itself, Dir: here, File: "out"}, want: `output file "out" is not absolute`},
		{name: "missing directory", command: proc.Command{Args: itself, Dir: missing}, want: "working directory: "},
		{name: "directory that is a file", command: proc.Command{Args: itself, Dir: itself[0]}, want: "is not a directory"},
		{name: "unknown program", command: proc.Command{Args: []string{"no-such-program"}, Dir: here}, want: "executable file not found"},
		{name: "missing program", command: proc.Command{Args: []string{missing}, Dir: here}, want: "missing"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var table proc.Table
			exit, err := table.Run(t.Context(), tt.command)
			require.ErrorContains(t, err, tt.want)
			require.Zero(t, exit)
			require.Zero(t, table.Live())
		})
	}
}

func TestRunAfterTheContextEnded(t *testing.T) {
	t.Parallel()
	late := errors.New("too late")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(late)
	var table proc.Table
	c := own(t, "print")
	c.Output = func([]byte) { t.Error("it was started") }
	_, err := table.Run(ctx, c)
	require.Equal(t, late, err)
}

func TestOutputPanics(t *testing.T) {
	t.Parallel()
	c := own(t, "print")
	c.Output = func([]byte) { panic("no") }
	exit := run(t.Context(), t, c)
	var caught *goroutine.PanicError
	require.ErrorAs(t, exit.Err, &caught)
	require.Equal(t, "no", caught.Value)
	require.False(t, exit.Lingering)
}
