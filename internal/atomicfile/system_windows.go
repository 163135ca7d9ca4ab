package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// replacesNoOpenFile says that a file must be closed before another one takes its
// place.
const replacesNoOpenFile = true

// pathKey is the same for paths that must not be written at the same time.
// File systems here seldom know case, and two files in one lock only wait for each
// other.
func pathKey(real string) string { return strings.ToLower(real) }

// identity is not told without opening the file: the path has to do.
func identity(fs.FileInfo) string { return "" }

// severalNames reports whether a file has hard links.
func severalNames(f *os.File, _ fs.FileInfo) bool {
	var d syscall.ByHandleFileInformation
	err := syscall.GetFileInformationByHandle(syscall.Handle(f.Fd()), &d)
	return err == nil && d.NumberOfLinks > 1
}

// keepOwner has nothing to do: a new file belongs to whom the directory says.
func keepOwner(*os.File, fs.FileInfo) error { return nil }

// inTheWay reports whether it is the directory, or the file's place in it, that
// keeps a new file out. A file that is open elsewhere may refuse to be replaced.
func inTheWay(err error) bool { return errors.Is(err, fs.ErrPermission) }

// isRunning is told apart by no error here.
func isRunning(error) bool { return false }

// dirsHaveNoSync is true: directories cannot be synced here.
func dirsHaveNoSync(error) bool { return true }
