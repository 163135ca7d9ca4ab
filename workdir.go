package pegboard

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"

	"github.com/seed49eaa51d/pegboard/internal/lock"
	"github.com/seed49eaa51d/pegboard/internal/pattern"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// A workDir is a directory as it is spelled and as it is after symbolic links.
type workDir struct{ spelled, real string }

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

// workdirs are the directories of a session. They never change, but for the readable
// ones.
type workdirs struct {
	pathResolver
	own      []workDir     // the session's own; the first is pathResolver.dir
	readable *readableDirs // shared by all agents of a conversation
}

// newWorkdirs resolves directories, of which the first is the working directory. An empty
// home means the user's.
func newWorkdirs(dirs []string, home string, platform Platform, readable *readableDirs) (workdirs, error) {
	w := workdirs{readable: readable}
	for _, dir := range dirs {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return workdirs{}, fmt.Errorf("working directory %s: %w", dir, err)
		}
		if fi, err := os.Stat(abs); err != nil {
			return workdirs{}, fmt.Errorf("working directory: %w", err)
		} else if !fi.IsDir() {
			return workdirs{}, fmt.Errorf("working directory %s: not a directory", dir)
		}
		w.own = append(w.own, workDir{spelled: abs, real: realpath.Resolve(abs)})
	}
	if home == "" {
		home, _ = os.UserHomeDir() // if there is none, "~" stands for itself
	}
	w.pathResolver = pathResolver{dir: w.own[0].spelled, home: home, platform: platform.pattern(), platformName: platform.String()}
	return w, nil
}

// bases are the directories that the anchors of path rules refer to, under every
// spelling of the working directory.
func (w *workdirs) bases() []pattern.Base {
	d, home := w.own[0], ""
	if w.home != "" {
		home = realpath.Resolve(w.home)
	}
	bs := []pattern.Base{{Dir: d.spelled, Root: d.spelled, Home: w.home, Platform: w.platform}}
	if d.real != d.spelled || home != w.home {
		bs = append(bs, pattern.Base{Dir: d.real, Root: d.real, Home: home, Platform: w.platform})
	}
	return bs
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
