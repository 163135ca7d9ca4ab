package atomicfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// A Step is the change of one file in a commit.
type Step struct {
	Before *Snapshot   // the present state of the file; nil for a new one
	Path   string      // of a new file, absolute and resolved
	Perm   fs.FileMode // of a new file; 0 means 0o666
	Data   []byte      // new content
	Remove bool        // the file is removed instead
}

// An UndoError says that a commit failed, and that some of its files could not get their
// old state back.
type UndoError struct {
	Err    error // why the commit failed, joined with why it could not be undone
	Paths  []string
	Backup []string // files with the content of files that were removed and could not be restored
}

func (e *UndoError) Error() string {
	return fmt.Sprintf("%s could not get the old state back: %v", strings.Join(e.Paths, ", "), e.Err)
}

// Unwrap returns e.Err.
func (e *UndoError) Unwrap() error { return e.Err }

// Commit makes all changes, or none: after an error, except *UndoError, *BackupError and
// ErrNotSynced, all files have their old content. Each step works like [Store.Create] or
// [Snapshot.Replace], so that a reader sees a whole file at any moment, though for a
// while new files beside old ones. If the process is killed meanwhile, some files are
// changed and others not.
//
// It returns the new states of the files, in the order of the steps; nil for one that is
// removed. With ErrNotSynced, all changes are made.
func (s *Store) Commit(ctx context.Context, steps []Step) ([]*Snapshot, error) {
	done := make([]*Snapshot, len(steps))
	var undo undoLog
	defer undo.close()
	var notSynced error
	for _, remove := range []bool{false, true} { // removals come last: their files are needed longest
		for i, step := range steps {
			if step.Remove != remove {
				continue
			}
			next, err := s.do(ctx, step, &undo)
			if errors.Is(err, ErrNotSynced) {
				notSynced, err = errors.Join(notSynced, err), nil
			}
			if err != nil {
				return nil, undo.run(context.WithoutCancel(ctx), err)
			}
			done[i] = next
		}
	}
	return done, errors.Join(notSynced, undo.finish())
}

// do makes one change, and logs how it is taken back.
func (s *Store) do(ctx context.Context, step Step, undo *undoLog) (*Snapshot, error) {
	switch {
	case step.Remove:
		gone, err := step.Before.moveAside(ctx)
		if err == nil {
			undo.add(step.Before.real, gone)
		}
		return nil, err
	case step.Before == nil:
		dirs, next, err := s.create(ctx, step.Path, step.Data, step.Perm)
		if next != nil {
			undo.add(step.Path, made{dirs: dirs, snap: next})
		}
		return next, err
	}
	next, err := step.Before.Replace(ctx, step.Data)
	if next != nil {
		undo.add(step.Before.real, replaced{old: step.Before, next: next})
	}
	return next, err
}

// moveAside gives the snapshot's file another name in its directory. It fails as Replace
// does if the file changed.
func (s *Snapshot) moveAside(ctx context.Context) (*movedAside, error) {
	unlock, err := s.store.writes.lockFile(ctx, s.real)
	if err != nil {
		return nil, err
	}
	defer unlock()
	dir, err := s.openDir()
	if err != nil {
		return nil, err
	}
	gone, err := s.moveWithin(ctx, dir)
	if err != nil {
		_ = dir.Close()
		return nil, err
	}
	return gone, nil
}

// moveWithin is moveAside in the directory of the file.
func (s *Snapshot) moveWithin(ctx context.Context, dir *os.Root) (*movedAside, error) {
	t, err := s.openTarget(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = t.file.Close() }() // which releases the lock
	if err := lockTarget(ctx, t.file); err != nil {
		return nil, err
	}
	if err := s.verify(ctx, t); err != nil {
		return nil, err
	}
	gone := &movedAside{of: s, temp: temp{dir: dir, name: tempName(t.name, oldContent)}}
	if closeBeforeRename {
		_ = t.file.Close()
	}
	if err := s.store.disk.rename(dir, t.name, gone.temp.name); err != nil {
		return nil, pathError("remove", s.real, err)
	}
	return gone, nil
}
