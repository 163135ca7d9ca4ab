package walk

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// A handle is the file descriptor of an open directory.
type handle struct{ fd int }

const (
	openDir  = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_CLOEXEC
	openFile = unix.O_RDONLY | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_CLOEXEC
)

// openTop opens the directory of root.
func openTop(root *os.Root) (handle, error) {
	f, err := root.Open(".")
	if err != nil {
		return handle{}, err
	}
	defer func() { _ = f.Close() }()
	raw, err := f.SyscallConn()
	if err != nil {
		return handle{}, err
	}
	var h handle
	if ctl := raw.Control(func(fd uintptr) { h, err = handle{int(fd)}.enter(".") }); ctl != nil {
		err = ctl
	}
	if err != nil {
		err = &os.PathError{Op: "open", Path: root.Name(), Err: err}
	}
	return h, err
}

// enter opens the directory name in h, which must not be a link.
func (h handle) enter(name string) (handle, error) {
	fd, err := again(func() (int, error) { return unix.Openat(h.fd, name, openDir, 0) })
	return handle{fd}, err
}

func (h handle) close() { _ = unix.Close(h.fd) }

// open opens the regular file name in h, which must not be a link.
func (h handle) open(name string) (File, error) {
	fd, err := again(func() (int, error) { return unix.Openat(h.fd, name, openFile, 0) })
	if err != nil {
		return File{}, &os.PathError{Op: "open", Path: name, Err: err}
	}
	var st unix.Stat_t
	_, err = again(func() (int, error) { return 0, unix.Fstat(fd, &st) })
	if err == nil && st.Mode&unix.S_IFMT != unix.S_IFREG {
		err = errNotRegular
	}
	if err != nil {
		_ = unix.Close(fd)
		return File{}, &os.PathError{Op: "open", Path: name, Err: err}
	}
	return File{fd: fd, info: infoOf(&st)}, nil
}

func (h handle) info(name string) (Info, error) {
	var st unix.Stat_t
	if err := h.stat(name, &st); err != nil {
		return Info{}, &os.PathError{Op: "stat", Path: name, Err: err}
	}
	return infoOf(&st), nil
}

func (h handle) stat(name string, st *unix.Stat_t) error {
	_, err := again(func() (int, error) { return 0, unix.Fstatat(h.fd, name, st, unix.AT_SYMLINK_NOFOLLOW) })
	return err
}

func infoOf(st *unix.Stat_t) Info {
	return Info{Size: st.Size, ModTime: time.Unix(st.Mtim.Unix())}
}

// list calls add for each entry of h. The name is valid during the call only. If there
// is an error, the entries before it were added.
func (h handle) list(buf []byte, add func(name []byte, k entryKind)) error {
	for {
		n, err := again(func() (int, error) { return unix.Getdents(h.fd, buf) })
		if err != nil || n <= 0 {
			return err
		}
		for rest := buf[:n]; len(rest) > 0; {
			size := binary.NativeEndian.Uint16(rest[16:])
			h.addEntry(rest[:size], add)
			rest = rest[size:]
		}
	}
}

// addEntry parses one record of the kernel: inode (8 bytes), offset (8), size (2), type
// (1), name up to a NUL.
func (h handle) addEntry(record []byte, add func(name []byte, k entryKind)) {
	name := record[19:]
	for i, b := range name {
		if b == 0 {
			name = name[:i]
			break
		}
	}
	if inode := binary.NativeEndian.Uint64(record); inode == 0 || string(name) == "." || string(name) == ".." {
		return
	}
	switch record[18] {
	case unix.DT_REG:
		add(name, kindFile)
	case unix.DT_DIR:
		add(name, kindDir)
	case unix.DT_LNK:
		add(name, kindLink)
	case unix.DT_UNKNOWN: // the file system does not record the type
		var st unix.Stat_t
		if h.stat(string(name), &st) != nil {
			return
		}
		switch st.Mode & unix.S_IFMT {
		case unix.S_IFREG:
			add(name, kindFile)
		case unix.S_IFDIR:
			add(name, kindDir)
		case unix.S_IFLNK:
			add(name, kindLink)
		default:
			add(name, kindOther)
		}
	default:
		add(name, kindOther)
	}
}

// A File is open for reading. Its methods must not be called concurrently.
type File struct {
	fd   int
	info Info
}

// Info returns the metadata of the file at the time when it was opened.
func (f File) Info() Info { return f.info }

// Read implements io.Reader.
func (f File) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	n, err := again(func() (int, error) { return unix.Read(f.fd, p) })
	switch {
	case err != nil:
		return 0, os.NewSyscallError("read", err)
	case n == 0:
		return 0, io.EOF
	}
	return n, nil
}

// Close closes the file.
func (f File) Close() error { return os.NewSyscallError("close", unix.Close(f.fd)) }

// again repeats a system call that a signal interrupted.
func again(call func() (int, error)) (int, error) {
	for {
		if n, err := call(); !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}
