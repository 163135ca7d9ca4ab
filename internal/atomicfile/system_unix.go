//go:build unix

package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// closeBeforeRename says whether a file must be closed before it can be replaced.
const closeBeforeRename = false

// pathKey returns the path itself as the key of its lock.
func pathKey(real string) string { return real }

// identity returns a key that all names of a file share.
func identity(info fs.FileInfo) string {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return fmt.Sprint(st.Dev, ":", st.Ino)
}

// hasHardLinks reports whether a file has more than one name.
func hasHardLinks(_ *os.File, info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && st.Nlink > 1
}

// copyOwner sets the owner and the group of f to those of old.
func copyOwner(f *os.File, old fs.FileInfo) error {
	want, ok := old.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	have, ok := info.Sys().(*syscall.Stat_t)
	if ok && have.Uid == want.Uid && have.Gid == want.Gid {
		return nil
	}
	return f.Chown(int(want.Uid), int(want.Gid))
}

// preventsNewFile reports whether the error says that the directory, or the file's
// position in it, does not permit a new file there.
func preventsNewFile(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) ||
		errors.Is(err, syscall.EBUSY) || errors.Is(err, syscall.EXDEV)
}

// isRunningProgram reports whether a file cannot be opened for writing only because it
// is a program that runs.
func isRunningProgram(err error) bool { return errors.Is(err, syscall.ETXTBSY) }

// isDirSyncUnsupported reports whether an error of syncing a directory says that the file
// system cannot do that.
func isDirSyncUnsupported(err error) bool {
	return errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported)
}
