package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// adminFolder returns the folder that git keeps for a worktree.
func adminFolder(path, common string) (string, error) {
	text, err := os.ReadFile(filepath.Join(path, ".git"))
	if err != nil {
		return "", err
	}
	folder, ok := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), "gitdir: ")
	folder = filepath.FromSlash(folder)
	if !ok || !realpath.Contains(filepath.Join(common, "worktrees"), realpath.Resolve(filepath.Clean(folder))) {
		return "", fmt.Errorf("git did not make a worktree of %s at %s", common, path)
	}
	return folder, nil
}

// lockPrefix is the beginning of [lockReason], by which the folders of this package are known.
const lockPrefix = "an agent works here"

// removeAdminFolder removes the folder that git keeps for the worktree at path, which is gone. A
// git that was killed leaves that folder in a state in which no command about worktrees works,
// such as with an empty commondir, or which git does not list, and then does not prune.
func (r *repository) removeAdminFolder(ctx context.Context, path string) error {
	gate, err := r.enter(ctx) // no git adds or removes a worktree meanwhile
	if err != nil {
		return err
	}
	defer func() { _ = gate.Close() }()
	root, err := os.OpenRoot(filepath.Join(r.common, "worktrees"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	entries, err := fs.ReadDir(root.FS(), ".")
	for _, e := range entries {
		if e.IsDir() && isAdminFolder(filepath.Join(root.Name(), e.Name()), path) {
			err = errors.Join(err, root.RemoveAll(e.Name()))
		}
	}
	if err == nil {
		_ = os.Remove(root.Name()) // git does so with the last worktree
	}
	return err
}

// isAdminFolder reports whether git has made a folder for the worktree at path. One that does
// not yet say so is recognised by its name and by the reason of its lock, which git writes
// before anything else.
func isAdminFolder(folder, path string) bool {
	if back, ok := readLink(filepath.Join(folder, "gitdir"), ""); ok {
		return realpath.Resolve(back) == realpath.Resolve(filepath.Join(path, ".git"))
	}
	number, ok := strings.CutPrefix(filepath.Base(folder), filepath.Base(path))
	if !ok || strings.Trim(number, "0123456789") != "" { // git appends a number if the name is taken
		return false
	}
	reason, err := os.ReadFile(filepath.Join(folder, "locked"))
	return errors.Is(err, fs.ErrNotExist) || err == nil && (len(reason) == 0 || strings.HasPrefix(string(reason), lockPrefix))
}

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
