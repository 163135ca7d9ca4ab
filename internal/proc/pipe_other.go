//go:build !linux

package proc

import "os"

// growPipe does nothing: on these systems the buffer of a pipe is fixed, or grows by
// itself.
func growPipe(*os.File, int) {}
