package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// closeBeforeRename says whether a file must be closed before it can be replaced.
const closeBeforeRename = true

// pathKey returns a key that two paths share if they must not be written at the same
// time. Most file systems here ignore case; files that share a key by accident only wait
// for each other.
func pathKey(real string) string { return strings.ToLower(real) }

// identity returns "", since the identity is not known without opening the file. The
// path is the only key.
func identity(fs.FileInfo) string { return "" }

// hasHardLinks reports whether a file has more than one name.
func hasHardLinks(f *os.File, _ fs.FileInfo) bool {
	var d syscall.ByHandleFileInformation
	err := syscall.GetFileInformationByHandle(syscall.Handle(f.Fd()), &d)
	return err == nil && d.NumberOfLinks > 1
}

// copyOwner does nothing: the directory determines the owner of a new file.
func copyOwner(*os.File, fs.FileInfo) error { return nil }

// preventsNewFile reports whether the error says that the directory, or the file's
// position in it, does not permit a new file there. A file that another process has open
// cannot be replaced either.
func preventsNewFile(err error) bool { return errors.Is(err, fs.ErrPermission) }

// isRunningProgram returns false: there is no such error here.
func isRunningProgram(error) bool { return false }

// isDirSyncUnsupported returns true: directories cannot be synced here.
func isDirSyncUnsupported(error) bool { return true }
