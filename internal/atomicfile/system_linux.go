package atomicfile

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
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

const accessList = "system.posix_acl_access"

// copyAttributes copies the access list, the SELinux label and the user attributes of a
// file to a new one. A file system that does not support them is no error.
func copyAttributes(to, from *os.File) error {
	names, err := attributes(from)
	if err != nil {
		return err
	}
	for _, name := range names {
		if name != accessList && name != "security.selinux" && !strings.HasPrefix(name, "user.") {
			continue
		}
		want, err := attribute(from, name)
		if err != nil {
			return err
		}
		if have, err := attribute(to, name); err == nil && bytes.Equal(have, want) {
			continue
		}
		if err := unix.Fsetxattr(int(to.Fd()), name, want, 0); err != nil {
			return err
		}
	}
	if slices.Contains(names, accessList) {
		return nil
	}
	// The new file may have inherited one from the directory.
	if err := unix.Fremovexattr(int(to.Fd()), accessList); err != nil && !errors.Is(err, unix.ENODATA) && !errors.Is(err, unix.ENOTSUP) {
		return err
	}
	return nil
}

// attributes returns the names of the extended attributes of f.
func attributes(f *os.File) ([]string, error) {
	list, err := readGrowing(func(buf []byte) (int, error) { return unix.Flistxattr(int(f.Fd()), buf) })
	if errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.ENOSYS) {
		return nil, nil
	}
	return strings.FieldsFunc(string(list), func(r rune) bool { return r == 0 }), err
}

func attribute(f *os.File, name string) ([]byte, error) {
	return readGrowing(func(buf []byte) (int, error) { return unix.Fgetxattr(int(f.Fd()), name, buf) })
}

// readGrowing calls read with larger and larger buffers while it returns ERANGE. The
// system limits attributes to 64 KiB.
func readGrowing(read func([]byte) (int, error)) ([]byte, error) {
	for size := 1 << 10; ; size *= 4 {
		buf := make([]byte, size)
		n, err := read(buf)
		if err == nil {
			return buf[:n], nil
		}
		if !errors.Is(err, unix.ERANGE) || size > 64<<10 {
			return nil, err
		}
	}
}
