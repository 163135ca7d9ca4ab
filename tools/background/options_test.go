package background_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/background"
)

func TestConfigure(t *testing.T) {
	t.Parallel()
	s := mainSession(t)
	require.Error(t, background.Configure(s, background.Options{MaxTasks: -1}))
	require.ErrorContains(t, background.Configure(s, background.Options{Dir: "here"}), "not absolute")
	dir := filepath.Join(t.TempDir(), "a", "b")
	o := background.Options{Dir: dir, MaxTasks: 3}
	require.NoError(t, background.Configure(s, o))
	require.NoError(t, background.Configure(s, o), "the same again")
	require.ErrorIs(t, background.Configure(s, background.Options{}), background.ErrAlreadyConfigured)
	got, err := background.Of(s).Dir()
	require.NoError(t, err)
	require.DirExists(t, got)
	private(t, dir)
	require.NoError(t, s.Close(t.Context()))
	require.DirExists(t, dir, "it is the host's")

	used := mainSession(t)
	start(t, used, background.Work{})
	require.ErrorIs(t, background.Configure(used, o), background.ErrAlreadyConfigured)
}
