//go:build unix

package realpath

import (
	"io/fs"
	"syscall"
)

// HasLinks reports whether info, of [os.Lstat], is of a regular file with several hard links.
func HasLinks(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && info.Mode().IsRegular() && st.Nlink > 1
}
