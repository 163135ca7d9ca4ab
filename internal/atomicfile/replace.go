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

	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// Replace puts data in the place of the snapshot's content and returns a snapshot
// of the file as it is then, which keeps data. On an error the old content stands,
// but for *BackupError and ErrNotSynced.
//
// It fails with ErrChanged if the file is another one or has other content than
// the snapshot, and with fs.ErrPermission if the file may not be written by this
// user, even where the directory would let a new one take its place: somebody made
// it read-only on purpose. The superuser may write all but immutable files.
//
// Of two replacements of one snapshot at most one succeeds, within this Store and,
// where the system knows advisory locks, among all Stores of all processes.
// Another program is noticed up to the last check: a change that it makes between
// this and the rename that follows is lost. Nothing outside the directory of the
// snapshot is written, whatever is put in its place meanwhile.
//
// A new file has the permissions, owner, group, and on Linux the access list, the
// SELinux label and the user attributes of the old one. Set-user-id and
// set-group-id bits and capabilities are dropped, as the system does when an
// ordinary user writes to a file: they were given to the old content.
func (s *Snapshot) Replace(ctx context.Context, data []byte) (*Snapshot, error) {
	unlock, err := s.store.writes.file(ctx, s.real)
	if err != nil {
		return nil, err
	}
	defer unlock()
	dir, err := realpath.OpenDir(filepath.Dir(s.real))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, realpath.ErrNotDir) || errors.Is(err, realpath.ErrMoved) {
		err = s.changed(err)
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }()
	t, err := s.open(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = t.file.Close() }() // which ends the turn
	if err := takeTurn(ctx, t.file); err != nil {
		return nil, err
	}
	next, err := s.rename(ctx, t, data)
	if errors.Is(err, errInPlace) {
		next, err = s.inPlace(ctx, t, data)
	}
	return next, err
}

// errInPlace says that a new file cannot take the place of the old one, and that
// writing into the old one may do.
var errInPlace = errors.New("no new file can take the place")

func (s *Snapshot) changed(why error) error {
	return &fs.PathError{Op: "replace", Path: s.real, Err: fmt.Errorf("%w: %w", ErrChanged, why)}
}

// A target is the file that is replaced, open for reading.
type target struct {
	dir  *os.Root
	name string
	file *os.File
	info fs.FileInfo
}

// open finds the file of the snapshot in dir and makes sure that it may be written.
func (s *Snapshot) open(dir *os.Root) (*target, error) {
	t := &target{dir: dir, name: filepath.Base(s.real)}
	f, err := s.handle(t, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	t.file = f
	if t.info, err = f.Stat(); err == nil {
		var w *os.File
		if w, err = s.handle(t, os.O_WRONLY); err == nil {
			err = w.Close()
		} else if isRunning(err) { // a program, which may be replaced but not changed
			err = nil
		}
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return t, nil
}

// handle opens the snapshot's file. Nothing but a regular file is opened, and no
// link is followed, not even to the same file.
func (s *Snapshot) handle(t *target, flag int) (*os.File, error) {
	if _, err := s.look(t); err != nil {
		return nil, err
	}
	f, err := t.dir.OpenFile(t.name, flag|realpath.Nonblock, 0)
	if err != nil {
		if _, again := s.look(t); again != nil {
			return nil, again
		}
		return nil, fail("open", s.real, err)
	}
	if info, err := f.Stat(); err != nil || !os.SameFile(info, s.Info) {
		_ = f.Close()
		return nil, s.changed(errors.New("another file took its place"))
	}
	return f, nil
}

// look says what the directory entry of the target is now, if it is still that of
// the snapshot's file.
func (s *Snapshot) look(t *target) (fs.FileInfo, error) {
	info, err := t.dir.Lstat(t.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, s.changed(fs.ErrNotExist)
	case err != nil:
		return nil, fail("stat", s.real, err)
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, s.changed(realpath.ErrMoved)
	case !info.Mode().IsRegular():
		return nil, s.changed(realpath.ErrNotRegular)
	case !os.SameFile(info, s.Info):
		return nil, s.changed(errors.New("another file took its place"))
	}
	return info, nil
}

// verify makes sure that the target is still what the snapshot shows. The times of
// the file are believed if they can show any change, else the content is compared.
func (s *Snapshot) verify(ctx context.Context, t *target) error {
	info, err := s.look(t)
	if err != nil || s.settled && unchanged(s.Info, info) {
		return err
	}
	data, err := readAll(ctx, io.NewSectionReader(t.file, 0, s.size+1), s.size, s.size)
	if err != nil {
		return fail("read", s.real, err)
	}
	if sha256.Sum256(data) != s.Sum {
		return s.changed(errors.New("it has other content"))
	}
	last, err := s.look(t)
	if err == nil && !unchanged(info, last) {
		err = s.changed(errors.New("it is being written"))
	}
	return err
}

func unchanged(a, b fs.FileInfo) bool {
	return a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) && changeTime(a).Equal(changeTime(b))
}

// rename writes a new file and puts it in the place of the target.
func (s *Snapshot) rename(ctx context.Context, t *target, data []byte) (*Snapshot, error) {
	if severalNames(t.file, t.info) {
		return nil, errInPlace
	}
	disk := &s.store.disk
	tmp, err := newTemp(t.dir, t.name, newContent, 0o600)
	if inTheWay(err) {
		return nil, errInPlace
	}
	if err != nil {
		return nil, fail("create a file beside", s.real, err)
	}
	defer tmp.discard()
	// First the owner and the access list: the content may be seen by no others.
	if keepOwner(tmp.file, t.info) != nil || keepAttributes(tmp.file, t.file) != nil || tmp.file.Chmod(t.info.Mode().Perm()) != nil {
		return nil, errInPlace
	}
	info, err := disk.fill(ctx, tmp.file, data)
	if err != nil {
		return nil, fail("write", s.real, err)
	}
	if err := s.verify(ctx, t); err != nil {
		return nil, err
	}
	if replacesNoOpenFile {
		_ = t.file.Close()
	}
	if err := disk.rename(t.dir, tmp.name, t.name); inTheWay(err) {
		return nil, errInPlace
	} else if err != nil {
		return nil, fail("rename a new file to", s.real, err)
	}
	next := s.store.snapshot(s.real, data, info, Renamed)
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
	return info, f.Close() // some file systems say only now that there is no room
}

func notSynced(real string, err error) error {
	return fmt.Errorf("%w: %w", ErrNotSynced, fail("sync the directory of", real, err))
}
