package files

import (
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// A pathPattern is a pattern of the paths below a directory, with properties that show
// which directories can contain matches.
type pathPattern struct {
	text        string
	suffix      string   // suffix of every match
	suffixOnly  bool     // every path with the suffix is a match
	dirPatterns []string // patterns of the first names of every match
	maxDepth    int      // maximum number of names in a match; 0: any number
	namesGit    bool     // the pattern names .git
	ofDirs      bool     // the pattern finds directories, not files
}

func newPathPattern(pattern string) pathPattern {
	p := pathPattern{text: pattern, suffix: pattern, namesGit: slices.Contains(patternNames(pattern), ".git")}
	if !strings.Contains(pattern, "**") {
		p.maxDepth = strings.Count(pattern, "/") + 1 // a slash in braces only lowers the real depth
	}
	for rest := pattern; ; {
		head, below, more := strings.Cut(rest, "/")
		if !more || strings.Contains(head, "**") || !doublestar.ValidatePattern(head) {
			break // the last name, a ** for any number of names, or a slash in braces
		}
		p.dirPatterns, rest = append(p.dirPatterns, head), below
	}
	if last := strings.LastIndexAny(pattern, `*?[]{}\/`); last >= 0 {
		p.suffix = pattern[last+1:]
	}
	p.suffixOnly = pattern == "**/*"+p.suffix
	return p
}

func (p *pathPattern) matches(rel string) bool {
	return strings.HasSuffix(rel, p.suffix) && (p.suffixOnly || doublestar.MatchUnvalidated(p.text, rel))
}

// canContain reports whether the directory at rel can contain matches, provided that
// its parent directories can.
func (p *pathPattern) canContain(rel string) bool {
	last := path.Base(rel)
	if last == ".git" && !p.namesGit {
		return false
	}
	nth := strings.Count(rel, "/")
	return nth >= len(p.dirPatterns) || doublestar.MatchUnvalidated(p.dirPatterns[nth], last)
}
