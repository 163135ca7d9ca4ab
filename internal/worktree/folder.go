package worktree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// A folder is the folder of the worktrees of a directory.
type folder struct {
	path string   // absolute, without links
	root *os.Root // of the directory
}

// openFolder makes the folder. It must not lead elsewhere by a link.
func openFolder(dir string) (*folder, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	f := &folder{path: filepath.Join(dir, filepath.FromSlash(Folder)), root: root}
	if err := f.make(); err != nil {
		f.close()
		return nil, fmt.Errorf("%s: %w", f.path, err)
	}
	return f, nil
}

func (f *folder) make() error {
	errLink := errors.New("a link leads elsewhere; worktrees are made in a plain folder only")
	if realpath.Resolve(f.path) != f.path {
		return errLink
	}
	if err := f.root.MkdirAll(filepath.FromSlash(Folder), 0o777); err != nil {
		return err
	}
	if realpath.Resolve(f.path) != f.path {
		return errLink
	}
	// It keeps the folder out of the status of the repository, and itself as well.
	ignore, err := f.root.OpenFile(f.inRoot(".gitignore"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = ignore.WriteString("*\n")
	return errors.Join(err, ignore.Close())
}

func (f *folder) close() { _ = f.root.Close() }

// inRoot returns a name in the folder for the methods of its root.
func (f *folder) inRoot(name string) string { return filepath.Join(filepath.FromSlash(Folder), name) }
