//go:build unix

package proc_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/proc"
)

// TestWriteNow writes more than a pipe holds to a child that never reads, to one that reads,
// and to ones that cannot read any more.
func TestWriteNow(t *testing.T) {
	t.Parallel()
	text := bytes.Repeat([]byte("0123456789abcdef"), 1<<18)
	tests := []struct {
		name    string
		role    string
		noInput bool
		prepare func(t *testing.T, p started)
		refused bool
		echoed  bool
	}{
		{name: "never read", role: "wait"},
		{name: "echoed", role: "echo", echoed: true},
		{name: "no input", role: "wait", noInput: true, refused: true},
		{name: "closed by us", role: "wait", refused: true, prepare: func(t *testing.T, p started) {
			t.Helper()
			require.NoError(t, p.Stdin().Close())
		}},
		{name: "closed by the child", role: "shut", refused: true, prepare: func(t *testing.T, p started) {
			t.Helper()
			require.Equal(t, "shut\n", p.line(t))
		}},
		{name: "ended", role: "three", refused: true, prepare: func(_ *testing.T, p started) { <-p.Done() }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var table proc.Table
			c := own(t, tt.role)
			c.Stdin, c.Keep = !tt.noInput, 2*len(text)
			p := start(t.Context(), t, &table, c)
			if tt.prepare != nil {
				tt.prepare(t, p)
			}
			n, err := p.Stdin().WriteNow(text)
			if tt.refused {
				require.Error(t, err)
				require.Zero(t, n)
				return
			}
			require.NoError(t, err)
			require.Positive(t, n)
			require.Less(t, n, len(text))
			if !tt.echoed {
				n, err = p.Stdin().WriteNow(text)
				require.NoError(t, err)
				require.Zero(t, n, "the pipe is full")
				return
			}
			go func() { _, _ = p.lines.WriteTo(io.Discard) }() // until the test ends
			_, err = p.Stdin().Write(text[n:])
			require.NoError(t, err)
			require.NoError(t, p.Stdin().Close())
			require.Equal(t, string(text), p.Exit().Output.Text())
		})
	}
}
