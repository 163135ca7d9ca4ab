package proc_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/proc"
)

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
