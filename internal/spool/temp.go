package spool

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/filelock"
)

// tempRootPrefix is how the names of temporary roots begin, and tempSession is the folder in
// each of them.
const (
	tempRootPrefix = "pegboard-results-"
	tempSession    = "session"
)

// tempAge is how old a temporary root must be before another process may remove it. A
// younger one may not be locked yet.
const tempAge = time.Hour

// OpenTemp opens a new folder in a new root under parent, for one process. Close removes
// both. "" means the system's directory for temporary files. If the process ends without
// Close, they stay until a later OpenTemp removes them.
func OpenTemp(parent string, o Options) (*Dir, error) {
	if parent == "" {
		parent = os.TempDir()
	}
	removeOrphans(parent)
	root, err := os.MkdirTemp(parent, tempRootPrefix)
	if err != nil {
		return nil, err
	}
	d, err := Open(root, tempSession, o)
	if err != nil {
		_ = os.RemoveAll(root)
		return nil, err
	}
	d.temporary = true
	return d, nil
}

// removeOrphans removes temporary roots that no process has open. Errors are ignored: a
// root of another user stays.
func removeOrphans(parent string) {
	entries, _ := os.ReadDir(parent)
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), tempRootPrefix) {
			continue
		}
		info, err := e.Info()
		if err == nil && time.Since(info.ModTime()) > tempAge && isOrphan(filepath.Join(parent, e.Name())) {
			_ = removeAll(filepath.Join(parent, e.Name()))
		}
	}
}

// isOrphan reports whether a temporary root is of no running process: nothing holds the
// lock of its ledger. Where files have no locks it reports false.
func isOrphan(root string) bool {
	dir, err := os.OpenRoot(filepath.Join(root, tempSession))
	if err != nil {
		return false
	}
	defer func() { _ = dir.Close() }()
	f, err := openRegular(dir, sizeName, os.O_RDWR)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	free, err := filelock.TryLock(f)
	return free && err == nil
}
