//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package audit

import (
	"errors"
	"os"
	"syscall"
)

// movesOpenFiles says that a file can be renamed while it is open.
const movesOpenFiles = true

// isTaken tries to take the advisory lock of f, which ends with its holder, and
// reports whether somebody else has it.
func isTaken(f *os.File) bool {
	err := flock(f, syscall.LOCK_EX|syscall.LOCK_NB)
	return errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, syscall.EINTR)
}

// unlock gives the lock back, if it was taken.
func unlock(f *os.File) { _ = flock(f, syscall.LOCK_UN) } // a file that is broken says so when it is written

func flock(f *os.File, how int) (err error) {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	if broken := conn.Control(func(fd uintptr) { err = syscall.Flock(int(fd), how) }); broken != nil {
		return broken
	}
	return err
}
