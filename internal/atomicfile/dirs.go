package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// A dirChain holds the directories from the deepest existing one to that of the new
// file, all open. Each was created or found in the one before it.
type dirChain struct {
	dirs []*os.Root
	made []madeDir
}

type madeDir struct {
	in   *os.Root
	name string
	info fs.FileInfo
}

// openDirs opens dir, and creates it and its missing parents.
func openDirs(dir string) (*dirChain, error) {
	var missing []string
	at := dir
	root, err := realpath.OpenDir(at)
	for errors.Is(err, fs.ErrNotExist) && filepath.Dir(at) != at {
		missing = append(missing, filepath.Base(at))
		at = filepath.Dir(at)
		root, err = realpath.OpenDir(at)
	}
	if err != nil {
		return nil, err
	}
	c := &dirChain{dirs: []*os.Root{root}}
	for _, name := range slices.Backward(missing) {
		at = filepath.Join(at, name)
		if err := c.descend(name); err != nil {
			c.undo()
			c.close()
			return nil, pathError("make directory", at, err)
		}
	}
	return c, nil
}

func (c *dirChain) last() *os.Root { return c.dirs[len(c.dirs)-1] }

// descend opens a directory in the last one. It creates the directory if it does not
// exist.
func (c *dirChain) descend(name string) error {
	in := c.last()
	err := in.Mkdir(name, 0o777)
	made := err == nil
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := in.Lstat(name)
	if err != nil {
		return err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		return realpath.ErrMoved
	}
	if !info.IsDir() {
		return realpath.ErrNotDir
	}
	if made {
		c.made = append(c.made, madeDir{in: in, name: name, info: info})
	}
	next, err := in.OpenRoot(name)
	if err != nil {
		return err
	}
	c.dirs = append(c.dirs, next)
	if now, err := next.Stat("."); err != nil || !os.SameFile(info, now) {
		return realpath.ErrMoved // replaced by a link since Lstat
	}
	return nil
}

// undo removes the directories that were created, except those that are in use by now.
func (c *dirChain) undo() {
	for _, d := range slices.Backward(c.made) {
		if now, err := d.in.Lstat(d.name); err == nil && os.SameFile(now, d.info) {
			_ = d.in.Remove(d.name)
		}
	}
}

// changed returns the directories that have a new entry.
func (c *dirChain) changed() []*os.Root {
	dirs := []*os.Root{c.last()}
	for _, d := range slices.Backward(c.made) {
		dirs = append(dirs, d.in)
	}
	return dirs
}

func (c *dirChain) close() {
	for _, dir := range c.dirs {
		_ = dir.Close()
	}
}
