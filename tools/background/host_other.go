//go:build !linux

package background

import (
	"errors"
	"os"
	"runtime"
	"syscall"
)

// processStart reports whether a process is running. Its start time is not known on
// this system.
func processStart(pid int) (start string, running bool) {
	p, err := os.FindProcess(pid)
	if err != nil {
		return "", false
	}
	defer func() { _ = p.Release() }() // the handle belongs to this function
	if runtime.GOOS == "windows" {
		return "", true // os.FindProcess has found it, which it does not for ended processes on Windows
	}
	err = p.Signal(syscall.Signal(0))
	return "", err == nil || errors.Is(err, syscall.EPERM)
}
