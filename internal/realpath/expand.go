package realpath

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// lookedPerName bounds the work on a pattern: for each name that it may stand
// for, so many entries and names on the way are looked at.
const lookedPerName = 50

// Expand returns the names that a shell puts in the place of pattern, taken from
// dir, each once: *, ? and [ ] stand for any run of characters, one character, one
// of a set, within a segment, and never for a dot at its start. A ".." is the
// parent of where the name before it leads. It reports false if shells may read
// the pattern in another way than this does, if there are more than limit names,
// here or on the way, or if it is too much work: the pattern is longer than 4096
// bytes, or more than 50 times limit entries and names would have to be looked at.
func Expand(dir, pattern string, limit int) ([]string, bool) {
	if len(pattern) > maxName {
		return nil, false
	}
	if filepath.IsAbs(pattern) {
		dir, pattern = start(pattern), pattern[len(filepath.VolumeName(pattern)):]
	}
	x := expansion{limit: limit, left: lookedPerName * limit}
	names := []string{dir}
	for seg := range strings.SplitSeq(filepath.ToSlash(pattern), "/") {
		if seg == "" || seg == "." {
			continue
		}
		var ok bool
		if names, ok = x.step(names, seg); !ok {
			return nil, false
		}
	}
	return names, true
}

// An expansion counts the work on one pattern.
type expansion struct {
	limit int // names at a time
	left  int // entries and names still to be looked at
}

// step returns the names that one segment stands for in each of the directories.
func (x *expansion) step(dirs []string, seg string) (next []string, ok bool) {
	for _, at := range dirs {
		if x.left--; x.left < 0 {
			return nil, false
		}
		var found []string
		switch {
		case seg == "..":
			found = []string{filepath.Dir(Resolve(at))}
		case !strings.ContainsAny(seg, `*?[\`):
			found = []string{strings.TrimSuffix(at, "/") + "/" + seg}
		default:
			if found, ok = x.matches(at, seg, x.limit-len(next)); !ok {
				return nil, false
			}
		}
		if next = append(next, found...); len(next) > x.limit {
			return nil, false
		}
	}
	if seg == ".." { // which many names may share
		slices.Sort(next)
		next = slices.Compact(next)
	}
	return next, true
}

// doubtful reports whether shells differ about a segment, or read it in a way of
// their own: classes within a set, escapes, and dots that may stand for themselves.
func doubtful(seg string) bool {
	return strings.Contains(seg, `\`) || strings.Count(seg, "[") > 1 || strings.Contains(seg, "]") && !strings.Contains(seg, "[") ||
		strings.HasPrefix(seg, ".") && strings.ContainsAny(seg[:min(len(seg), 3)], "*?[")
}

// matches returns the entries of a directory that one segment stands for, in
// order. It reports false if they are more than limit.
func (x *expansion) matches(dir, seg string, limit int) ([]string, bool) {
	dir = strings.TrimSuffix(dir, "/") + "/"
	f, err := os.Open(dir) // with the slash, which keeps the system from opening a pipe
	if err != nil {
		return nil, true // what cannot be read has no names, however they are meant
	}
	defer func() { _ = f.Close() }()
	if doubtful(seg) {
		return nil, false
	}
	glob := strings.ReplaceAll(seg, "[!", "[^")
	if _, err := path.Match(glob, ""); err != nil {
		return nil, false
	}
	var found []string
	for err == nil {
		var entries []os.DirEntry
		entries, err = f.ReadDir(256)
		if x.left -= len(entries); x.left < 0 {
			return nil, false
		}
		for _, e := range entries {
			name := e.Name()
			if ok, _ := path.Match(glob, name); !ok || (name[0] == '.' && glob[0] != '.') {
				continue
			}
			if len(found) == limit {
				return nil, false
			}
			found = append(found, dir+name)
		}
	}
	slices.Sort(found)
	return found, true
}
