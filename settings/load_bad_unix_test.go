//go:build unix

package settings_test

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPipes in place of files are not waited for.
func TestPipes(t *testing.T) {
	t.Parallel()
	f := managedFiles(t)
	for _, path := range []string{f.Managed[0], filepath.Join(f.Managed[1], "a.json"), f.Local, f.Project, f.User, f.Servers, f.Person} {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, syscall.Mkfifo(path, 0o644))
	}
	l, err := f.Load(t.Context())
	require.Error(t, err)
	require.Len(t, l.Broken, 5)
	for _, b := range l.Broken {
		require.ErrorContains(t, b, b.Path)
	}
	require.Contains(t, fmt.Sprint(l.Warnings), f.Servers)
	require.Contains(t, fmt.Sprint(l.Warnings), f.Person)
	require.False(t, f.Changed(l))
	require.Error(t, f.Approve(t.Context(), "a", true))
}

// TestUnreadableManagedDirectory: managed settings that cannot be read are an error.
func TestUnreadableManagedDirectory(t *testing.T) {
	t.Parallel()
	f := managedFiles(t)
	write(t, f.Managed[1], "no directory")
	write(t, f.Managed[0], `{"permissions": {"deny": ["D"]}}`)
	l, err := f.Load(t.Context())
	require.ErrorContains(t, err, f.Managed[1])
	require.Len(t, l.Rules, 1)
	_, err = l.WithoutBroken().Permissions()
	require.Error(t, err)
}
