//go:build unix

package mailbox_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// TestForeignMailbox: what stands where a mailbox should be is no mailbox. Nothing is written
// through it, nothing waits for it, and it is a problem that is returned once.
func TestForeignMailbox(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		make func(t *testing.T, path, elsewhere string)
	}{
		{name: "a pipe", make: func(t *testing.T, path, _ string) {
			t.Helper()
			require.NoError(t, syscall.Mkfifo(path, 0o600))
		}},
		{name: "a file", make: func(t *testing.T, path, _ string) {
			t.Helper()
			require.NoError(t, os.WriteFile(path, nil, 0o600))
		}},
		{name: "a link to a directory elsewhere", make: func(t *testing.T, path, elsewhere string) {
			t.Helper()
			require.NoError(t, os.Symlink(elsewhere, path))
		}},
		{name: "a link to another mailbox", make: func(t *testing.T, path, _ string) {
			t.Helper()
			require.NoError(t, os.Mkdir(filepath.Join(filepath.Dir(path), "bob"), 0o700))
			require.NoError(t, os.Symlink("bob", path))
		}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir, elsewhere := t.TempDir(), t.TempDir()
			tc.make(t, filepath.Join(dir, "ann"), elsewhere)
			done := goroutine.Go(func() {
				b := openDir(t, dir)
				require.Error(t, b.Put("ann", json.RawMessage(`1`)))
				require.Empty(t, filesOf(t, elsewhere))
				require.False(t, b.Has("ann"))
				messages, problems := b.Take("ann", all)
				require.Empty(t, messages)
				require.Len(t, problems, 1)
				require.Empty(t, take(t, b, "ann"), "it is told once")
				require.NoError(t, b.Put("cid", json.RawMessage(`2`)))
				require.Equal(t, []string{"2"}, take(t, b, "cid"))
			})
			select {
			case err := <-done:
				require.NoError(t, err)
			case <-time.After(time.Minute):
				require.Fail(t, "it waits for the other end of the pipe")
			}
		})
	}
}
