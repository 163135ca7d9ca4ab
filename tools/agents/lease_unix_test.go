//go:build unix

package agents_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/agents"
)

// copyOpen makes a copy of the descriptor that this process has of a file, as a process has that is
// being started. It ends with the test.
func copyOpen(t *testing.T, path string) {
	t.Helper()
	var want, have syscall.Stat_t
	require.NoError(t, syscall.Stat(path, &want))
	syscall.ForkLock.RLock() // no process that another test starts gets a copy
	defer syscall.ForkLock.RUnlock()
	fd := 0
	for syscall.Fstat(fd, &have) != nil || have.Dev != want.Dev || have.Ino != want.Ino {
		fd++
		require.Less(t, fd, 1<<16, "the file is not open")
	}
	held, err := syscall.Dup(fd)
	require.NoError(t, err)
	syscall.CloseOnExec(held)
	t.Cleanup(func() { require.NoError(t, syscall.Close(held)) })
}

// TestDirectoryIsFreeWhileAProgramIsStarted: a process that is being started has a copy of each open
// file until it becomes its program. It keeps no conversation from opening the directory again.
func TestDirectoryIsFreeWhileAProgramIsStarted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	change := func(o *agents.Options) { o.Dir = dir }
	first := newHouse(t, pegboard.SessionConfig{}, says("done"), change, look())
	require.NoError(t, first.call(t, map[string]any{"name": "anna"}).Err)
	copyOpen(t, filepath.Join(dir, "lock"))
	require.NoError(t, first.session.Close(t.Context()))

	second := newHouse(t, pegboard.SessionConfig{}, says("done"), change, look())
	require.Empty(t, second.agents.Notifications(second.session))
	require.NoError(t, second.sendMessage(t, "anna").Err)
}
