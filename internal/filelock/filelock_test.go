package filelock_test

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/filelock"
)

// holdPath names the variable that makes the test binary hold the lock of a file
// until it is killed.
const holdPath = "FILELOCK_TEST_HOLD"

func TestMain(m *testing.M) {
	if path := os.Getenv(holdPath); path != "" {
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			os.Exit(2)
		}
		if locked, err := filelock.TryLock(f); !locked || err != nil {
			os.Exit(2)
		}
		_, _ = os.Stdout.WriteString("locked\n")
		_, _ = bufio.NewReader(os.Stdin).ReadByte() // until the test kills this process
		runtime.KeepAlive(f)
		os.Exit(2)
	}
	os.Exit(m.Run())
}

// open opens a file of its own for each call, as another process would.
func open(t *testing.T, path string) *os.File {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	require.NoError(t, err)
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// skipUnsupported skips a test where files have no locks.
func skipUnsupported(t *testing.T) {
	t.Helper()
	if _, err := filelock.TryLock(open(t, filepath.Join(t.TempDir(), "probe"))); errors.Is(err, errors.ErrUnsupported) {
		t.Skip("this system has no file locks")
	}
}

func TestTryLock(t *testing.T) {
	t.Parallel()
	skipUnsupported(t)
	tests := []struct {
		name          string
		first, second func(*os.File) (bool, error)
		want          bool // whether the second is acquired beside the first
	}{
		{name: "exclusive and exclusive", first: filelock.TryLock, second: filelock.TryLock, want: false},
		{name: "exclusive and shared", first: filelock.TryLock, second: filelock.TryRLock, want: false},
		{name: "shared and exclusive", first: filelock.TryRLock, second: filelock.TryLock, want: false},
		{name: "shared and shared", first: filelock.TryRLock, second: filelock.TryRLock, want: true},
	}
	releases := map[string]func(*os.File) error{
		"unlock": filelock.Unlock,
		"close":  (*os.File).Close,
	}
	for _, tt := range tests {
		for name, release := range releases {
			t.Run(tt.name+", "+name, func(t *testing.T) {
				t.Parallel()
				path := filepath.Join(t.TempDir(), "file")
				a, b := open(t, path), open(t, path)
				locked, err := tt.first(a)
				require.NoError(t, err)
				require.True(t, locked)
				locked, err = tt.second(b)
				require.NoError(t, err)
				require.Equal(t, tt.want, locked)
				require.NoError(t, release(a))
				if !tt.want {
					locked, err = tt.second(b)
					require.NoError(t, err)
					require.True(t, locked, "the first was released")
				}
			})
		}
	}
}

// Locks are advisory: they keep no other process from reading and writing.
func TestLockedFileIsReadAndWritten(t *testing.T) {
	t.Parallel()
	skipUnsupported(t)
	path := filepath.Join(t.TempDir(), "file")
	locked, err := filelock.TryLock(open(t, path))
	require.NoError(t, err)
	require.True(t, locked)
	require.NoError(t, os.WriteFile(path, []byte("written"), 0o600))
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "written", string(data))
}

func TestLock(t *testing.T) {
	t.Parallel()
	skipUnsupported(t)
	path := filepath.Join(t.TempDir(), "file")
	a, b := open(t, path), open(t, path)
	require.NoError(t, filelock.Lock(t.Context(), a, 0), "a free lock needs no time")
	require.ErrorIs(t, filelock.Lock(t.Context(), b, 0), filelock.ErrHeld)
	require.ErrorIs(t, filelock.Lock(t.Context(), b, 10*time.Millisecond), filelock.ErrHeld)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, filelock.Lock(ended, b, time.Hour), context.Canceled)
	time.AfterFunc(10*time.Millisecond, func() { _ = filelock.Unlock(a) })
	require.NoError(t, filelock.Lock(t.Context(), b, time.Minute), "it waits until the lock is released")
}

func TestClosedFile(t *testing.T) {
	t.Parallel()
	f := open(t, filepath.Join(t.TempDir(), "file"))
	require.NoError(t, f.Close())
	locked, err := filelock.TryLock(f)
	require.False(t, locked)
	require.Error(t, err)
	require.Error(t, filelock.Lock(t.Context(), f, time.Hour), "it does not wait for a lock that cannot be had")
	require.Error(t, filelock.Unlock(f))
}

// TestLockEndsWithItsProcess kills a process that holds the lock.
func TestLockEndsWithItsProcess(t *testing.T) {
	t.Parallel()
	skipUnsupported(t)
	path := filepath.Join(t.TempDir(), "file")
	f := open(t, path)
	holder := child(t, path)
	require.ErrorIs(t, filelock.Lock(t.Context(), f, 0), filelock.ErrHeld)
	require.NoError(t, holder.Process.Kill())
	_ = holder.Wait()
	require.NoError(t, filelock.Lock(t.Context(), f, time.Minute))
}

// TestLockIsNotInherited starts a process while a lock is held: it does not keep the
// lock when the file is closed here.
func TestLockIsNotInherited(t *testing.T) {
	t.Parallel()
	skipUnsupported(t)
	path := filepath.Join(t.TempDir(), "file")
	f := open(t, path)
	require.NoError(t, filelock.Lock(t.Context(), f, 0))
	child(t, open(t, path+".other").Name())
	require.NoError(t, f.Close())
	// Another test may be between fork and exec, where its child still has the descriptor.
	require.NoError(t, filelock.Lock(t.Context(), open(t, path), time.Minute))
}

// child starts the test binary as a process that holds the lock of the file at path,
// and returns once it does. The test's end kills it.
func child(t *testing.T, path string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), holdPath+"="+path)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "locked\n", line)
	return cmd
}
