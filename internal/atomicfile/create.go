package atomicfile

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Create makes a new file at real, which is absolute and resolved, and the missing
// directories on its path. It fails with fs.ErrExist if the name is taken, even by a
// dangling link, and never overwrites. The process's umask applies to perm; 0 means
// 0o666. The file appears with all its content, except on file systems that have neither
// hard links nor a rename that does not replace. After an error, except ErrNotSynced,
// there is no file, and the directories that were made are removed again. The snapshot
// keeps data.
func (s *Store) Create(ctx context.Context, real string, data []byte, perm fs.FileMode) (*Snapshot, error) {
	dirs, snap, err := s.create(ctx, real, data, perm)
	if dirs != nil {
		dirs.close()
	}
	return snap, err
}

// create is Create. With a snapshot it also returns the directories on the path, which the
// caller closes.
func (s *Store) create(ctx context.Context, real string, data []byte, perm fs.FileMode) (*dirChain, *Snapshot, error) {
	if perm == 0 {
		perm = 0o666
	}
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	dirs, err := openDirs(filepath.Dir(real))
	if err != nil {
		return nil, nil, err
	}
	info, err := s.createIn(ctx, dirs.last(), real, data, perm)
	if err != nil {
		dirs.undo()
		dirs.close()
		return nil, nil, err
	}
	snap := s.snapshot(real, data, info)
	for _, dir := range dirs.changed() {
		if err := s.disk.syncDir(dir); err != nil {
			return dirs, snap, notSynced(real, err)
		}
	}
	return dirs, snap, nil
}

// createIn makes the new file in dir.
func (s *Store) createIn(ctx context.Context, dir *os.Root, real string, data []byte, perm fs.FileMode) (fs.FileInfo, error) {
	name := filepath.Base(real)
	if _, err := dir.Lstat(name); err == nil {
		return nil, pathError("create", real, fs.ErrExist)
	}
	tmp, err := newTemp(dir, name, newContent, perm)
	if err != nil {
		return nil, pathError("create", real, err)
	}
	defer tmp.discard()
	info, err := s.disk.fill(ctx, tmp.file, data)
	if err != nil {
		return nil, pathError("write", real, err)
	}
	err = s.disk.publishAs(dir, tmp.name, name)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		info, err = s.createDirectly(ctx, dir, name, data, perm)
	}
	if err != nil {
		return nil, pathError("create", real, err)
	}
	return info, nil
}

// createDirectly creates the file under its own name, so that other processes can see it
// while it is written. It is the fallback where a temporary file cannot be renamed.
func (s *Store) createDirectly(ctx context.Context, dir *os.Root, name string, data []byte, perm fs.FileMode) (fs.FileInfo, error) {
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
