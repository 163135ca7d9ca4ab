//go:build !linux

package proc

import "os"

// widen does nothing: the room in a pipe is fixed on these systems, or grows by
// itself.
func widen(*os.File, int) {}
