package settings_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/settings"
)

func TestLoadInstructions(t *testing.T) {
	t.Parallel()
	w := newSkillTree(t)
	w.write(t, filepath.Join(w.home, "AGENTS.md"), "not of the project")
	w.write(t, filepath.Join(w.dir, "deep", "AGENTS.md"), "below the session's directory")
	list, err := w.files.LoadInstructions(t.Context())
	require.NoError(t, err)
	require.Empty(t, list)

	root, app := filepath.Join(w.repo, "AGENTS.md"), filepath.Join(w.dir, "AGENTS.md")
	w.write(t, root, "Use tabs.\n\xff")
	w.write(t, filepath.Join(w.dir, "CLAUDE.md"), "Use blanks.\n")
	require.NoError(t, os.Symlink("CLAUDE.md", app))
	list, err = w.files.LoadInstructions(t.Context())
	require.NoError(t, err)
	require.Equal(t, []settings.Instructions{{Path: root, Text: "Use tabs.\n"}, {Path: app, Text: "Use blanks.\n"}}, list)
	w.files.Trusted = true
	list, err = w.files.LoadInstructions(t.Context())
	require.NoError(t, err)
	require.True(t, list[0].Trusted)

	secret := filepath.Join(w.home, "secret")
	w.write(t, secret, "a key")
	for name, spoil := range map[string]func(){
		"path escapes":     func() { require.NoError(t, os.Symlink(secret, app)) },
		"more than 262144": func() { w.write(t, app, strings.Repeat("x", 256<<10+1)) },
		"AGENTS.md":        func() { require.NoError(t, os.Mkdir(app, 0o700)) },
	} {
		require.NoError(t, os.RemoveAll(app))
		spoil()
		list, err = w.files.LoadInstructions(t.Context())
		require.ErrorContains(t, err, name)
		require.ErrorContains(t, err, app)
		require.Len(t, list, 1)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	list, err = w.files.LoadInstructions(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, list)
}
