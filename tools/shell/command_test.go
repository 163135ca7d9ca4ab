package shell_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/background"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// Files are gone after a call that was cancelled with much output.
func TestCancelledCommandLeavesNoFiles(t *testing.T) {
	t.Parallel()
	needBash(t)
	s := session(t, t.TempDir(), "Bash")
	c, cancel := context.WithCancel(t.Context())
	ended := starting(c, poolOf(t, s, shell.Bash(shell.Options{})), "Bash", `{"command":"seq 1 1000000; sleep 60"}`)
	time.Sleep(time.Second)
	cancel()
	out := <-ended
	require.LessOrEqual(t, len(out.Result.Text()), shell.MaxShownFailed+1000)
	dir, err := background.Of(s).Dir()
	require.NoError(t, err)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}
