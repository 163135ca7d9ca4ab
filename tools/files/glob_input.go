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

type globInput struct {
	Pattern string `json:"pattern" jsonschema:"minLength=1" jsonschema_description:"What to look for, such as **/*.go, src/*.{js,ts} or cmd/*/main.go. A * stays within one name, ** stands for any number of directories."`
	Path    string `json:"path,omitempty" jsonschema_description:"The directory to search in (default: the working directory). An absolute pattern needs none."`
}

// splitBase returns the directory where the search starts, and the pattern for the
// paths below it. Directories that the pattern names literally belong to base: the
// permission then covers no more than is searched, and a link among them is resolved
// before the decision. base is valid even if there is an error.
func (in globInput) splitBase() (base, pattern string, err error) {
	base = in.Path
	if base == "" {
		base = "."
	}
	if err := errors.Join(checkNoNUL("pattern", in.Pattern), checkNoNUL("path", in.Path)); err != nil {
		return base, "", err
	}
	pattern = filepath.ToSlash(in.Pattern)
	if !doublestar.ValidatePattern(pattern) {
		return base, "", fmt.Errorf("the pattern %q cannot be read: a [ or { is not closed, or a \\ ends it; put a \\ before a character that is meant as it is", in.Pattern)
	}
	if slices.Contains(patternNames(pattern), "..") {
		return base, "", fmt.Errorf("the pattern %q holds \"..\", which patterns cannot; give the directory above as path", in.Pattern)
	}
	literal, pattern := doublestar.SplitPattern(path.Clean(pattern))
	literal = filepath.FromSlash(literal)
	if strings.HasSuffix(pattern, "/**") {
		pattern += "/*" // b/** matches the files below b, not a file b
	}
	switch {
	case literal == ".":
	case filepath.IsAbs(literal) || literal == "~" || strings.HasPrefix(literal, "~"+string(filepath.Separator)):
		base = literal
	case filepath.VolumeName(literal) == literal: // "C:" of the pattern "C:/*"
		base = literal + string(filepath.Separator)
	case in.Path == "":
		base = literal
	default:
		base = in.Path + string(filepath.Separator) + literal
	}
	return base, pattern, nil
}

// patternNames returns the names in a pattern, including those in braces.
func patternNames(pattern string) []string {
	return strings.FieldsFunc(pattern, func(r rune) bool { return strings.ContainsRune("/{},", r) })
}
