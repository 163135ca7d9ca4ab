//go:build unix

package realpath

import "syscall"

// Nonblock is the flag that keeps an opening from waiting for the other end of a
// named pipe.
const Nonblock = syscall.O_NONBLOCK
