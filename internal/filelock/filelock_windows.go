package filelock

import (
	"errors"
	"os"
	"syscall"
	"unsafe"
)

// The flags and the error of LockFileEx.
//
// source: https://learn.microsoft.com/en-us/windows/win32/api/fileapi/nf-fileapi-lockfileex
const (
	failImmediately    = 1
	exclusiveLock      = 2
	errorLockViolation = syscall.Errno(33)
)

// farOffset is the high half of the offset of the locked byte. It is beyond the content
// of any file, since these locks hinder reading and writing the locked bytes.
const farOffset = 1<<31 - 1

func try(f *os.File, exclusive bool) (bool, error) {
	how := uintptr(failImmediately)
	if exclusive {
		how |= exclusiveLock
	}
	at := &syscall.Overlapped{OffsetHigh: farOffset}
	err := control(f, func(fd uintptr) error {
		return result(kernel("LockFileEx").Call(fd, how, 0, 1, 0, uintptr(unsafe.Pointer(at))))
	})
	if errors.Is(err, errorLockViolation) || errors.Is(err, syscall.ERROR_IO_PENDING) {
		return false, nil
	}
	return err == nil, err
}

func unlock(f *os.File) error {
	at := &syscall.Overlapped{OffsetHigh: farOffset}
	return control(f, func(fd uintptr) error {
		return result(kernel("UnlockFileEx").Call(fd, 0, 1, 0, uintptr(unsafe.Pointer(at))))
	})
}

// kernel returns a function of a library that every process has loaded already.
func kernel(function string) *syscall.LazyProc {
	return syscall.NewLazyDLL("kernel32.dll").NewProc(function)
}

// result returns the error of a call whose first result is 0 if it failed.
func result(ok, _ uintptr, err error) error {
	if ok == 0 {
		return err
	}
	return nil
}
