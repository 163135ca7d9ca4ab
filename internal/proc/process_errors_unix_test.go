//go:build unix

package proc_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/proc"
)

// TestErrorsApart runs commands whose stderr is no part of the output.
func TestErrorsApart(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, script, out, errs string
	}{
		{name: "both", script: "for i in 1 2 3; do echo out $i; echo err $i >&2; done", out: "out 1\nout 2\nout 3\n", errs: "err 1\nerr 2\nerr 3\n"},
		{name: "errors only", script: "echo err >&2", errs: "err\n"},
		{name: "output only", script: "echo out", out: "out\n"},
		{name: "closed output", script: "exec >&-; echo err >&2", errs: "err\n"},
		{name: "more than the pipes hold", script: "head -c 300000 /dev/zero | tr '\\0' e >&2; head -c 300000 /dev/zero | tr '\\0' o", out: strings.Repeat("o", 300_000), errs: strings.Repeat("e", 300_000)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var errs bytes.Buffer
			c := sh(t, tt.script)
			c.Errors = func(p []byte) { errs.Write(p) }
			exit := run(t.Context(), t, c)
			require.NoError(t, exit.Err)
			require.Equal(t, tt.out, exit.Output.Text())
			require.Equal(t, tt.errs, errs.String())
			require.False(t, exit.Lingering)
		})
	}
}

// TestErrorsCountAsOutput limits what a command prints to both.
func TestErrorsCountAsOutput(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		limit int64
		want  error
	}{
		{name: "both are counted", limit: 150_000, want: proc.ErrOutputLimit},
		{name: "enough", limit: 200_000},
		{name: "no limit", limit: -1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := sh(t, "head -c 100000 /dev/zero >&2; head -c 100000 /dev/zero")
			c.MaxOutput, c.Errors = tt.limit, func([]byte) {}
			require.ErrorIs(t, run(t.Context(), t, c).Err, tt.want)
		})
	}
}

// TestErrorsThatPanic ends the reading, and the command with it.
func TestErrorsThatPanic(t *testing.T) {
	t.Parallel()
	errNo := errors.New("no")
	c := sh(t, "echo out; echo err >&2")
	c.Errors, c.Drain = func([]byte) { panic(errNo) }, time.Second
	exit := run(t.Context(), t, c)
	var panicked *goroutine.PanicError
	require.ErrorAs(t, exit.Err, &panicked)
	require.Equal(t, errNo, panicked.Value)
	require.Equal(t, "out\n", exit.Output.Text())
}
