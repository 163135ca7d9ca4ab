// Package realpath finds where a name in the file system really leads, and opens
// what was found without resolving the name a second time.
package realpath

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Abs returns name as an absolute, clean path; a relative one is taken from
// dir. A leading "~" or "~/" stands for home, unless home is empty.
func Abs(dir, home, name string) string {
	switch {
	case home != "" && name == "~":
		name = home
	case home != "" && len(name) > 1 && name[0] == '~' && os.IsPathSeparator(name[1]):
		name = filepath.Join(home, name[2:])
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	if tidy(name) {
		return name
	}
	return filepath.Clean(name)
}

// tidy reports whether a path is absolute and clean at first sight, as most are. It is
// known only where there is one separator.
func tidy(path string) bool {
	return filepath.Separator == '/' && strings.HasPrefix(path, "/") && !strings.HasSuffix(path, "/") &&
		!strings.Contains(path, "//") && !strings.Contains(path, "/.")
}

// Errors of Open and OpenDir, beside those of the file system.
var (
	ErrMoved      = errors.New("the path leads elsewhere than when it was decided")
	ErrNotRegular = errors.New("not a regular file")
	ErrNotDir     = errors.New("not a directory")
	ErrDirectory  = errors.New("a directory") // with ErrNotRegular, if that is why
)

// Open opens the regular file at real, a path that Resolve returned, for
// reading. It never blocks on a pipe, and it fails with ErrMoved if real now
// leads through a symbolic link: between the decision and the opening somebody
// put one there.
func Open(real string) (*os.File, error) {
	pinned, want, err := expect(real, fs.FileMode.IsRegular, ErrNotRegular)
	if err != nil {
		return nil, err
	}
	defer func() { _ = pinned.Close() }()
	f, err := os.OpenFile(real, os.O_RDONLY|Nonblock, 0)
	if err != nil {
		return nil, err
	}
	if fi, err := f.Stat(); err != nil || !os.SameFile(want, fi) {
		_ = f.Close()
		return nil, moved(real)
	}
	return f, nil
}

// OpenDir is Open for the directory at real. Nothing outside it can be reached
// through what it returns.
func OpenDir(real string) (*os.Root, error) {
	pinned, want, err := expect(real, fs.FileMode.IsDir, ErrNotDir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = pinned.Close() }()
	// The separator at the end keeps the system from opening a pipe, and from
	// waiting for its other end, if one took the directory's place just now.
	root, err := os.OpenRoot(real + string(filepath.Separator))
	if err != nil {
		return nil, err
	}
	if fi, err := root.Stat("."); err != nil || !os.SameFile(want, fi) {
		_ = root.Close()
		return nil, moved(real)
	}
	return root, nil
}

// expect pins what is at real and says what it is. While it is pinned no other
// file can take its identity.
func expect(real string, ok func(fs.FileMode) bool, otherwise error) (*os.File, fs.FileInfo, error) {
	f, err := pin(real)
	if err != nil {
		return nil, nil, err
	}
	fi, err := f.Stat()
	if err == nil && !ok(fi.Mode()) {
		err = &fs.PathError{Op: "open", Path: real, Err: fmt.Errorf("%w: %w", otherwise, kind(fi.Mode()))}
	}
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return f, fi, nil
}

func moved(real string) error { return &fs.PathError{Op: "open", Path: real, Err: ErrMoved} }

func kind(m fs.FileMode) error {
	switch {
	case m.IsRegular():
		return errors.New("a file")
	case m.IsDir():
		return ErrDirectory
	case m&fs.ModeNamedPipe != 0:
		return errors.New("a named pipe")
	case m&fs.ModeSocket != 0:
		return errors.New("a socket")
	case m&fs.ModeDevice != 0:
		return errors.New("a device")
	}
	return errors.New("a special file")
}

// Contains reports whether path is dir or lies below it. Both are absolute and
// clean.
func Contains(dir, path string) bool {
	if dir == path {
		return true
	}
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
