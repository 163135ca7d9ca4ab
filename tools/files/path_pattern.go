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
	text        string
	suffix      string   // every match ends with it
	suffixOnly  bool     // whatever ends with it is a match
	dirPatterns []string // patterns of the first names of every match
	maxDepth    int      // how many names a match has at most; 0: any number
	namesGit    bool     // the pattern speaks of .git
}

func newPathPattern(pattern string) pathPattern {
	p := pathPattern{text: pattern, suffix: pattern, namesGit: slices.Contains(patternNames(pattern), ".git")}
	if !strings.Contains(pattern, "**") {
		p.maxDepth = strings.Count(pattern, "/") + 1 // braces can only make it less
	}
	for rest := pattern; ; {
		head, below, more := strings.Cut(rest, "/")
		if !more || strings.Contains(head, "**") || !doublestar.ValidatePattern(head) {
			break // the last, any number of names, or a slash in braces
		}
		p.dirPatterns, rest = append(p.dirPatterns, head), below
	}
	if last := strings.LastIndexAny(pattern, `*?[]{}\/`); last >= 0 {
		p.suffix = pattern[last+1:]
	}
	p.suffixOnly = pattern == "**/*"+p.suffix
	return p
}

func (p pathPattern) matches(rel string) bool {
	return strings.HasSuffix(rel, p.suffix) && (p.suffixOnly || doublestar.MatchUnvalidated(p.text, rel))
}

// canContain reports whether there can be matches below the directory at rel, if
// there can be some below those it is in.
func (p pathPattern) canContain(rel string) bool {
	last := path.Base(rel)
	if last == ".git" && !p.namesGit {
		return false
	}
	nth := strings.Count(rel, "/")
	return nth >= len(p.dirPatterns) || doublestar.MatchUnvalidated(p.dirPatterns[nth], last)
}
