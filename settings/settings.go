// Package settings reads and writes the permissions in the settings files of Claude Code:
// .claude/settings.json and .claude/settings.local.json in a project, and
// .claude/settings.json in the home directory, as Claude Code's documentation of settings
// describes them. [Files.Save] saves the user's answers, [Files.Load] loads them after a
// restart.
//
// Only the object "permissions" of a file is read and changed: its lists allow, ask, deny
// and additionalDirectories, and its defaultMode. The keys disableBypassPermissionsMode and
// disableAutoMode are read. All other bytes stay: unknown keys, their order, indentation,
// line ends.
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

// maxBytes is the maximum size of a settings file.
const maxBytes = 4 << 20

// Files are the settings files of a session. [Locate] finds those of a directory. A value
// may be used by several goroutines and processes at once.
type Files struct {
	// The files by the source of their rules: absolute paths, or empty. The files need not
	// exist.
	Local, Project, User string

	Dir  string // working directory of the session; empty means that of the process
	Home string // home directory of the session, for "~"; empty means the user's

	// Trusted says that the user trusts the project. Otherwise its allow rules, its
	// directories and a mode that allows more than the default are ignored, and also those
	// of the local file if that may have come with the project's files.
	Trusted bool

	// OnSetAside is called for each corrupt file that Save set aside, before Save returns.
	// If it is nil, Save returns the error instead, after it has saved all updates.
	OnSetAside func(e *SetAsideError)
}

// sources returns the sources that have files, in order of precedence.
func sources() []pegboard.RuleSource {
	return []pegboard.RuleSource{pegboard.SourceLocal, pegboard.SourceProject, pegboard.SourceUser}
}

// path returns the file of a source, or "".
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

// hasFile reports whether a source may have a file.
func hasFile(source pegboard.RuleSource) bool {
	return source == pegboard.SourceLocal || source == pegboard.SourceProject || source == pegboard.SourceUser
}

// sessionDirs returns the session's working directory and home directory.
func (f Files) sessionDirs() (dir, home string, err error) {
	if dir, err = filepath.Abs(cmp.Or(f.Dir, ".")); err != nil {
		return "", "", fmt.Errorf("working directory: %w", err)
	}
	if home = f.Home; home == "" {
		home, _ = os.UserHomeDir() // if it is empty, no rule is written with "~"
	}
	return dir, home, nil
}

// resolve returns the resolved path of a file. It returns an error if a link in the path is
// dangling or part of a circle, since it is unclear where the file should be created.
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

// isLinked reports whether the file, or its directory, is a link. real is the resolved path.
func isLinked(path, real string) bool {
	dir, name := filepath.Split(filepath.Clean(path))
	dir = filepath.Clean(dir)
	return real != filepath.Join(realpath.Resolve(filepath.Dir(dir)), filepath.Base(dir), name)
}
