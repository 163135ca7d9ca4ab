package mcp_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/mcp"
)

const notesAddress = "https://example.com/mcp"

// tokenFile returns the only file of a folder, locks aside.
func tokenFile(t *testing.T, folder string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(folder, "*.json"))
	require.NoError(t, err)
	require.Len(t, found, 1)
	return found[0]
}

func TestFileTokensKeepsOneFileForEachServer(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "config", "tokens")
	store := mcp.FileTokens(folder)
	data, err := store.Load(t.Context(), notesAddress)
	require.NoError(t, err)
	require.Empty(t, data)
	require.NoFileExists(t, folder, "nothing is made before something is kept")

	require.NoError(t, store.Save(t.Context(), notesAddress, []byte("one")))
	file := tokenFile(t, folder)
	require.NotContains(t, file, "example")
	if runtime.GOOS != "windows" {
		for path, want := range map[string]fs.FileMode{folder: 0o700, filepath.Dir(folder): 0o700, file: 0o600} {
			info, err := os.Stat(path)
			require.NoError(t, err)
			require.Equal(t, want, info.Mode().Perm(), path)
		}
	}
	require.NoError(t, store.Save(t.Context(), "https://example.com/other", []byte("other")))
	require.NoError(t, store.Save(t.Context(), notesAddress, []byte("two")))
	data, err = mcp.FileTokens(folder).Load(t.Context(), notesAddress)
	require.NoError(t, err)
	require.Equal(t, "two", string(data))

	require.NoError(t, store.Save(t.Context(), notesAddress, nil))
	require.NoError(t, store.Save(t.Context(), notesAddress, nil), "there is nothing to remove")
	data, err = store.Load(t.Context(), notesAddress)
	require.NoError(t, err)
	require.Empty(t, data)
	tokenFile(t, folder) // that of the other server
}

// TestFileTokensNarrowsAFile expects that a file which others could read is not left so.
func TestFileTokensNarrowsAFile(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the system has no such permissions")
	}
	folder := t.TempDir()
	store := mcp.FileTokens(folder)
	require.NoError(t, store.Save(t.Context(), notesAddress, []byte("one")))
	file := tokenFile(t, folder)
	require.NoError(t, os.Chmod(file, 0o644))
	require.NoError(t, store.Save(t.Context(), notesAddress, []byte("two")))
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o600), info.Mode().Perm())
}

// TestFileTokensRefusesOddFiles expects an error or nothing, and no file outside the folder
// changed.
func TestFileTokensRefusesOddFiles(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "outside")
	require.NoError(t, os.WriteFile(outside, []byte("keep"), 0o600))
	tests := []struct {
		name    string
		make    func(t testing.TB, file string)
		loadErr bool
		saveErr bool
	}{
		{name: "directory", make: func(t testing.TB, file string) { require.NoError(t, os.Mkdir(file, 0o700)) }, loadErr: true, saveErr: true},
		{name: "link", make: func(t testing.TB, file string) { require.NoError(t, os.Symlink(outside, file)) }, loadErr: true, saveErr: true},
		{name: "large", make: func(t testing.TB, file string) {
			require.NoError(t, os.WriteFile(file, []byte(strings.Repeat("x", 2<<20)), 0o600))
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			store := mcp.FileTokens(folder)
			require.NoError(t, store.Save(t.Context(), notesAddress, []byte("one")))
			file := tokenFile(t, folder)
			require.NoError(t, os.Remove(file))
			tt.make(t, file)
			data, err := store.Load(t.Context(), notesAddress)
			require.Equal(t, tt.loadErr, err != nil, "%v", err)
			require.Empty(t, data)
			err = store.Save(t.Context(), notesAddress, []byte("two"))
			require.Equal(t, tt.saveErr, err != nil, "%v", err)
			kept, err := os.ReadFile(outside)
			require.NoError(t, err)
			require.Equal(t, "keep", string(kept))
		})
	}
}

// TestFileTokensAtOnce saves from several stores, as several processes do: each load finds a
// whole text.
func TestFileTokensAtOnce(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	var wait sync.WaitGroup
	for i := range 4 {
		wait.Go(func() {
			store := mcp.FileTokens(folder)
			for range 20 {
				text := strings.Repeat(fmt.Sprint(i), 1000+i)
				if err := store.Save(context.Background(), notesAddress, []byte(text)); err != nil {
					continue // others were quicker
				}
				data, err := store.Load(context.Background(), notesAddress)
				if err != nil || len(data) < 1000 || strings.Trim(string(data), string(data[:1])) != "" {
					t.Errorf("load: %v, %d bytes", err, len(data))
				}
			}
		})
	}
	wait.Wait()
	tokenFile(t, folder)
}

func ExampleFileTokens() {
	folder, err := os.MkdirTemp("", "tokens")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(folder) }()
	ctx := context.Background()
	store := mcp.FileTokens(folder)
	if err := store.Save(ctx, "https://example.com/mcp", []byte("what was granted")); err != nil {
		fmt.Println(err)
		return
	}
	data, err := store.Load(ctx, "https://example.com/mcp")
	fmt.Println(string(data), err)
	// Output: what was granted <nil>
}
