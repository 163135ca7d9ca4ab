//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package atomicfile

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"
)

// maxTurn is how long another holder of the file's advisory lock is waited for. A
// program may hold it for reasons of its own, and for as long as it runs.
const maxTurn = 2 * time.Second

// takeTurn waits until no other Store, of this process or another one, is about to
// replace f. It ends when f is closed. Where files cannot be locked nobody waits.
// The only error is that of ctx.
func takeTurn(ctx context.Context, f *os.File) error {
	const pause = time.Millisecond
	for deadline := time.Now().Add(maxTurn); isTaken(f) && time.Now().Before(deadline); {
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// isTaken tries to take the lock of f and reports whether somebody else has it.
func isTaken(f *os.File) bool {
	conn, err := f.SyscallConn()
	if err != nil {
		return false // what follows tells what is wrong with f
	}
	var locked error
	err = conn.Control(func(fd uintptr) { locked = syscall.Flock(int(fd), syscall.LOCK_EX|syscall.LOCK_NB) })
	return err == nil && (errors.Is(locked, syscall.EWOULDBLOCK) || errors.Is(locked, syscall.EINTR))
}
