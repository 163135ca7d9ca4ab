package files

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// split returns the directory where the search begins and the pattern for what
// lies below it. The directories that a pattern names literally belong to the
// first, so that permission is asked for no more than is walked, and so that a
// link among them is decided by where it leads. The base is usable even if there
// is an error.
func (in globInput) split() (base, pattern string, err error) {
	base = in.Path
	if base == "" {
		base = "."
	}
	if err := errors.Join(noNUL("pattern", in.Pattern), noNUL("path", in.Path)); err != nil {
		return base, "", err
	}
	pattern = filepath.ToSlash(in.Pattern)
	if !doublestar.ValidatePattern(pattern) {
		return base, "", fmt.Errorf("the pattern %q cannot be read: a [ or { is not closed, or a \\ ends it; put a \\ before a character that is meant as it is", in.Pattern)
	}
	if slices.Contains(names(pattern), "..") {
		return base, "", fmt.Errorf("the pattern %q holds \"..\", which patterns cannot; give the directory above as path", in.Pattern)
	}
	literal, pattern := doublestar.SplitPattern(path.Clean(pattern))
	literal = filepath.FromSlash(literal)
	if strings.HasSuffix(pattern, "/**") {
		pattern += "/*" // b/** is what lies below b, not a file of that name
	}
	switch {
	case literal == ".":
	case filepath.IsAbs(literal) || literal == "~" || strings.HasPrefix(literal, "~"+string(filepath.Separator)):
		base = literal
	case filepath.VolumeName(literal) == literal: // "C:", from "C:/*"
		base = literal + string(filepath.Separator)
	case in.Path == "":
		base = literal
	default:
		base = in.Path + string(filepath.Separator) + literal
	}
	return base, pattern, nil
}

// names returns the names in a pattern, also those in braces.
func names(pattern string) []string {
	return strings.FieldsFunc(pattern, func(r rune) bool { return strings.ContainsRune("/{},", r) })
}

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
