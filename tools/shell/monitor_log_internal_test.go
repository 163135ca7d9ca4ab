package shell

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/background"
)

// TestMonitorLog: after an error nothing more is written, and the first error is
// what is said.
func TestMonitorLog(t *testing.T) {
	t.Parallel()
	s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	log, err := newMonitorLog(background.Of(s))
	require.NoError(t, err)
	log.write([]byte("one\n"))
	require.NoError(t, os.Truncate(log.path, 100)) // as the command would write to it
	require.EqualValues(t, 100, log.size())
	require.NoError(t, log.file.Close())
	require.Zero(t, log.size())
	log.write([]byte("two\n"))
	log.write([]byte("three\n"))
	require.ErrorIs(t, log.close(), os.ErrClosed)
	require.ErrorContains(t, log.close(), "write ", "the first")
	log.discard()
	require.NoFileExists(t, log.path)
}
