//go:build !linux

package background

import (
	"errors"
	"os"
	"runtime"
	"syscall"
)

// processStart reports whether a process runs. When it began is not known here.
func processStart(pid int) (start string, running bool) {
	p, err := os.FindProcess(pid)
	if err != nil {
		return "", false
	}
	defer func() { _ = p.Release() }() // a handle that only this function had
	if runtime.GOOS == "windows" {
		return "", true // where an ended process is not found
	}
	err = p.Signal(syscall.Signal(0))
	return "", err == nil || errors.Is(err, syscall.EPERM)
}
