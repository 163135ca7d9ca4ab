package realpath

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// lookupsPerName bounds the work on a pattern: it may look up this many entries and names
// for each name of the limit.
const lookupsPerName = 50

// Expand returns the names that a shell substitutes for pattern in dir, each once. Within
// a segment, * stands for any characters, ? for one character and [ ] for one of a set,
// but never for a dot at the start. A ".." is the parent of the resolved name before it.
// It returns false if shells may read the pattern differently, if there are more than
// limit names in the result or on the way, or if it is too much work: the pattern is
// longer than 4096 bytes, or more than 50 times limit entries and names would have to be
// looked up.
func Expand(dir, pattern string, limit int) ([]string, bool) {
	if len(pattern) > maxName {
		return nil, false
	}
	if filepath.IsAbs(pattern) {
		dir, pattern = rootOf(pattern), pattern[len(filepath.VolumeName(pattern)):]
	}
	x := expansion{limit: limit, budget: lookupsPerName * limit}
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

// An expansion limits the work on one pattern.
type expansion struct {
	limit  int // maximum number of names
	budget int // entries and names that may still be looked up
}

// step returns the names that one segment stands for in each of the directories.
func (x *expansion) step(dirs []string, seg string) (next []string, ok bool) {
	for _, at := range dirs {
		if x.budget--; x.budget < 0 {
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
	if seg == ".." { // many names may have the same parent
		slices.Sort(next)
		next = slices.Compact(next)
	}
	return next, true
}

// isAmbiguous reports whether shells differ about a segment, or read it in a special way:
// classes within a set, escapes, and patterns that may match a dot at the start.
func isAmbiguous(seg string) bool {
	return strings.Contains(seg, `\`) || strings.Count(seg, "[") > 1 || strings.Contains(seg, "]") && !strings.Contains(seg, "[") ||
		strings.HasPrefix(seg, ".") && strings.ContainsAny(seg[:min(len(seg), 3)], "*?[")
}

// matches returns the entries of a directory that match one segment, in order. It
// returns false if there are more than limit.
func (x *expansion) matches(dir, seg string, limit int) ([]string, bool) {
	dir = strings.TrimSuffix(dir, "/") + "/"
	f, err := os.Open(dir) // the slash keeps the system from opening a pipe
	if err != nil {
		return nil, true // a directory that cannot be read has no matches, however shells read the segment
	}
	defer func() { _ = f.Close() }()
	if isAmbiguous(seg) {
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
		if x.budget -= len(entries); x.budget < 0 {
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
