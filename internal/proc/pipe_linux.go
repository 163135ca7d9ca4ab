package proc

import (
	"os"

	"golang.org/x/sys/unix"
)

// unread returns the number of bytes in a pipe, which may be nil.
func unread(pipe *os.File) (n int64) {
	if pipe == nil {
		return 0
	}
	conn, err := pipe.SyscallConn()
	if err != nil {
		return 0
	}
	_ = conn.Control(func(fd uintptr) {
		if held, err := unix.IoctlGetInt(int(fd), unix.TIOCINQ); err == nil { //nolint:gosec // a descriptor is an int
			n = int64(held)
		}
	})
	return n
}

// growPipe enlarges the buffer of a pipe, so that writer and reader alternate less often.
// If the system refuses, the pipe is unchanged.
func growPipe(pipe *os.File, size int) {
	conn, err := pipe.SyscallConn()
	if err != nil {
		return
	}
	_ = conn.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, size) })
}
