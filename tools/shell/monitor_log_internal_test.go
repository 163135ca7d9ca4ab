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
	log, err := newMonitorLog(background.Of(s), 1000)
	require.NoError(t, err)
	log.write([]byte("one\n"))
	require.NoError(t, log.file.Close())
	log.write([]byte("two\n"))
	log.write([]byte("three\n"))
	require.ErrorIs(t, log.close(), os.ErrClosed)
	require.ErrorContains(t, log.close(), "write ", "the first")
	log.discard()
	require.NoFileExists(t, log.path)
}

// TestMonitorLogKeepsTheBeginning: a monitor cannot fill the disk.
func TestMonitorLogKeepsTheBeginning(t *testing.T) {
	t.Parallel()
	s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	log, err := newMonitorLog(background.Of(s), 10)
	require.NoError(t, err)
	log.write([]byte("0123456789"))
	select {
	case <-log.full:
		require.Fail(t, "all of it fits")
	default:
	}
	for range 3 {
		log.write([]byte("more"))
	}
	<-log.full
	require.NoError(t, log.close())
	data, err := os.ReadFile(log.path)
	require.NoError(t, err)
	require.Equal(t, "0123456789", string(data))
	log.discard()
}
