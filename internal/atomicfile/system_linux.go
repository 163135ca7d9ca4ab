package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// changeTime returns the time of the last change of the file's content or attributes.
// Unlike the modification time it cannot be set.
func changeTime(info fs.FileInfo) time.Time {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return time.Time{}
	}
	return time.Unix(st.Ctim.Unix())
}

// renameNoReplace renames a file within dir, or gives it a second name where the file
// system cannot do more. It fails with fs.ErrExist if the new name is taken.
func renameNoReplace(dir *os.Root, from, to string) error {
	f, err := dir.Open(".")
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	fd := int(f.Fd())
	err = unix.Renameat2(fd, from, fd, to, unix.RENAME_NOREPLACE)
	for errors.Is(err, unix.EINTR) {
		err = unix.Renameat2(fd, from, fd, to, unix.RENAME_NOREPLACE)
	}
	if errors.Is(err, unix.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return dir.Link(from, to)
	}
	return err
}
