package proc

import (
	"os"
	"runtime"
	"syscall"
)

const idTypePID = 1 // P_PID of waitid(2)

// groupAttributes makes the child the leader of a new session, and so of a new group.
// Without a terminal a program that asks for a password fails at once instead of being
// stopped. The kernel kills the child when the thread that started it ends, which is at
// the end of this process: see lockThread.
func groupAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// lockThread binds the calling goroutine to its thread, so that the thread does not end,
// until release is called.
func lockThread() (release func()) {
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}

// waitForExit waits for the end of the child without reaping it. An error means that it
// did not wait.
func waitForExit(child *os.Process) error {
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
