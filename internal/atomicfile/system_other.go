//go:build !unix && !windows

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
)

// closeBeforeRename says whether a file must be closed before it can be replaced.
const closeBeforeRename = true

// pathKey returns the path itself as the key of its lock.
func pathKey(real string) string { return real }

// identity returns "", since these systems have no file identity that can be a key.
func identity(fs.FileInfo) string { return "" }

// hasHardLinks returns false, since these systems do not report links.
func hasHardLinks(*os.File, fs.FileInfo) bool { return false }

// copyOwner does nothing: the directory determines the owner of a new file.
func copyOwner(*os.File, fs.FileInfo) error { return nil }

// preventsNewFile reports whether the error says that the directory, or the file's
// position in it, does not permit a new file there.
func preventsNewFile(err error) bool { return errors.Is(err, fs.ErrPermission) }

// isRunningProgram returns false: there is no such error here.
func isRunningProgram(error) bool { return false }

// isDirSyncUnsupported returns true: directories cannot be synced here.
func isDirSyncUnsupported(error) bool { return true }
