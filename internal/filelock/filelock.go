// Package filelock locks open files against other processes and against other open
// files of the same process.
//
// A lock belongs to an [os.File]. It ends when that file is closed, and so when the
// process ends, however it ends. Programs started by the process do not inherit it, but
// one that is being started holds it for a moment. Where that matters, [Unlock] releases
// the lock before the file is closed.
// Locks are advisory: they exclude other locks, and hinder no reading or writing.
//
// The systems that have such locks are Linux, macOS, the BSDs (flock) and Windows
// (LockFileEx, on a byte beyond the end of any file). Elsewhere, on some network file
// systems, and for directories on Windows, every function returns an error at once.
package filelock

import (
	"context"
	"errors"
	"os"
	"time"
)

// ErrHeld says that the lock is held through another open file.
var ErrHeld = errors.New("the lock is held by another process")

// TryLock acquires the exclusive lock of f without waiting. It reports false if another
// open file holds a lock of the same file. An error means that f cannot be locked.
// f must not hold a lock already.
func TryLock(f *os.File) (bool, error) { return try(f, true) }

// TryRLock is TryLock for a shared lock, which excludes exclusive locks only.
func TryRLock(f *os.File) (bool, error) { return try(f, false) }

// Lock acquires the exclusive lock of f. It returns ErrHeld if the lock was not released
// within timeout, and ctx.Err() if ctx ended first. Any other error means that f cannot
// be locked. With a timeout of 0 or less, Lock tries once.
func Lock(ctx context.Context, f *os.File, timeout time.Duration) error {
	const minPause, maxPause = 20 * time.Microsecond, time.Millisecond
	late := time.NewTimer(timeout)
	defer late.Stop()
	for pause := minPause; ; pause = min(2*pause, maxPause) {
		if locked, err := TryLock(f); locked || err != nil {
			return err
		}
		if timeout <= 0 {
			return ErrHeld
		}
		select {
		case <-time.After(pause):
		case <-late.C:
			return ErrHeld
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Unlock releases the lock of f.
func Unlock(f *os.File) error { return unlock(f) }

// control calls op with the descriptor of f.
func control(f *os.File, op func(fd uintptr) error) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = conn.Control(func(fd uintptr) { failed = op(fd) })
	return errors.Join(err, failed)
}
