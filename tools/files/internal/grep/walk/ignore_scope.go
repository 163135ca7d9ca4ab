package walk

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// A ignoreScope holds the rules of one directory that has some, or that is the top of
// a repository.
type ignoreScope struct {
	parent       *ignoreScope // of a directory above
	pathOffset   int          // how long the path of the directory is, see selection.prefix
	rules        [numSources]*rules
	isRepository bool // of a repository
	inRepository bool
}

// match returns what the ignore files from f up say of a path. Those that count
// more win over those that are nearer.
func (f *ignoreScope) match(full, name string, dir bool) ruleMatch {
	var said [numSources]ruleMatch
	leftRepository := false
	for at := f; at != nil; at = at.parent {
		for of, rules := range at.rules {
			git := ignoreSource(of) >= gitIgnoreSource
			if rules == nil || said[of] != unmatched || git && (leftRepository || !f.inRepository) {
				continue
			}
			said[of] = rules.match(full[at.pathOffset:], name, dir)
		}
		leftRepository = leftRepository || at.isRepository
	}
	for _, v := range said {
		if v != unmatched {
			return v
		}
	}
	return unmatched
}

// newIgnoreScope returns the frame of a directory. read returns the text of the file
// that names lead to, empty if there is none. If the directory has no rules, the
// frame is up.
func newIgnoreScope(up *ignoreScope, skip int, m ignoreMarks, read func(names ...string) string) *ignoreScope {
	f := &ignoreScope{parent: up, pathOffset: skip, isRepository: m&markRepository != 0}
	f.inRepository = f.isRepository || up != nil && up.inRepository
	if m&markRgIgnore != 0 {
		f.rules[rgIgnoreSource] = parseRules(read(".rgignore"))
	}
	if m&markDotIgnore != 0 {
		f.rules[dotIgnoreSource] = parseRules(read(".ignore"))
	}
	if m&markGitIgnore != 0 && f.inRepository {
		f.rules[gitIgnoreSource] = parseRules(read(".gitignore"))
	}
	if f.isRepository {
		f.rules[gitExcludeSource] = parseRules(read(".git", "info", "exclude"))
	}
	if !f.isRepository && f.rules == [numSources]*rules{} {
		return up
	}
	return f
}

// outerScopes returns the rules of the directories above dir, which is absolute, and
// the path from the uppermost that has some to dir, with a slash at the end.
func outerScopes(dir string) (f *ignoreScope, above string) {
	var up []string
	for at := dir; filepath.Dir(at) != at; at = filepath.Dir(at) {
		up = append(up, filepath.Dir(at))
	}
	var ruled []*ignoreScope
	var at []string
	for i := len(up) - 1; i >= 0; i-- {
		if next := newIgnoreScope(f, 0, marksIn(up[i]), func(names ...string) string { return readTextAt(up[i], names) }); next != f {
			f = next
			ruled, at = append(ruled, f), append(at, up[i])
		}
	}
	if f == nil {
		return nil, ""
	}
	above = relativePath(at[0], dir)
	for i := range ruled {
		ruled[i].pathOffset = len(above) - len(relativePath(at[i], dir))
	}
	return f, above
}

// relativePath returns the path from one directory to another, with a slash at the end.
func relativePath(from, to string) string {
	rel := strings.TrimPrefix(to[len(from):], string(filepath.Separator))
	return filepath.ToSlash(rel) + "/"
}

// readTextAt returns the text of the regular file that names lead to from dir.
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
