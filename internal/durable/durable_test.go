package durable_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/atomicfile"
	"github.com/seed49eaa51d/pegboard/internal/durable"
	"github.com/seed49eaa51d/pegboard/internal/filelock"
)

// maxNumber is how many bytes the file of a number may have.
const maxNumber = 1 << 20

// numbers is the format of a number, before blanks that make the file large.
func numbers(aside func(string, error)) durable.Format[int] {
	return durable.Format[int]{
		MaxBytes: maxNumber,
		Decode: func(data []byte) (int, error) {
			if data == nil {
				return 0, nil
			}
			n, err := strconv.Atoi(strings.TrimSpace(string(data)))
			if err != nil || len(data) != blanks {
				return 0, fmt.Errorf("%w: %d bytes, %w", durable.ErrCorrupt, len(data), err)
			}
			return n, nil
		},
		Encode: func(n int) ([]byte, error) {
			if n < 0 {
				return nil, errNegative
			}
			return fmt.Appendf(nil, "%-*d", blanks, n), nil
		},
		Aside: aside,
	}
}

// blanks is the size of a file.
const blanks = 200_000

var errNegative = errors.New("it is negative")

func plus(n int) func(int) (int, error) { return func(old int) (int, error) { return old + n, nil } }

// TestChange is the same in memory and in a file.
func TestChange(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "folder", "n")
	for _, path := range []string{"", file} {
		f := durable.New(path, numbers(nil))
		n, err := f.Load(t.Context())
		require.NoError(t, err)
		require.Zero(t, n)
		_, err = f.Change(t.Context(), plus(0))
		require.NoError(t, err)
		require.NoFileExists(t, file, "what is as before is not written")
		n, err = f.Change(t.Context(), plus(2))
		require.NoError(t, err)
		require.Equal(t, 2, n)
		_, err = f.Change(t.Context(), func(int) (int, error) { return 9, errNegative })
		require.ErrorIs(t, err, errNegative)
		_, err = f.Change(t.Context(), plus(-9))
		require.ErrorIs(t, err, errNegative, "the value cannot be written")
		n, err = f.Load(t.Context())
		require.NoError(t, err)
		require.Equal(t, 2, n)
		over, cancel := context.WithCancelCause(t.Context())
		cancel(errNegative)
		_, err = f.Change(over, plus(1))
		require.ErrorIs(t, err, errNegative)
	}
	n, err := durable.New(file, numbers(nil)).Load(t.Context())
	require.NoError(t, err)
	require.Equal(t, 2, n)
	f := durable.New(file, numbers(nil))
	require.NoError(t, f.Remove(t.Context()))
	require.NoError(t, f.Remove(t.Context()), "there is none")
	n, err = f.Load(t.Context())
	require.NoError(t, err)
	require.Zero(t, n)
}

// TestChangesAtOnce lose none, in memory, of one File, and of several.
func TestChangesAtOnce(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "n")
	for _, files := range [][]*durable.File[int]{
		{durable.New("", numbers(nil))},
		{durable.New(file, numbers(nil)), durable.New(file, numbers(nil))},
	} {
		var all sync.WaitGroup
		for i := range 4 {
			all.Go(func() {
				for range 20 {
					if _, err := files[i%len(files)].Change(context.Background(), plus(1)); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		n, err := files[0].Load(t.Context())
		require.NoError(t, err)
		require.Equal(t, 80, n)
	}
}

// TestDamagedFile is set aside once, where the format wants that, and left where not.
func TestDamagedFile(t *testing.T) {
	t.Parallel()
	for _, change := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "n")
		require.NoError(t, os.WriteFile(path, []byte("x"), 0o600))
		_, err := durable.New(path, numbers(nil)).Change(t.Context(), plus(1))
		require.ErrorIs(t, err, durable.ErrCorrupt)
		var moved []string
		f := durable.New(path, numbers(func(aside string, reason error) {
			require.ErrorIs(t, reason, durable.ErrCorrupt)
			moved = append(moved, aside)
		}))
		if change {
			_, err = f.Change(t.Context(), plus(1))
		} else {
			_, err = f.Load(t.Context())
		}
		require.NoError(t, err)
		require.Len(t, moved, 1)
		require.Regexp(t, `^`+path+`\.[a-z2-7]{8}\.corrupt$`, moved[0])
		data, err := os.ReadFile(moved[0])
		require.NoError(t, err)
		require.Equal(t, "x", string(data))
		n, err := f.Change(t.Context(), plus(1))
		require.NoError(t, err)
		require.Positive(t, n)
		require.Len(t, moved, 1)
	}
}

// TestFileThatIsTooLarge is left as it is: it may not be the program's.
func TestFileThatIsTooLarge(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "n")
	require.NoError(t, os.WriteFile(path, make([]byte, maxNumber+1), 0o600))
	_, err := durable.New(path, numbers(func(string, error) { t.Error("set aside") })).Change(t.Context(), plus(1))
	require.ErrorAs(t, err, new(*atomicfile.SizeError))
}

// TestLocked: a change waits for a program that has the lock, and not for ever.
func TestLocked(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "n")
	f := durable.New(path, numbers(nil))
	_, err := f.Change(t.Context(), plus(1))
	require.NoError(t, err)
	gate, err := os.OpenFile(path+".lock", os.O_RDWR, 0)
	require.NoError(t, err)
	defer func() { require.NoError(t, gate.Close()) }()
	locked, err := filelock.TryLock(gate)
	if err != nil {
		t.Skip("there are no locks here")
	}
	require.True(t, locked)
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		_, err := f.Change(t.Context(), plus(1))
		require.ErrorIs(t, err, durable.ErrBusy)
		require.Equal(t, 10*time.Second, time.Since(began))
	})
	n, err := f.Load(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, n, "it can be read")
}
