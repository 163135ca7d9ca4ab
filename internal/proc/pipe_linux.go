package proc

import (
	"os"

	"golang.org/x/sys/unix"
)

// growPipe enlarges the buffer of a pipe, so that writer and reader alternate less often.
// If the system refuses, the pipe is unchanged.
func growPipe(pipe *os.File, size int) {
	conn, err := pipe.SyscallConn()
	if err != nil {
		return
	}
	_ = conn.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, size) })
}
