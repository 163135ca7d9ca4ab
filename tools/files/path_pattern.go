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

// pathPatterns are patterns of the paths below one directory.
type pathPatterns []pathPattern

// matchesFile reports whether one of the patterns finds a file at rel.
func (ps pathPatterns) matchesFile(rel string) bool {
	for i := range ps {
		if p := &ps[i]; !p.ofDirs && p.matches(rel) {
			return true
		}
	}
	return false
}

// matchesDir reports whether one of the patterns matches a directory at rel, and whether
// it is a pattern that finds directories.
func (ps pathPatterns) matchesDir(rel string) (matches, wanted bool) {
	for i := range ps {
		if p := &ps[i]; p.matches(rel) {
			matches, wanted = true, wanted || p.ofDirs
		}
	}
	return matches, wanted
}

// canContain reports whether the directory at rel can contain matches, provided that its
// parent directories can.
func (ps pathPatterns) canContain(rel string) bool {
	return slices.ContainsFunc(ps, func(p pathPattern) bool { return (&p).canContain(rel) })
}

// maxDepth returns the maximum number of names in a match; 0 means any number.
func (ps pathPatterns) maxDepth() int {
	depth := 0
	for _, p := range ps {
		if p.maxDepth == 0 {
			return 0
		}
		depth = max(depth, p.maxDepth)
	}
	return depth
}

// onlyDirs reports whether all patterns find directories only.
func (ps pathPatterns) onlyDirs() bool {
	return !slices.ContainsFunc(ps, func(p pathPattern) bool { return !p.ofDirs })
}
