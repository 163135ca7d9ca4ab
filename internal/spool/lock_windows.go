package spool

import (
	"errors"
	"os"
	"syscall"
	"unsafe"
)

// dontWait has no meaning here: the folder can hold no pipes.
const dontWait = 0

const (
	failImmediately = 1
	exclusive       = 2
	errorLocked     = syscall.Errno(33)
	// farOffset is beyond the content of any file: these locks hinder those who read.
	farOffset = 1<<31 - 1
)

// tryLock takes the lock of f, alone or shared, and reports whether nobody had it.
// The error says that there is no telling. The lock ends when f is closed.
func tryLock(f *os.File, alone bool) (free bool, err error) {
	how := uintptr(failImmediately)
	if alone {
		how |= exclusive
	}
	start := &syscall.Overlapped{OffsetHigh: farOffset}
	err = control(f, func(fd uintptr) (uintptr, uintptr, error) {
		return kernel("LockFileEx").Call(fd, how, 0, 1, 0, uintptr(unsafe.Pointer(start)))
	})
	if errors.Is(err, errorLocked) || errors.Is(err, syscall.ERROR_IO_PENDING) {
		return false, nil
	}
	return err == nil, err
}

func release(f *os.File) {
	start := &syscall.Overlapped{OffsetHigh: farOffset}
	_ = control(f, func(fd uintptr) (uintptr, uintptr, error) {
		return kernel("UnlockFileEx").Call(fd, 0, 1, 0, uintptr(unsafe.Pointer(start)))
	})
}

func kernel(function string) *syscall.LazyProc {
	return syscall.NewLazyDLL("kernel32.dll").NewProc(function)
}

// control makes a call whose first result is 0 if it failed.
func control(f *os.File, call func(fd uintptr) (uintptr, uintptr, error)) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = conn.Control(func(fd uintptr) {
		if ok, _, errno := call(fd); ok == 0 {
			failed = errno
		}
	})
	return errors.Join(err, failed)
}
