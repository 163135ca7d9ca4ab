//go:build unix

package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// replacesNoOpenFile says that a file must be closed before another one takes its
// place.
const replacesNoOpenFile = false

// pathKey is the same for paths that must not be written at the same time.
func pathKey(real string) string { return real }

// identity is the same for all names of a file.
func identity(info fs.FileInfo) string {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return fmt.Sprint(st.Dev, ":", st.Ino)
}

// severalNames reports whether a file has hard links.
func severalNames(_ *os.File, info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && st.Nlink > 1
}

// keepOwner gives f the owner and the group that old has.
func keepOwner(f *os.File, old fs.FileInfo) error {
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

// inTheWay reports whether it is the directory, or the file's place in it, that
// keeps a new file out.
func inTheWay(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) ||
		errors.Is(err, syscall.EBUSY) || errors.Is(err, syscall.EXDEV)
}

// isRunning reports whether a file cannot be opened for writing only because it
// is a program that runs.
func isRunning(err error) bool { return errors.Is(err, syscall.ETXTBSY) }

// dirsHaveNoSync reports whether an error of syncing a directory says that the
// file system cannot do that.
func dirsHaveNoSync(err error) bool {
	return errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported)
}
