package shell

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/internal/shellparse"
)

var errTooManyNames = errors.New("there are too many files to look at their names")

// isSplit reports whether xargs or read splits names at a character, or may drop it.
func isSplit(r rune) bool { return unicode.IsControl(r) || strings.ContainsRune(" '\"\\", r) }

// checkNames returns an error if a file below one of the trees has a name that xargs splits or
// that a command could take for an option.
func checkNames(trees []shellparse.Path) error {
	for _, tree := range trees {
		if tree.Glob && filepath.IsAbs(tree.Name) {
			if err := checkPattern(tree.Name); err != nil {
				return err
			}
			continue
		}
		if !filepath.IsAbs(tree.Name) {
			return fmt.Errorf("nobody can tell which files %s stands for", tree.Name)
		}
		root := realpath.Resolve(tree.Name)
		odd := ""
		all := realpath.Walk(root, maxOnDisk, func(path string, _ fs.FileMode) bool {
			below := strings.TrimPrefix(strings.TrimPrefix(path, root), "/")
			if (tree.Filter == nil || tree.Filter.Reads(filepath.Base(path))) && (strings.HasPrefix(below, "-") || strings.ContainsFunc(below, isSplit)) {
				odd = path
			}
			return odd == ""
		})
		switch {
		case odd != "":
			return fmt.Errorf("the name %q would be split or taken for an option", odd)
		case !all:
			return errTooManyNames
		}
	}
	return nil
}

// checkPattern is checkNames for the files that match a pattern.
func checkPattern(pattern string) error {
	fixed := pattern[:strings.IndexAny(pattern+"*", `*?[\`)]
	dir := fixed[:strings.LastIndexByte(fixed, '/')+1]
	names, ok := realpath.Expand("/", pattern, maxOnDisk)
	if !ok {
		return errTooManyNames
	}
	for _, name := range names {
		if below := strings.TrimPrefix(name, dir); strings.HasPrefix(filepath.Base(name), "-") || strings.ContainsFunc(below, isSplit) {
			return fmt.Errorf("the name %q would be split or taken for an option", name)
		}
	}
	return nil
}
