package realpath

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// oPath is O_PATH: it opens a place in the file system without opening the file there.
const oPath = 0x200000

// pin returns a handle on the file of any kind at real. It goes there name by name from
// one open directory to the next, so that a link put on the way at any moment is
// detected and refused. Search permission for the directories is enough.
func pin(real string) (*os.File, error) {
	fd, err := openat(0, "/")
	for name := range strings.SplitSeq(strings.TrimPrefix(real, "/"), "/") {
		if err != nil || name == "" {
			break
		}
		var next int
		next, err = openat(fd, name)
		_ = syscall.Close(fd)
		fd = next
	}
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: real, Err: err}
	}
	return os.NewFile(uintptr(fd), real), nil
}

func openat(dir int, name string) (int, error) {
	fd, err := syscall.Openat(dir, name, oPath|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0)
	for errors.Is(err, syscall.EINTR) {
		fd, err = syscall.Openat(dir, name, oPath|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0)
	}
	if err != nil {
		return -1, err
	}
	var st syscall.Stat_t
	err = syscall.Fstat(fd, &st)
	if err == nil && st.Mode&syscall.S_IFMT == syscall.S_IFLNK {
		err = ErrMoved
	}
	if err != nil {
		_ = syscall.Close(fd)
		return -1, err
	}
	return fd, nil
}
