//go:build unix

package realpath

import "syscall"

// Nonblock is the flag of an open that keeps it from waiting for the other end of a named
// pipe.
const Nonblock = syscall.O_NONBLOCK
