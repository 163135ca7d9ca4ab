package proc

import (
	"os"

	"golang.org/x/sys/unix"
)

// widen asks for more room in a pipe, so that its two ends take turns less
// often. The system may refuse; the pipe is then as it was.
func widen(pipe *os.File, size int) {
	conn, err := pipe.SyscallConn()
	if err != nil {
		return
	}
	_ = conn.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, size) })
}
