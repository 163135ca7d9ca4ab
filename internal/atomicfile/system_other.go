//go:build !unix && !windows

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
)

// replacesNoOpenFile says that a file must be closed before another one takes its
// place.
const replacesNoOpenFile = true

// pathKey is the same for paths that must not be written at the same time.
func pathKey(real string) string { return real }

// identity is not told by these systems in a form that can be a key.
func identity(fs.FileInfo) string { return "" }

// severalNames is not told by these systems.
func severalNames(*os.File, fs.FileInfo) bool { return false }

// keepOwner has nothing to do: a new file belongs to whom the directory says.
func keepOwner(*os.File, fs.FileInfo) error { return nil }

// inTheWay reports whether it is the directory, or the file's place in it, that
// keeps a new file out.
func inTheWay(err error) bool { return errors.Is(err, fs.ErrPermission) }

// isRunning is told apart by no error here.
func isRunning(error) bool { return false }

// dirsHaveNoSync is true: directories cannot be synced here.
func dirsHaveNoSync(error) bool { return true }
