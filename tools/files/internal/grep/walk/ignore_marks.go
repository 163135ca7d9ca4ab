package walk

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// An ignoreMarks value is the set of names in a directory that affect its ignore rules.
type ignoreMarks byte

const (
	markRgIgnore ignoreMarks = 1 << iota
	markDotIgnore
	markGitIgnore
	markRepository
)

func markOf(name []byte) ignoreMarks {
	switch string(name) {
	case ".rgignore":
		return markRgIgnore
	case ".ignore":
		return markDotIgnore
	case ".gitignore":
		return markGitIgnore
	case ".git":
		return markRepository
	}
	return 0
}

func marksIn(dir string) (m ignoreMarks) {
	for _, name := range []string{".rgignore", ".ignore", ".gitignore", ".git"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			m |= markOf([]byte(name))
		}
	}
	return m
}

// An ignoreScope holds the ignore rules of one directory and refers to the scope above.
// A directory has a scope of its own if it has rules or is the root of a repository.
type ignoreScope struct {
	parent       *ignoreScope // scope of a directory above; nil if there are no rules
	pathOffset   int          // length of the path of the directory, see selection.prefix
	rules        [numSources]*rules
	isRepository bool // the directory is the root of a repository
	inRepository bool // the directory is in a repository
}

// match returns the effect on a path of the ignore files of this scope and the scopes
// above. A source of higher priority wins over a nearer directory.
func (s *ignoreScope) match(full, name string, dir bool) ruleMatch {
	var matches [numSources]ruleMatch
	leftRepository := false
	for at := s; at != nil; at = at.parent {
		for of, rules := range at.rules {
			git := ignoreSource(of) >= gitIgnoreSource
			if rules == nil || matches[of] != unmatched || git && (leftRepository || !s.inRepository) {
				continue
			}
			matches[of] = rules.match(full[at.pathOffset:], name, dir)
		}
		leftRepository = leftRepository || at.isRepository
	}
	for _, v := range matches {
		if v != unmatched {
			return v
		}
	}
	return unmatched
}

// newIgnoreScope returns the scope of a directory whose path has the length pathOffset.
// read returns the text of the file at the path names below the directory, or "". If
// the directory needs no scope of its own, newIgnoreScope returns parent.
func newIgnoreScope(parent *ignoreScope, pathOffset int, m ignoreMarks, read func(names ...string) string) *ignoreScope {
	s := &ignoreScope{parent: parent, pathOffset: pathOffset, isRepository: m&markRepository != 0}
	s.inRepository = s.isRepository || parent != nil && parent.inRepository
	if m&markRgIgnore != 0 {
		s.rules[rgIgnoreSource] = parseRules(read(".rgignore"))
	}
	if m&markDotIgnore != 0 {
		s.rules[dotIgnoreSource] = parseRules(read(".ignore"))
	}
	if m&markGitIgnore != 0 && s.inRepository {
		s.rules[gitIgnoreSource] = parseRules(read(".gitignore"))
	}
	if s.isRepository {
		s.rules[gitExcludeSource] = parseRules(read(".git", "info", "exclude"))
	}
	if !s.isRepository && s.rules == [numSources]*rules{} {
		return parent
	}
	return s
}

// outerScopes returns the scope of the directories above dir, which must be absolute,
// and the path from the topmost directory with a scope to dir, with a slash at the end.
func outerScopes(dir string) (scope *ignoreScope, prefix string) {
	var up []string
	for at := dir; filepath.Dir(at) != at; at = filepath.Dir(at) {
		up = append(up, filepath.Dir(at))
	}
	var scopes []*ignoreScope
	var dirs []string // of scopes
	for i := len(up) - 1; i >= 0; i-- {
		if next := newIgnoreScope(scope, 0, marksIn(up[i]), func(names ...string) string { return readTextAt(up[i], names) }); next != scope {
			scope = next
			scopes, dirs = append(scopes, scope), append(dirs, up[i])
		}
	}
	if scope == nil {
		return nil, ""
	}
	prefix = relativePath(dirs[0], dir)
	for i := range scopes {
		scopes[i].pathOffset = len(prefix) - len(relativePath(dirs[i], dir))
	}
	return scope, prefix
}

// relativePath returns the path from a directory to one below it, with a slash at the
// end.
func relativePath(from, to string) string {
	rel := strings.TrimPrefix(to[len(from):], string(filepath.Separator))
	return filepath.ToSlash(rel) + "/"
}

// readTextAt returns the text of the regular file at the path names below dir, or "" if
// it cannot be read.
func readTextAt(dir string, names []string) string {
	f, err := os.OpenFile(filepath.Join(append([]string{dir}, names...)...), os.O_RDONLY|realpath.Nonblock, 0)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	if fi, err := f.Stat(); err != nil || !fi.Mode().IsRegular() {
		return ""
	}
	text, _ := io.ReadAll(io.LimitReader(f, maxIgnoreFileBytes))
	return string(text)
}

// An ignoreSource is a kind of ignore file. Sources with a lower number have priority.
type ignoreSource int

const (
	rgIgnoreSource   ignoreSource = iota // .rgignore
	dotIgnoreSource                      // .ignore
	gitIgnoreSource                      // .gitignore
	gitExcludeSource                     // .git/info/exclude
	numSources
)

// maxIgnoreFileBytes is the maximum number of bytes that are read of an ignore file.
// The rest has no effect.
const maxIgnoreFileBytes = 4 << 20
