//go:build unix

package proc

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// writeNow writes the part of p that fits into the buffer of a pipe. The pipes of package os do
// not block their writers; os.File.Write waits for room by itself.
func writeNow(pipe *os.File, p []byte) (n int, err error) {
	conn, err := pipe.SyscallConn()
	if err != nil {
		return 0, err
	}
	var failed error
	err = conn.Write(func(fd uintptr) bool {
		for failed = unix.EINTR; errors.Is(failed, unix.EINTR); {
			n, failed = unix.Write(int(fd), p)
		}
		return true
	})
	if n = max(n, 0); err == nil && !errors.Is(failed, unix.EAGAIN) {
		err = failed
	}
	return n, err
}
