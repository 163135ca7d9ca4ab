package files

import (
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// A pathPattern is a pattern of what lies below a directory, with what it says
// about the directories that can hold matches.
type pathPattern struct {
	text   string
	suffix string   // every match ends with it
	plain  bool     // whatever ends with it is a match
	heads  []string // patterns of the first names of every match
	depth  int      // how many names a match has at most; 0: any number
	git    bool     // the pattern speaks of .git
}

func newPathPattern(pattern string) pathPattern {
	p := pathPattern{text: pattern, suffix: pattern, git: slices.Contains(names(pattern), ".git")}
	if !strings.Contains(pattern, "**") {
		p.depth = strings.Count(pattern, "/") + 1 // braces can only make it less
	}
	for rest := pattern; ; {
		head, below, more := strings.Cut(rest, "/")
		if !more || strings.Contains(head, "**") || !doublestar.ValidatePattern(head) {
			break // the last, any number of names, or a slash in braces
		}
		p.heads, rest = append(p.heads, head), below
	}
	if last := strings.LastIndexAny(pattern, `*?[]{}\/`); last >= 0 {
		p.suffix = pattern[last+1:]
	}
	p.plain = pattern == "**/*"+p.suffix
	return p
}

func (p pathPattern) matches(rel string) bool {
	return strings.HasSuffix(rel, p.suffix) && (p.plain || doublestar.MatchUnvalidated(p.text, rel))
}

// enters reports whether there can be matches below the directory at rel, if
// there can be some below those it is in.
func (p pathPattern) enters(rel string) bool {
	last := path.Base(rel)
	if last == ".git" && !p.git {
		return false
	}
	nth := strings.Count(rel, "/")
	return nth >= len(p.heads) || doublestar.MatchUnvalidated(p.heads[nth], last)
}
