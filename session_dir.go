package pegboard

import (
	"errors"
	"path/filepath"
)

// An outsideError is an [ErrOutside] of a directory.
type outsideError struct{ dir, whose string }

func (e *outsideError) Error() string {
	return "directory " + visible(e.dir) + " is outside " + e.whose + " working directories"
}

func (e *outsideError) Unwrap() error { return ErrOutside }

// SetDir moves s to the directory dir, for calls whose decision begins after it returns. A
// call that is being decided or runs keeps its [Call.Dir], with all that it was decided by.
//
// Dir lies inside the working directories in force, with and without symbolic links, or is
// the directory that s was made in. Otherwise the error is [ErrOutside]; it wraps
// [io/fs.ErrNotExist] if there is no such directory. A relative dir starts in the present one.
// After an error, nothing has changed.
//
//   - Dir takes the place of the session's own directory among the working directories. The
//     further ones stay. So a session that has moved may not go up again, except to where it
//     was made.
//   - Rules keep the anchors that they have where they were added, which is the former directory
//     for most. Deny and ask rules, those of the parents included, also hold as if they were
//     anchored on dir. Allow rules do not. A rule that is added from now on is anchored on dir.
//   - Forks made later begin in dir. Those that are there stay where they are, and keep their
//     directories.
//
// In a fork, dir also lies inside the directories of its parent, and the parent stays.
func (s *Session) SetDir(dir string) error {
	s.mustExist("SetDir")
	if dir == "" {
		return errors.New("working directory: the name is empty")
	}
	var last string
	err := s.grants.move(func(from *place, work, outer []workDir) (*place, error) {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(from.dir, dir)
		}
		d, err := newWorkDir(filepath.Clean(dir))
		if err != nil {
			return nil, err
		}
		isMade := d.real == from.made.real && (d.spelled == from.made.spelled || d.spelled == d.real)
		if !d.isWithin(work) && (!isMade || outer != nil && !d.isWithin(outer)) {
			return nil, &outsideError{d.spelled, "the"}
		}
		last, dir = from.dir, d.spelled
		return from.in(d), nil
	})
	if err == nil {
		s.dirListeners.tell(last, dir)
	}
	return err
}

// OnSetDir makes each SetDir of s call f when the session has moved, with the directories
// before and after, on the goroutine of SetDir and before that returns. Several are called in
// the order of their first OnSetDir. A second OnSetDir of a name replaces the func of the
// first, and a nil func removes it. F may use the session, and may be called concurrently. A
// panic of f is one of SetDir, after the session has moved. A fork has its own funcs only.
func (s *Session) OnSetDir(name string, f func(from, to string)) {
	s.mustExist("OnSetDir")
	s.dirListeners.set(name, f)
}
