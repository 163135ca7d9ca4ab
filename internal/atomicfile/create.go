package atomicfile

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// Create makes a new file at real, which is absolute and resolved, and the
// directories that are missing on the way there. It fails with fs.ErrExist if
// there is anything, even a link that leads nowhere, and never overwrites. The
// system's mask applies to perm; 0 means 0o666. The file appears with all its
// content, except on file systems that know neither hard links nor a rename that
// does not replace. On an error there is no file, and the directories that were
// made are removed again, but for ErrNotSynced. The snapshot keeps data.
func (s *Store) Create(ctx context.Context, real string, data []byte, perm fs.FileMode) (*Snapshot, error) {
	if perm == 0 {
		perm = 0o666
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	way, err := openWay(filepath.Dir(real))
	if err != nil {
		return nil, err
	}
	defer way.close()
	info, err := s.put(ctx, way.end(), real, data, perm)
	if err != nil {
		way.undo()
		return nil, err
	}
	snap := s.snapshot(real, data, info, Created)
	for _, dir := range way.changed() {
		if err := s.disk.syncDir(dir); err != nil {
			return snap, notSynced(real, err)
		}
	}
	return snap, nil
}

// put makes the new file in dir.
func (s *Store) put(ctx context.Context, dir *os.Root, real string, data []byte, perm fs.FileMode) (fs.FileInfo, error) {
	name := filepath.Base(real)
	if _, err := dir.Lstat(name); err == nil {
		return nil, fail("create", real, fs.ErrExist)
	}
	tmp, err := newTemp(dir, name, newContent, perm)
	if err != nil {
		return nil, fail("create", real, err)
	}
	defer tmp.discard()
	info, err := s.disk.fill(ctx, tmp.file, data)
	if err != nil {
		return nil, fail("write", real, err)
	}
	err = s.disk.name(dir, tmp.name, name)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		info, err = s.putDirectly(ctx, dir, name, data, perm)
	}
	if err != nil {
		return nil, fail("create", real, err)
	}
	return info, nil
}

// putDirectly is the last resort: the file can be seen while it is written.
func (s *Store) putDirectly(ctx context.Context, dir *os.Root, name string, data []byte, perm fs.FileMode) (fs.FileInfo, error) {
	f, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return nil, err
	}
	made := temp{dir: dir, name: name, file: f}
	info, err := s.disk.fill(ctx, f, data)
	if err != nil {
		made.discard()
		return nil, err
	}
	return info, nil
}

// A way is the directories from the deepest one that was there to the one that
// the file is to be in, all open. Each was made or found in the one before it.
type way struct {
	dirs []*os.Root
	made []madeDir
}

type madeDir struct {
	in   *os.Root
	name string
	info fs.FileInfo
}

// openWay opens dir, and makes it if it is missing.
func openWay(dir string) (*way, error) {
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
	w := &way{dirs: []*os.Root{root}}
	for _, name := range slices.Backward(missing) {
		at = filepath.Join(at, name)
		if err := w.enter(name); err != nil {
			w.undo()
			w.close()
			return nil, fail("make directory", at, err)
		}
	}
	return w, nil
}

func (w *way) end() *os.Root { return w.dirs[len(w.dirs)-1] }

// enter goes one directory down, and makes it unless somebody else just did.
func (w *way) enter(name string) error {
	in := w.end()
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
		w.made = append(w.made, madeDir{in: in, name: name, info: info})
	}
	next, err := in.OpenRoot(name)
	if err != nil {
		return err
	}
	w.dirs = append(w.dirs, next)
	if now, err := next.Stat("."); err != nil || !os.SameFile(info, now) {
		return realpath.ErrMoved // a link was put there just now
	}
	return nil
}

// undo removes the directories that were made, unless somebody uses them by now.
func (w *way) undo() {
	for _, d := range slices.Backward(w.made) {
		if now, err := d.in.Lstat(d.name); err == nil && os.SameFile(now, d.info) {
			_ = d.in.Remove(d.name)
		}
	}
}

// changed returns the directories that have a new entry.
func (w *way) changed() []*os.Root {
	dirs := []*os.Root{w.end()}
	for _, d := range slices.Backward(w.made) {
		dirs = append(dirs, d.in)
	}
	return dirs
}

func (w *way) close() {
	for _, dir := range w.dirs {
		_ = dir.Close()
	}
}
