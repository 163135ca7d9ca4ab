// Package settings keeps permissions in the settings files that users have:
// .claude/settings.json and .claude/settings.local.json in a project, and
// .claude/settings.json in the home directory. [Files.Save] remembers what a
// person answered, [Files.Load] brings it back after a restart.
//
// Of a file only the object "permissions" is read and changed: its lists allow,
// ask, deny and additionalDirectories, and its defaultMode. Every byte beside what
// an update changes stays: unknown keys, their order, indentation, line ends.
package settings

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// maxBytes is the most that a settings file may have.
const maxBytes = 4 << 20

// Files are the settings files of a session. [Locate] finds those of a directory.
// A value may be used by several goroutines and processes at once.
type Files struct {
	// The files by the source of what stands in them: absolute paths, empty for
	// none. They need not exist.
	Local, Project, User string

	Dir  string // the session's working directory; empty means the process's
	Home string // what ~ means to the session; empty means the user's

	// Trusted says that the user trusts the project. Until then its allow rules,
	// its directories and a mode that lets more run do not count; those of the local
	// file neither, if it may have come with the project's files.
	Trusted bool

	// OnSetAside is told of each corrupt file that Save put aside, before Save
	// returns. If it is nil, Save returns the error instead, having saved all.
	OnSetAside func(e *SetAsideError)
}

// Errors of Save and Load.
var (
	// ErrComments: the file would be valid JSON without its comments or its last
	// commas. It is neither read nor changed nor set aside: it is no accident, and
	// the comments could not be kept in their places.
	ErrComments = errors.New("the file has comments or a comma before a closing bracket, which JSON does not know; take them out")
	// ErrLocked: somebody else has been saving there for ten seconds. That file was not
	// written.
	ErrLocked = errors.New("somebody else is saving settings there")
)

// CorruptError says that a file is not what a settings file is: one JSON object in
// UTF-8, without a second "permissions" or a second list of one name in it.
type CorruptError struct {
	Path string
	Err  error
}

// Error says what is wrong with which file.
func (e *CorruptError) Error() string { return fmt.Sprintf("%s is not valid: %v", e.Path, e.Err) }

// Unwrap returns e.Err.
func (e *CorruptError) Unwrap() error { return e.Err }

// SetAsideError says that a corrupt file was put aside and a new one begun, so that
// what else the old one said is no longer in force. The updates are saved.
type SetAsideError struct {
	Path string // the settings file
	Copy string // what holds its old bytes: Path.corrupt-TIME-RANDOM
	Err  error  // what was wrong
}

// Error says where the old content is.
func (e *SetAsideError) Error() string {
	return fmt.Sprintf("%s was not valid; its old content is in %s and no longer in force: %v", e.Path, e.Copy, e.Err)
}

// Unwrap returns e.Err.
func (e *SetAsideError) Unwrap() error { return e.Err }

// sources are those that have files, in order of precedence.
func sources() []pegboard.RuleSource {
	return []pegboard.RuleSource{pegboard.SourceLocal, pegboard.SourceProject, pegboard.SourceUser}
}

// path returns the file of a source, empty if there is none.
func (f Files) path(source pegboard.RuleSource) string {
	switch source {
	case pegboard.SourceLocal:
		return f.Local
	case pegboard.SourceProject:
		return f.Project
	case pegboard.SourceUser:
		return f.User
	}
	return ""
}

// isOurs reports whether a source is one that may have a file.
func isOurs(source pegboard.RuleSource) bool {
	return source == pegboard.SourceLocal || source == pegboard.SourceProject || source == pegboard.SourceUser
}

// places returns the session's directory and home, as a session takes them.
func (f Files) places() (dir, home string, err error) {
	if dir, err = filepath.Abs(cmp.Or(f.Dir, ".")); err != nil {
		return "", "", fmt.Errorf("working directory: %w", err)
	}
	if home = f.Home; home == "" {
		home, _ = os.UserHomeDir() // without one, no rule is written with "~"
	}
	return dir, home, nil
}

// resolve returns where a file really is. It is an error if a link on the way
// leads nowhere, or in a circle: what would be written there is nobody's guess.
func resolve(path string) (string, error) {
	if !filepath.IsAbs(path) {
		return "", fmt.Errorf("the settings file %s is not an absolute path", path)
	}
	path = filepath.Clean(path)
	if _, err := os.Stat(path); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return realpath.Resolve(path), err
	}
	for at := path; filepath.Dir(at) != at; at = filepath.Dir(at) {
		if _, err := os.Lstat(at); err != nil {
			continue
		}
		if _, err := os.Stat(at); err != nil {
			return "", fmt.Errorf("%s is a link that leads nowhere: %w", at, err)
		}
		break
	}
	return realpath.Resolve(path), nil
}

// isLinked reports whether the file, or the directory that it is in, is a link.
// real is where it leads.
func isLinked(path, real string) bool {
	dir, name := filepath.Split(filepath.Clean(path))
	dir = filepath.Clean(dir)
	return real != filepath.Join(realpath.Resolve(filepath.Dir(dir)), filepath.Base(dir), name)
}
