package atomicfile

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"unicode/utf8"
)

// An undoLog has the changes of a commit, the last one last.
type undoLog struct {
	paths   []string
	changes []undoer
}

// An undoer is a change that can be taken back.
type undoer interface {
	undo(ctx context.Context) error
	finish() error // makes the change final
	close()
}

func (l *undoLog) add(path string, u undoer) {
	l.paths, l.changes = append(l.paths, path), append(l.changes, u)
}

// run takes all changes back, and returns the error of the commit, whose cause is reason.
func (l *undoLog) run(ctx context.Context, reason error) error {
	var failed UndoError
	for i, u := range slices.Backward(l.changes) {
		err := u.undo(ctx)
		if err == nil || errors.Is(err, ErrNotSynced) {
			continue
		}
		failed.Err, failed.Paths = errors.Join(failed.Err, err), append(failed.Paths, l.paths[i])
		if gone, ok := u.(*movedAside); ok {
			failed.Backup = append(failed.Backup, gone.temp.path())
		}
	}
	if failed.Err == nil {
		return reason
	}
	failed.Err = errors.Join(reason, failed.Err)
	return &failed
}

// finish makes all changes final.
func (l *undoLog) finish() error {
	var all error
	for _, u := range l.changes {
		all = errors.Join(all, u.finish())
	}
	return all
}

func (l *undoLog) close() {
	for _, u := range l.changes {
		u.close()
	}
}

// replaced is a file whose content was replaced.
type replaced struct{ old, next *Snapshot }

func (r replaced) undo(ctx context.Context) error {
	_, err := r.next.Replace(ctx, r.old.Data)
	return err
}

func (replaced) finish() error { return nil }

func (replaced) close() {}

// made is a file that was created, with the directories on its path.
type made struct {
	dirs *dirChain
	snap *Snapshot
}

func (m made) undo(ctx context.Context) error {
	t, err := m.snap.openTarget(m.dirs.last())
	if err != nil {
		return err
	}
	defer func() { _ = t.file.Close() }()
	if err := m.snap.verify(ctx, t); err != nil {
		return err
	}
	if closeBeforeRename {
		_ = t.file.Close()
	}
	if err := t.dir.Remove(t.name); err != nil {
		return pathError("remove", m.snap.real, err)
	}
	m.dirs.undo()
	return nil
}

func (made) finish() error { return nil }

func (m made) close() { m.dirs.close() }

// movedAside is a file that was removed: it has another name until the commit is final.
type movedAside struct {
	of   *Snapshot
	temp temp // without an open file
}

func (g *movedAside) undo(context.Context) error {
	disk := &g.of.store.disk
	name := filepath.Base(g.of.real)
	if err := disk.publishAs(g.temp.dir, g.temp.name, name); err != nil {
		return pathError("restore", g.of.real, err)
	}
	_ = g.temp.dir.Remove(g.temp.name) // where it has both names
	if err := disk.syncDir(g.temp.dir); err != nil {
		return notSynced(g.of.real, err)
	}
	return nil
}

func (g *movedAside) finish() error {
	if err := g.temp.dir.Remove(g.temp.name); err != nil {
		return notSynced(g.of.real, err)
	}
	if err := g.of.store.disk.syncDir(g.temp.dir); err != nil {
		return notSynced(g.of.real, err)
	}
	return nil
}

func (g *movedAside) close() { _ = g.temp.dir.Close() }

// The suffixes of temporary files, as the package comment lists them.
const (
	newContent = ".tmp"
	oldContent = ".bak"
)

// maxNamePart keeps the whole name within 143 bytes, the lowest limit of file systems in
// use.
const maxNamePart = 100

// A temp is a temporary file beside the target.
type temp struct {
	dir  *os.Root
	name string
	file *os.File
}

// newTemp creates an empty file for target in dir. The process's umask applies to perm.
func newTemp(dir *os.Root, target, kind string, perm fs.FileMode) (*temp, error) {
	t := &temp{dir: dir, name: tempName(target, kind)}
	f, err := dir.OpenFile(t.name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return nil, err
	}
	t.file = f
	return t, nil
}

func tempName(target, kind string) string {
	if len(target) > maxNamePart {
		cut := maxNamePart
		for cut > maxNamePart-utf8.UTFMax && !utf8.RuneStart(target[cut]) {
			cut--
		}
		target = target[:cut]
	}
	return "." + target + ".pegboard-" + rand.Text() + kind
}

func (t *temp) path() string { return filepath.Join(t.dir.Name(), t.name) }

// discard closes the file, and removes it if it was not renamed.
func (t *temp) discard() {
	_ = t.file.Close()
	_ = t.dir.Remove(t.name) // the name is random, so no other file has it
}
