package atomicfile

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"
)

// inPlace writes into the file itself. After the backup is made it ignores the context,
// since stopping would leave half a file.
func (s *Snapshot) inPlace(ctx context.Context, t *target, data []byte) (*Snapshot, error) {
	disk := &s.store.disk
	f, err := s.openFile(t, os.O_RDWR)
	if err != nil {
		return nil, err
	}
	locked := t.file
	defer func() { _ = locked.Close() }()
	t.file = f
	old, err := readAll(ctx, io.NewSectionReader(f, 0, s.size+1), s.size, s.size)
	if err != nil {
		return nil, pathError("read", s.real, err)
	}
	if sha256.Sum256(old) != s.Sum {
		return nil, s.changed(errors.New("it has other content"))
	}
	bak, err := s.backUp(ctx, t, old)
	if err != nil {
		return nil, pathError("back up", s.real, err)
	}
	defer func() { _ = bak.dir.Close() }()
	if err := s.verify(ctx, t); err != nil {
		bak.discard()
		return nil, err
	}
	if touched, err := disk.overwrite(f, old, data); err != nil {
		if again := disk.restore(f, old, touched); again != nil {
			_ = bak.file.Close()
			return nil, &BackupError{Path: s.real, Backup: bak.path(), Err: errors.Join(pathError("write", s.real, err), pathError("restore", s.real, again))}
		}
		bak.discard()
		return nil, pathError("write", s.real, err)
	}
	bak.discard()
	if t.info.Mode()&(fs.ModeSetuid|fs.ModeSetgid) != 0 {
		_ = f.Chmod(t.info.Mode().Perm()) // the system did, unless we are the superuser
	}
	info, err := f.Stat()
	if err != nil {
		return nil, pathError("stat", s.real, err)
	}
	return s.store.snapshot(s.real, data, info), nil
}

// backUp writes the old content to a file of its own, beside the target if possible. The
// caller closes the directory of the result.
func (s *Snapshot) backUp(ctx context.Context, t *target, old []byte) (*temp, error) {
	dir, err := t.dir.OpenRoot(".")
	if err != nil {
		return nil, err
	}
	bak, err := newTemp(dir, t.name, oldContent, 0o600)
	if preventsNewFile(err) {
		_ = dir.Close()
		if dir, err = os.OpenRoot(os.TempDir()); err != nil {
			return nil, err
		}
		bak, err = newTemp(dir, t.name, oldContent, 0o600)
	}
	if err != nil {
		_ = dir.Close()
		return nil, err
	}
	disk := &s.store.disk
	if _, err = disk.fill(ctx, bak.file, old); err == nil {
		err = disk.syncDir(dir)
	}
	if err != nil {
		bak.discard()
		_ = dir.Close()
		return nil, err
	}
	return bak, nil
}

// overwrite replaces old by data in f. It writes the part past the end of the old
// content first: if the disk is full, the old content is untouched.
func (d *disk) overwrite(f *os.File, old, data []byte) (touched bool, err error) {
	ctx := context.Background()
	both := min(len(old), len(data))
	if err := d.write(ctx, f, data[both:], int64(both)); err != nil {
		return false, err
	}
	if err := d.write(ctx, f, data[:both], 0); err != nil {
		return true, err
	}
	if err := f.Truncate(int64(len(data))); err != nil {
		return true, err
	}
	return true, d.sync(f)
}

// restore restores the old content. touched is the result of overwrite.
func (d *disk) restore(f *os.File, old []byte, touched bool) error {
	if err := f.Truncate(int64(len(old))); err != nil {
		return err
	}
	if touched {
		if err := d.write(context.Background(), f, old, 0); err != nil {
			return err
		}
	}
	return d.sync(f)
}
