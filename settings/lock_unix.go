//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package settings

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"syscall"
	"time"
)

// maxWait is how long others are waited for who save in the same directory.
const maxWait = 10 * time.Second

// lockDir waits for the advisory lock of a directory, which ends with its holder.
// So no file is needed that would have to be cleaned up. On a file system that
// cannot lock a directory nobody waits: what follows compares before it writes.
func lockDir(ctx context.Context, dir string) (unlock func(), err error) {
	const pause = time.Millisecond
	for deadline := time.Now().Add(maxWait); time.Now().Before(deadline); {
		f, err := os.Open(dir)
		if err != nil {
			return nil, err
		}
		taken, err := isTaken(f)
		if !taken && err == nil && isAt(f, dir) {
			return func() { _ = f.Close() }, nil
		}
		_ = f.Close()
		if err != nil {
			return nil, err
		}
		select {
		case <-time.After(pause/4 + rand.N(pause)):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return nil, fmt.Errorf("%s: %w", dir, ErrLocked)
}

// isTaken tries to take the lock of f, which ends when f is closed, and reports
// whether somebody else has it.
func isTaken(f *os.File) (bool, error) {
	conn, err := f.SyscallConn()
	if err != nil {
		return false, err
	}
	var locked error
	err = conn.Control(func(fd uintptr) { locked = syscall.Flock(int(fd), syscall.LOCK_EX|syscall.LOCK_NB) })
	return errors.Is(locked, syscall.EWOULDBLOCK) || errors.Is(locked, syscall.EINTR), err
}

// isAt reports whether f is still what dir names.
func isAt(f *os.File, dir string) bool {
	opened, err := f.Stat()
	if err != nil {
		return false
	}
	now, err := os.Stat(dir)
	return err == nil && os.SameFile(opened, now)
}
