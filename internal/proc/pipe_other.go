//go:build !linux

package proc

import "os"

// unread returns 0: on these systems a pipe holds little.
func unread(*os.File) int64 { return 0 }

// growPipe does nothing: on these systems the buffer of a pipe is fixed, or grows by
// itself.
func growPipe(*os.File, int) {}
