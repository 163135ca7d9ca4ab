package pegboard

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/pattern"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

type workDir struct{ spelled, real string }

// setDirs resolves the working directories.
func (s *Session) setDirs() error {
	if s.home = s.cfg.Home; s.home == "" {
		s.home, _ = os.UserHomeDir() // without one, "~" stands for itself
	}
	s.platform = s.cfg.Platform.pattern()
	for i, dir := range append([]string{s.cfg.Dir}, s.cfg.MoreDirs...) {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return fmt.Errorf("working directory %s: %w", dir, err)
		}
		if fi, err := os.Stat(abs); err != nil {
			return fmt.Errorf("working directory: %w", err)
		} else if !fi.IsDir() {
			return fmt.Errorf("working directory %s: not a directory", dir)
		}
		if i == 0 {
			s.cfg.Dir = abs
		}
		s.work = append(s.work, workDir{spelled: abs, real: realpath.Resolve(abs)})
	}
	return nil
}

// bases are the places that the anchors of path rules stand on, under every
// spelling of the working directory.
func (s *Session) bases() []pattern.Base {
	d := s.work[0]
	home := ""
	if s.home != "" {
		home = realpath.Resolve(s.home)
	}
	bs := []pattern.Base{{Dir: d.spelled, Root: d.spelled, Home: s.home, Platform: s.platform}}
	if d.real != d.spelled || home != s.home {
		bs = append(bs, pattern.Base{Dir: d.real, Root: d.real, Home: home, Platform: s.platform})
	}
	return bs
}

// Dirs returns the working directories that the permissions in force name, the
// session's own first.
func (s *Session) Dirs() []string {
	var dirs []string
	for _, d := range s.permissions().work {
		dirs = append(dirs, d.spelled)
	}
	return dirs
}

// AllowReads lets all agents of the conversation read what lies below dir, an absolute
// path, as if it were inside a working directory: what a tool stored for the model
// to read on. Rules that deny or ask hold there as everywhere. Any other dir lends
// nothing.
func (s *Session) AllowReads(dir string) {
	if !filepath.IsAbs(dir) {
		return
	}
	s = s.main()
	s.mu.Lock()
	defer s.mu.Unlock()
	dirs := append(slices.Clone(s.readableDirs()), workDir{spelled: dir, real: realpath.Resolve(dir)})
	s.readable.Store(&dirs)
}

// readableDirs returns the directories that were lent. Nobody writes to it.
func (s *Session) readableDirs() []workDir {
	if dirs := s.main().readable.Load(); dirs != nil {
		return *dirs
	}
	return nil
}

// inside reports whether t is a path that, under all its names, lies in the
// working directories.
func (x *subject) inside(t *Target) bool { return below(t, x.dirs) }

func below(t *Target, dirs []workDir) bool {
	return t.Kind == TargetPath && !slices.ContainsFunc(t.names(), func(n string) bool { return !within(dirs, n) })
}

// within reports whether path lies in one of the working directories.
func within(dirs []workDir, path string) bool {
	return slices.ContainsFunc(dirs, func(d workDir) bool {
		return realpath.Contains(d.spelled, path) || realpath.Contains(d.real, path)
	})
}
