package pegboard

import (
	"fmt"
	"os"
	"slices"
	"sync/atomic"

	"github.com/seed49eaa51d/pegboard/internal/lock"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// A workDir is a directory as it is spelled and as it is after symbolic links.
type workDir struct{ spelled, real string }

// newWorkDir resolves an absolute path, which must be that of a directory.
func newWorkDir(abs string) (workDir, error) {
	if fi, err := os.Stat(abs); err != nil {
		return workDir{}, fmt.Errorf("working directory: %w", err)
	} else if !fi.IsDir() {
		return workDir{}, fmt.Errorf("working directory %s: not a directory", abs)
	}
	return workDir{spelled: abs, real: realpath.Resolve(abs)}, nil
}

// spelledDirs returns dirs as they are spelled.
func spelledDirs(dirs []workDir) (names []string) {
	for _, d := range dirs {
		names = append(names, d.spelled)
	}
	return names
}

// within reports whether path lies in one of dirs.
func within(dirs []workDir, path string) bool {
	return slices.ContainsFunc(dirs, func(d workDir) bool {
		return realpath.Contains(d.spelled, path) || realpath.Contains(d.real, path)
	})
}

// isWithin reports whether d lies in one of dirs under both of its names.
func (d workDir) isWithin(dirs []workDir) bool {
	return within(dirs, d.spelled) && within(dirs, d.real)
}

// allNamesWithin reports whether t is a path that lies in dirs under each of its names.
func allNamesWithin(t *Target, dirs []workDir) bool {
	return t.Kind == TargetPath && !slices.ContainsFunc(t.names(), func(n string) bool { return !within(dirs, n) })
}

// readableDirs are directories that may be read as if they were working directories,
// but not written.
type readableDirs struct {
	mu   lock.Mutex // held to add one
	dirs atomic.Pointer[[]workDir]
}

// add adds an absolute path.
func (r *readableDirs) add(dir string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	dirs := append(slices.Clone(r.all()), workDir{spelled: dir, real: realpath.Resolve(dir)})
	r.dirs.Store(&dirs)
}

// all returns the directories. The caller must not write to them.
func (r *readableDirs) all() []workDir {
	if dirs := r.dirs.Load(); dirs != nil {
		return *dirs
	}
	return nil
}
