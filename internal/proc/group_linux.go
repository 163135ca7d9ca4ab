package proc

import (
	"os"
	"runtime"
	"syscall"
)

const idTypePID = 1 // P_PID of waitid(2)

// ownGroup makes the child the leader of a new session, and by that of a new
// group. Without a terminal a program that asks for a password fails at once
// instead of being stopped. The kernel kills the child when the thread that
// started it ends, which is at the end of this process: see holdThread.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// holdThread keeps the calling goroutine on its thread, and by that keeps the
// thread from ending, until release is called.
func holdThread() (release func()) {
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}

// awaitExit waits for the end of the child and leaves it to be reaped. An error
// means that it did not wait.
func awaitExit(child *os.Process) error {
	for {
		_, _, errno := syscall.Syscall6(syscall.SYS_WAITID, idTypePID, uintptr(child.Pid), 0,
			syscall.WEXITED|syscall.WNOWAIT, 0, 0)
		switch errno {
		case 0:
			return nil
		case syscall.EINTR:
		default:
			return os.NewSyscallError("waitid", errno)
		}
	}
}
