//go:build !linux

package walk

import (
	"io/fs"
	"os"

	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// A handle is an open directory.
type handle struct{ root *os.Root }

// openTop opens the directory of root.
func openTop(root *os.Root) (handle, error) {
	again, err := root.OpenRoot(".")
	return handle{again}, err
}

// enter opens the directory name in h, which must not be a link.
func (h handle) enter(name string) (handle, error) {
	want, err := h.root.Lstat(name)
	if err != nil {
		return handle{}, err
	}
	if !want.IsDir() {
		return handle{}, &os.PathError{Op: "open", Path: name, Err: realpath.ErrNotDir}
	}
	sub, err := h.root.OpenRoot(name)
	if err != nil {
		return handle{}, err
	}
	if is, err := sub.Stat("."); err != nil || !os.SameFile(is, want) {
		_ = sub.Close()
		return handle{}, &os.PathError{Op: "open", Path: name, Err: realpath.ErrMoved}
	}
	return handle{sub}, nil
}

func (h handle) close() { _ = h.root.Close() }

// open opens the regular file name in h, which must not be a link.
func (h handle) open(name string) (File, error) {
	want, err := h.root.Lstat(name)
	if err != nil {
		return File{}, err
	}
	if !want.Mode().IsRegular() {
		return File{}, &os.PathError{Op: "open", Path: name, Err: errNotRegular}
	}
	f, err := h.root.OpenFile(name, os.O_RDONLY|realpath.Nonblock, 0)
	if err != nil {
		return File{}, err
	}
	is, err := f.Stat()
	if err != nil || !os.SameFile(is, want) {
		_ = f.Close()
		return File{}, &os.PathError{Op: "open", Path: name, Err: errNotRegular}
	}
	return File{file: f, info: infoOf(is)}, nil
}

func (h handle) info(name string) (Info, error) {
	fi, err := h.root.Lstat(name)
	if err != nil {
		return Info{}, err
	}
	return infoOf(fi), nil
}

func infoOf(fi fs.FileInfo) Info { return Info{Size: fi.Size(), ModTime: fi.ModTime()} }

// list calls add for each entry of h. The name is valid during the call only. If there
// is an error, the entries before it were added.
func (h handle) list(_ []byte, add func(name []byte, k entryKind)) error {
	f, err := h.root.Open(".")
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	entries, err := f.ReadDir(-1)
	for _, e := range entries {
		k := kindOther
		switch {
		case e.IsDir():
			k = kindDir
		case e.Type().IsRegular():
			k = kindFile
		case e.Type()&fs.ModeSymlink != 0:
			k = kindLink
		}
		add([]byte(e.Name()), k)
	}
	return err
}

// A File is open for reading. Its methods must not be called concurrently.
type File struct {
	file *os.File
	info Info
}

// Info returns the metadata of the file at the time when it was opened.
func (f File) Info() Info { return f.info }

// Read implements io.Reader.
func (f File) Read(p []byte) (int, error) { return f.file.Read(p) }

// Close closes the file.
func (f File) Close() error { return f.file.Close() }
