package spool

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/filelock"
)

// surveyOwn counts the bytes in the folder and finds its oldest entries. The count of the
// root is left unchanged, so it may be too large.
func (d *Dir) surveyOwn(ctx context.Context, c *counts) error {
	d.ownOldest = evictionQueue{surveyedAt: time.Now(), complete: true}
	found, err := survey(ctx, d.dir, d.name, time.Time{}, d.ownOldest.add)
	if err != nil {
		return err
	}
	d.ownOldest.trim()
	c.own = found.size
	return nil
}

// surveyAll is surveyOwn for everything under the root.
func (d *Dir) surveyAll(ctx context.Context, c *counts) error {
	d.allOldest = evictionQueue{surveyedAt: time.Now(), complete: true}
	c.all = 0
	names, err := d.sessions()
	if err != nil {
		return err
	}
	for _, name := range names {
		dir, err := d.session(name)
		if err != nil {
			continue // removed meanwhile, or not a folder of this package
		}
		found, err := survey(ctx, dir, name, time.Time{}, d.allOldest.add)
		_ = dir.Close()
		if err != nil && ctx.Err() != nil {
			return err
		}
		c.all += found.size
		if name == d.name {
			c.own = found.size
		}
	}
	d.allOldest.trim()
	return nil
}

// sessions returns the names of the folders under the root.
func (d *Dir) sessions() ([]string, error) {
	var names []string
	err := list(d.root, func(name string, kind fs.FileMode) error {
		if kind.IsDir() {
			names = append(names, name)
		}
		return nil
	})
	return names, err
}

// errForeign says that no Dir has created a folder.
var errForeign = errors.New("not a folder of a session")

// session opens the folder of a session.
func (d *Dir) session(name string) (*os.Root, error) {
	info, err := d.root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, errForeign
	}
	dir, err := d.root.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	if mark, err := dir.Lstat(sizeName); err != nil || !mark.Mode().IsRegular() {
		_ = dir.Close()
		return nil, errForeign
	}
	return dir, nil
}

// A surveyResult describes the content of a folder.
type surveyResult struct {
	size    int64 // bytes of entries, including pending ones
	removed int64 // bytes of removed entries that were too old
	files   int   // number of files
	entries int
	others  int // number of other files
}

// survey counts the files of a folder and calls each with its entries. It removes entries
// older than oldest and temporary files of dead processes.
func survey(ctx context.Context, dir *os.Root, folder string, oldest time.Time, each func(candidate)) (surveyResult, error) {
	var found surveyResult
	err := list(dir, func(name string, _ fs.FileMode) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		found.files++
		isTemp := isTempName(name)
		if !isTemp && !isEntryName(name) {
			if name != sizeName {
				found.others++
			}
			return nil
		}
		info, err := dir.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || !info.Mode().IsRegular() {
			found.others++
			return nil //nolint:nilerr // it is not a file of this package
		}
		if isStale(dir, name, isTemp, info, oldest) && dir.Remove(name) == nil {
			if !isTemp { // a temporary one may not have been counted yet
				found.removed += info.Size()
			}
			return nil
		}
		found.size += info.Size()
		found.entries++
		if !isTemp {
			each(candidate{folder: folder, name: name, size: info.Size(), modTime: info.ModTime()})
		}
		return nil
	})
	return found, err
}

// isStale reports whether a file should be removed: an entry that is older than oldest, or
// a temporary file whose writer is dead.
func isStale(dir *os.Root, name string, isTemp bool, info fs.FileInfo, oldest time.Time) bool {
	if !isTemp {
		return info.ModTime().Before(oldest)
	}
	f, err := openRegular(dir, name, os.O_RDWR)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	free, err := filelock.TryLock(f)
	if err != nil { // the file system has no locks
		return info.ModTime().Before(oldest)
	}
	return free
}

// list calls each with the names in a directory, without holding all of them in memory.
// kind has no permission bits.
func list(dir *os.Root, each func(name string, kind fs.FileMode) error) error {
	f, err := dir.Open(".")
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	for {
		const batch = 256
		entries, err := f.ReadDir(batch)
		for _, e := range entries {
			if err := each(e.Name(), e.Type()); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
