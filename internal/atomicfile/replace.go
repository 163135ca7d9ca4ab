package atomicfile

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/filelock"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// Replace replaces the snapshot's content by data and returns a snapshot of the new
// state, which keeps data. After an error, except *BackupError and ErrNotSynced, the
// file has its old content.
//
// It fails with ErrChanged if the file is another one, or has other content, than the
// snapshot. It fails with fs.ErrPermission if this user may not write the file, even if
// the directory is writable, so that a read-only file is respected. The superuser may
// write everything except immutable files.
//
// Of two replacements of one snapshot at most one succeeds, within this Store and, where
// the system has advisory locks, among all Stores of all processes. A change by another
// program is detected until the last check; a change between that and the rename is
// lost. Nothing outside the snapshot's directory is written, except a backup in
// os.TempDir where that directory is not writable, even if another process replaces that directory meanwhile.
//
// A new file has the permissions, owner and group of the old one. Its access list, SELinux label
// and extended attributes are not carried over: the new file has what its directory gives, and
// where an access list had lent the group bits to others, the group gets them. Set-user-id and set-group-id bits and
// capabilities are dropped, as the system does when an ordinary user writes to a file,
// since they were granted to the old content.
func (s *Snapshot) Replace(ctx context.Context, data []byte) (*Snapshot, error) {
	unlock, err := s.store.writes.lockFile(ctx, s.real)
	if err != nil {
		return nil, err
	}
	defer unlock()
	dir, err := s.openDir()
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }()
	t, err := s.openTarget(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = t.file.Close() }() // which releases the lock
	if err := lockTarget(ctx, t.file); err != nil {
		return nil, err
	}
	next, err := s.rename(ctx, t, data)
	if errors.Is(err, errInPlace) {
		next, err = s.inPlace(ctx, t, data)
	}
	return next, err
}

// openDir opens the directory of the snapshot's file. It fails with ErrChanged if the
// directory is not there any more.
func (s *Snapshot) openDir() (*os.Root, error) {
	dir, err := realpath.OpenDir(filepath.Dir(s.real))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, realpath.ErrNotDir) || errors.Is(err, realpath.ErrMoved) {
		err = s.changed(err)
	}
	return dir, err
}

// errInPlace says that the file cannot be replaced by a new one, so that it must be
// written in place.
var errInPlace = errors.New("no new file can take the place")

func (s *Snapshot) changed(reason error) error {
	return &fs.PathError{Op: "replace", Path: s.real, Err: fmt.Errorf("%w: %w", ErrChanged, reason)}
}

// A target is the file to replace, open for reading.
type target struct {
	dir  *os.Root
	name string
	file *os.File
	info fs.FileInfo
}

// openTarget opens the file of the snapshot in dir and checks that it may be written.
func (s *Snapshot) openTarget(dir *os.Root) (*target, error) {
	t := &target{dir: dir, name: filepath.Base(s.real)}
	f, err := s.openFile(t, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	t.file = f
	if t.info, err = f.Stat(); err == nil {
		var w *os.File
		if w, err = s.openFile(t, os.O_WRONLY); err == nil {
			err = w.Close()
		} else if isRunningProgram(err) { // may be replaced, but not written
			err = nil
		}
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return t, nil
}

// openFile opens the snapshot's file. It opens regular files only and follows no link,
// not even to the same file.
func (s *Snapshot) openFile(t *target, flag int) (*os.File, error) {
	if _, err := s.lstat(t); err != nil {
		return nil, err
	}
	f, err := t.dir.OpenFile(t.name, flag|realpath.Nonblock, 0)
	if err != nil {
		if _, again := s.lstat(t); again != nil {
			return nil, again
		}
		return nil, pathError("open", s.real, err)
	}
	if info, err := f.Stat(); err != nil || !os.SameFile(info, s.Info) {
		_ = f.Close()
		return nil, s.changed(errors.New("another file took its place"))
	}
	return f, nil
}

// lstat returns the directory entry of the target, or ErrChanged if it is not the
// snapshot's file any more.
func (s *Snapshot) lstat(t *target) (fs.FileInfo, error) {
	info, err := t.dir.Lstat(t.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, s.changed(fs.ErrNotExist)
	case err != nil:
		return nil, pathError("stat", s.real, err)
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, s.changed(realpath.ErrMoved)
	case !info.Mode().IsRegular():
		return nil, s.changed(realpath.ErrNotRegular)
	case !os.SameFile(info, s.Info):
		return nil, s.changed(errors.New("another file took its place"))
	}
	return info, nil
}

// verify checks that the target still has the content of the snapshot. It compares the
// times of the file if these show every change, and otherwise the content.
func (s *Snapshot) verify(ctx context.Context, t *target) error {
	info, err := s.lstat(t)
	if err != nil || s.timesReliable && unchanged(s.Info, info) {
		return err
	}
	data, err := readAll(ctx, io.NewSectionReader(t.file, 0, s.size+1), s.size, s.size)
	if err != nil {
		return pathError("read", s.real, err)
	}
	if sha256.Sum256(data) != s.Sum {
		return s.changed(errors.New("it has other content"))
	}
	last, err := s.lstat(t)
	if err == nil && !unchanged(info, last) {
		err = s.changed(errors.New("it is being written"))
	}
	return err
}

func unchanged(a, b fs.FileInfo) bool {
	return a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) && changeTime(a).Equal(changeTime(b))
}

// rename writes a new file and renames it to the target.
func (s *Snapshot) rename(ctx context.Context, t *target, data []byte) (*Snapshot, error) {
	if hasHardLinks(t.file, t.info) {
		return nil, errInPlace
	}
	disk := &s.store.disk
	tmp, err := newTemp(t.dir, t.name, newContent, 0o600)
	if preventsNewFile(err) {
		return nil, errInPlace
	}
	if err != nil {
		return nil, pathError("create a file beside", s.real, err)
	}
	defer tmp.discard()
	// The owner is set before the content is written, so that no other user can read it.
	if copyOwner(tmp.file, t.info) != nil || tmp.file.Chmod(t.info.Mode().Perm()) != nil {
		return nil, errInPlace
	}
	info, err := disk.fill(ctx, tmp.file, data)
	if err != nil {
		return nil, pathError("write", s.real, err)
	}
	if err := s.verify(ctx, t); err != nil {
		return nil, err
	}
	if closeBeforeRename {
		_ = t.file.Close()
	}
	if err := disk.rename(t.dir, tmp.name, t.name); preventsNewFile(err) {
		return nil, errInPlace
	} else if err != nil {
		return nil, pathError("rename a new file to", s.real, err)
	}
	next := s.store.snapshot(s.real, data, info)
	if err := disk.syncDir(t.dir); err != nil {
		return next, notSynced(s.real, err)
	}
	return next, nil
}

// fill writes and closes a new file.
func (d *disk) fill(ctx context.Context, f *os.File, data []byte) (fs.FileInfo, error) {
	if err := d.write(ctx, f, data, 0); err != nil {
		return nil, err
	}
	if err := d.sync(f); err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return info, f.Close() // some file systems report a full disk only here
}

func notSynced(real string, err error) error {
	return fmt.Errorf("%w: %w", ErrNotSynced, pathError("sync the directory of", real, err))
}

// maxLockWait is how long a replacement waits for another holder of the file's advisory
// lock. Another program may hold it for its own purposes, and for as long as it runs.
const maxLockWait = 2 * time.Second

// lockTarget acquires the lock of f, the file that is about to be replaced, so that other
// Stores of this process and others wait. After maxLockWait, or where files cannot be
// locked, it returns without the lock. The lock ends when f is closed. The only error is
// that of ctx.
func lockTarget(ctx context.Context, f *os.File) error {
	if err := filelock.Lock(ctx, f, maxLockWait); err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return nil
}
