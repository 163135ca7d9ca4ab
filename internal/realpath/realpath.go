// Package realpath resolves names in the file system, and opens the result without
// resolving it a second time.
package realpath

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Abs returns name as an absolute, clean path. A relative name is taken from dir. A
// leading "~" or "~/" stands for home, unless home is empty.
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
	if isClean(name) {
		return name
	}
	return filepath.Clean(name)
}

// isClean reports whether a path is certainly absolute and clean; false means that it
// may be. It avoids work for most paths, on systems with one separator.
func isClean(path string) bool {
	return filepath.Separator == '/' && strings.HasPrefix(path, "/") && !strings.HasSuffix(path, "/") &&
		!strings.Contains(path, "//") && !strings.Contains(path, "/.")
}

// Errors of Open and OpenDir, in addition to those of the file system.
var (
	ErrMoved      = errors.New("the path leads elsewhere than when it was decided")
	ErrNotRegular = errors.New("not a regular file")
	ErrNotDir     = errors.New("not a directory")
	ErrDirectory  = errors.New("a directory") // wrapped with ErrNotRegular for a directory
)

// maxOpenTries is how often a file may be replaced while it is opened.
const maxOpenTries = 64

// Open opens the regular file at real, a path that Resolve returned, for reading. It
// never blocks on a pipe. It fails with ErrMoved if real contains a symbolic link, which
// was put there after real was resolved. A file that is replaced by another regular one
// at this moment, as editors do, is opened as it is then.
func Open(real string) (f *os.File, err error) {
	for range maxOpenTries {
		if f, err = openOnce(real); !errors.Is(err, errReplaced) {
			return f, err
		}
	}
	return nil, movedError(real)
}

// errReplaced means that another file took the place of the one that was checked.
var errReplaced = errors.New("replaced while it was opened")

func openOnce(real string) (*os.File, error) {
	pinned, want, err := pinAs(real, fs.FileMode.IsRegular, ErrNotRegular)
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
		return nil, errReplaced
	}
	return f, nil
}

// OpenDir is Open for the directory at real. The returned root gives no access to
// anything outside the directory.
func OpenDir(real string) (*os.Root, error) {
	pinned, want, err := pinAs(real, fs.FileMode.IsDir, ErrNotDir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = pinned.Close() }()
	// The separator at the end keeps the system from opening a pipe, and from waiting
	// for its other end, if a pipe has replaced the directory meanwhile.
	root, err := os.OpenRoot(real + string(filepath.Separator))
	if err != nil {
		return nil, err
	}
	if fi, err := root.Stat("."); err != nil || !os.SameFile(want, fi) {
		_ = root.Close()
		return nil, movedError(real)
	}
	return root, nil
}

// pinAs opens a handle on the file of any kind at real and describes it. It fails with
// otherwise if its mode is not ok. While the handle is open, no other file can get the
// same identity.
func pinAs(real string, ok func(fs.FileMode) bool, otherwise error) (*os.File, fs.FileInfo, error) {
	f, err := pin(real)
	if err != nil {
		return nil, nil, err
	}
	fi, err := f.Stat()
	if err == nil && !ok(fi.Mode()) {
		err = &fs.PathError{Op: "open", Path: real, Err: fmt.Errorf("%w: %w", otherwise, kindError(fi.Mode()))}
	}
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return f, fi, nil
}

func movedError(real string) error { return &fs.PathError{Op: "open", Path: real, Err: ErrMoved} }

func kindError(m fs.FileMode) error {
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
