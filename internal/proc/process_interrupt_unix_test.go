//go:build unix

package proc_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/proc"
)

// TestInterrupt: the child alone or with what it has started, gets the signal of Ctrl-C, and
// decides what it does.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, script string
		all          bool
		want         string
	}{
		{name: "the child", script: "trap 'echo asked; exit 3' INT; echo ready; while :; do sleep 0.01; done", want: "ready\nasked\n"},
		{name: "all", all: true, script: "trap 'echo asked; exit 3' INT; (echo ready; exec sleep 1000)", want: "ready\nasked\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var table proc.Table
			ready := make(chan struct{}, 1)
			p, err := table.Start(t.Context(), proc.Command{Args: []string{"/bin/sh", "-c", tt.script}, Dir: t.TempDir(), Output: func([]byte) {
				select {
				case ready <- struct{}{}:
				default:
				}
			}})
			require.NoError(t, err)
			<-ready
			require.NoError(t, p.Interrupt(tt.all))
			exit := p.Exit()
			require.NoError(t, exit.Err)
			require.Equal(t, 3, exit.Code)
			require.Equal(t, tt.want, exit.Output.Text())
			require.ErrorIs(t, p.Interrupt(tt.all), os.ErrProcessDone)
		})
	}
}
