package files

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/seed49eaa51d/pegboard"
)

type globInput struct {
	Pattern string `json:"pattern" jsonschema:"minLength=1" jsonschema_description:"What to look for, such as **/*.go, src/*.{js,ts} or cmd/*/main.go; several with commas between. A * stays within one name, ** stands for any number of directories. With a / at its end it finds directories: */ lists those of the directory."`
	Path    string `json:"path,omitempty" jsonschema_description:"The directory to search in (default: the working directory). An absolute pattern needs none."`
}

// maxGlobPatterns is the maximum number of patterns in a list.
const maxGlobPatterns = 100

// lists reports whether the call lists a directory.
func (in globInput) lists() bool {
	pattern := filepath.ToSlash(in.Pattern)
	dir, isAll := strings.CutSuffix(pattern, "*")
	return strings.HasSuffix(pattern, "/") || isAll && isLiteral(dir) && (dir == "" || strings.HasSuffix(dir, "/"))
}

// searches returns the searches for a call, one for each directory. If there is an error,
// they still are what the call is about.
func (in globInput) searches() ([]globSearch, error) {
	refuse := func(err error) ([]globSearch, error) { return []globSearch{{base: in.directory()}}, err }
	if err := errors.Join(checkNoNUL("pattern", in.Pattern), checkNoNUL("path", in.Path)); err != nil {
		return refuse(err)
	}
	patterns := splitList(filepath.ToSlash(in.Pattern))
	if len(patterns) > maxGlobPatterns {
		return refuse(fmt.Errorf("the pattern is a list of %d, more than the %d that one call takes; make several calls", len(patterns), maxGlobPatterns))
	}
	var all []globSearch
	for _, pattern := range patterns {
		if err := checkGlob(pattern); err != nil {
			return refuse(err)
		}
		all = in.search(pattern).addTo(all)
	}
	if len(patterns) > 1 && !slices.ContainsFunc(patterns[1:], isRooted) {
		all = in.commaSearch(filepath.ToSlash(in.Pattern)).addTo(all)
	}
	return all, nil
}

// directory returns the directory that patterns start from.
func (in globInput) directory() string { return cmp.Or(in.Path, ".") }

// search returns the search for one pattern. Directories that the pattern names literally
// belong to the base: the permission then covers no more than is searched, and a link
// among them is resolved before the decision.
func (in globInput) search(pattern string) globSearch {
	bare := !strings.Contains(pattern, "/") && isLiteral(pattern) && pattern != "." && pattern != "~"
	ofDirs := strings.HasSuffix(pattern, "/")
	pattern = path.Clean(pattern)
	if isLiteral(pattern) && !bare {
		return globSearch{base: in.below(pattern), named: true, literal: true, ofDirs: ofDirs, patterns: pathPatterns{newPathPattern("*")}}
	}
	literal, rest := doublestar.SplitPattern(pattern)
	if bare {
		rest = "**/" + rest
	}
	if strings.HasSuffix(rest, "/**") {
		rest += "/*" // b/** matches what is below b, not b
	}
	p := newPathPattern(rest)
	p.ofDirs = ofDirs
	s := globSearch{base: in.directory(), patterns: pathPatterns{p}}
	if literal != "." {
		s.base, s.named = in.below(literal), true
	}
	return s
}

// commaSearch returns the search for a pattern with commas that are meant as they are.
func (in globInput) commaSearch(pattern string) globSearch {
	pattern = path.Clean(pattern)
	first, _, _ := strings.Cut(pattern, ",")
	dir, _ := path.Split(first)
	if !isLiteral(dir) {
		dir = ""
	}
	rest := pattern[len(dir):]
	if !strings.Contains(pattern, "/") && isLiteral(pattern) {
		rest = "**/" + rest
	}
	s := globSearch{base: in.directory(), patterns: pathPatterns{newPathPattern(rest)}}
	if dir != "" {
		s.base, s.named = in.below(path.Clean(dir)), true
	}
	return s
}

// below returns the path that a part of a pattern names, with slashes.
func (in globInput) below(name string) string {
	name = filepath.FromSlash(name)
	switch {
	case name == ".":
		return in.directory()
	case filepath.IsAbs(name) || name == "~" || strings.HasPrefix(name, "~"+string(filepath.Separator)):
		return name
	case filepath.VolumeName(name) == name: // "C:" of the pattern "C:/*"
		return name + string(filepath.Separator)
	case in.Path == "":
		return name
	}
	return in.Path + string(filepath.Separator) + name
}

// isLiteral reports whether a pattern has no character with a meaning of its own.
func isLiteral(pattern string) bool { return !strings.ContainsAny(pattern, `*?[{\`) }

// isRooted reports whether a pattern does not start from the directory of the call.
func isRooted(pattern string) bool {
	return path.IsAbs(pattern) || filepath.IsAbs(pattern) || pattern == "~" || strings.HasPrefix(pattern, "~/")
}

// checkGlob returns an error for a pattern that cannot be searched for.
func checkGlob(pattern string) error {
	if !doublestar.ValidatePattern(pattern) {
		return fmt.Errorf("the pattern %q cannot be read: a [ or { is not closed, or a \\ ends it; put a \\ before a character that is meant as it is", pattern)
	}
	if slices.Contains(patternNames(pattern), "..") {
		return fmt.Errorf("the pattern %q holds \"..\", which patterns cannot; give the directory above as path", pattern)
	}
	if list, found := strings.CutPrefix(pattern, "{"); found {
		list, _, _ = strings.Cut(list, "}")
		if slices.ContainsFunc(strings.Split(list, ","), isRooted) {
			return fmt.Errorf("the pattern %q has absolute paths in braces, where they match nothing; write whole patterns with commas between", pattern)
		}
	}
	return nil
}

// splitList returns the patterns of a list with commas. A comma in braces or brackets, or
// behind a \, separates none. Blanks separate patterns if each is
// one of an extension, such as *.go.
func splitList(list string) []string {
	var parts []string
	add := func(part string) {
		words := strings.Fields(part)
		if slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(word, "*.") }) || strings.ContainsAny(part, "{[\\") {
			words = []string{strings.TrimSpace(part)}
		}
		parts = append(parts, slices.DeleteFunc(words, func(word string) bool { return word == "" })...)
	}
	depth, start, inClass := 0, 0, false
	for i := 0; i < len(list); i++ {
		switch c := list[i]; {
		case c == '\\':
			i++
		case inClass:
			inClass = c != ']'
		case c == '[':
			inClass = true
		case c == '{':
			depth++
		case c == '}':
			depth--
		case c == ',' && depth == 0:
			add(list[start:i])
			start = i + 1
		}
	}
	add(list[start:])
	if start == 0 && len(parts) < 2 {
		return []string{list} // with the blanks that it has
	}
	return parts
}

// observe returns the directory that is searched, if the pattern is one that names it, and
// otherwise the one that patterns start from.
func (in globInput) observe(c *pegboard.Call) map[string]any {
	searches, err := in.searches()
	if err == nil && len(searches) == 1 && isRooted(filepath.ToSlash(in.Pattern)) {
		return observedPath(c, "path", searches[0].base)
	}
	return observedPath(c, "path", in.Path)
}

// patternNames returns the names in a pattern, including those in braces.
func patternNames(pattern string) []string {
	return strings.FieldsFunc(pattern, func(r rune) bool { return strings.ContainsRune("/{},", r) })
}
