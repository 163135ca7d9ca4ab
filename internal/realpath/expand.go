package realpath

import (
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Physical returns where the system itself would find name, taken from dir: a
// ".." is the parent of where the link before it leads, not of the link. What
// does not exist is appended as it stands.
func Physical(dir, home, name string) string {
	if home != "" && (name == "~" || strings.HasPrefix(name, "~/")) {
		name = home + name[1:]
	}
	if !filepath.IsAbs(name) {
		name = dir + string(filepath.Separator) + name
	}
	at := filepath.VolumeName(name) + string(filepath.Separator)
	for _, seg := range segments(name) {
		if seg == ".." {
			at = filepath.Dir(at)
			continue
		}
		at = Resolve(filepath.Join(at, seg))
	}
	return at
}

// Expand returns the names that a shell puts in the place of pattern, taken from
// dir: *, ? and [ ] stand for any run of characters, one character, one of a set,
// within a segment, and never for a dot at its start. It reports false if shells
// may read the pattern in another way than this does, or if there are more than
// limit names.
func Expand(dir, pattern string, limit int) ([]string, bool) {
	if filepath.IsAbs(pattern) {
		dir, pattern = filepath.VolumeName(pattern)+string(filepath.Separator), pattern[len(filepath.VolumeName(pattern)):]
	}
	names := []string{dir}
	for seg := range strings.SplitSeq(filepath.ToSlash(pattern), "/") {
		if seg == "" || seg == "." {
			continue
		}
		var next []string
		for _, at := range names {
			if seg == ".." {
				next = append(next, filepath.Dir(Resolve(at)))
				continue
			}
			found, ok := matches(at, seg, limit)
			if !ok || len(next)+len(found) > limit {
				return nil, false
			}
			next = append(next, found...)
		}
		names = next
	}
	return names, true
}

// doubtful reports whether shells differ about a segment, or read it in a way of
// their own: classes within a set, escapes, and dots that may stand for themselves.
func doubtful(seg string) bool {
	return strings.Contains(seg, `\`) || strings.Count(seg, "[") > 1 || strings.Contains(seg, "]") && !strings.Contains(seg, "[") ||
		strings.HasPrefix(seg, ".") && strings.ContainsAny(seg[:min(len(seg), 3)], "*?[")
}

// matches returns the entries of a directory that one segment stands for.
func matches(dir, seg string, limit int) ([]string, bool) {
	if !strings.ContainsAny(seg, `*?[\`) {
		return []string{strings.TrimSuffix(dir, "/") + "/" + seg}, true
	}
	if doubtful(seg) {
		return nil, false
	}
	glob := strings.ReplaceAll(seg, "[!", "[^")
	if _, err := path.Match(glob, ""); err != nil {
		return nil, false
	}
	entries, _ := os.ReadDir(dir) // what cannot be read has no names
	var found []string
	for _, e := range entries {
		name := e.Name()
		if ok, _ := path.Match(glob, name); !ok || (name[0] == '.' && glob[0] != '.') {
			continue
		}
		if len(found) == limit {
			return nil, false
		}
		found = append(found, strings.TrimSuffix(dir, "/")+"/"+name)
	}
	return found, true
}
