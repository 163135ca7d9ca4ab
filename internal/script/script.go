// Package script writes programs that tests run. The package is for tests alone; no shipped
// code imports it.
package script

import (
	"os"
	"syscall"
	"testing"
)

// Write writes a program to path, executable for its owner. It can be run at once.
//
// A child process inherits the open files of its parent until it executes its program. One
// that is started while a file is being written keeps the file open for writing, and a system
// refuses to execute such a file: "text file busy". So no child is started meanwhile.
func Write(tb testing.TB, path, text string) {
	tb.Helper()
	syscall.ForkLock.RLock()
	err := os.WriteFile(path, []byte(text), 0o700)
	syscall.ForkLock.RUnlock()
	if err == nil {
		err = os.Chmod(path, 0o700) //nolint:gosec // it is a program
	}
	if err != nil {
		tb.Fatal(err)
	}
}
