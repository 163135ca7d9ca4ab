package settings

import (
	"errors"
	"io/fs"
	"os"
	"path"
)

// A confinedTree is a directory below a root, of an author who is not trusted. Links in it lead
// nowhere outside of the root, and nothing but regular files is opened: to open a pipe would wait
// for its other end.
type confinedTree struct {
	root *os.Root
	dir  string // with slashes, relative to the root
}

var (
	_ fs.ReadDirFS = (*confinedTree)(nil)
	_ fs.StatFS    = (*confinedTree)(nil)
)

var (
	errNoFile      = errors.New("it is no regular file")
	errNoDirectory = errors.New("it is no directory")
)

// Open implements [fs.FS].
func (c *confinedTree) Open(name string) (fs.File, error) {
	info, err := c.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.IsDir() && !info.Mode().IsRegular():
		return nil, &fs.PathError{Op: "open", Path: name, Err: errNoFile}
	}
	return c.root.Open(path.Join(c.dir, name))
}

// ReadDir implements [fs.ReadDirFS].
func (c *confinedTree) ReadDir(name string) ([]fs.DirEntry, error) {
	info, err := c.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.IsDir():
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: errNoDirectory}
	}
	return fs.ReadDir(c.root.FS(), path.Join(c.dir, name))
}

// Stat implements [fs.StatFS].
func (c *confinedTree) Stat(name string) (fs.FileInfo, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrInvalid}
	}
	info, err := c.root.Stat(path.Join(c.dir, name))
	if err == nil && name == "." && !info.IsDir() {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: errNoDirectory}
	}
	return info, err
}
