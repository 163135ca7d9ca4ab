package shell

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/internal/shellparse"
)

var errTooManyNames = errors.New("there are too many files to look at their names")

// checkNames returns an error if a file below one of the trees has a name that xargs splits,
// or that a command could take for an option.
func checkNames(trees []shellparse.Path) error {
	for _, tree := range trees {
		if tree.Glob || !filepath.IsAbs(tree.Name) {
			return fmt.Errorf("nobody can tell which files %s stands for", tree.Name)
		}
		root := realpath.Resolve(tree.Name)
		odd := ""
		all := realpath.Walk(root, maxOnDisk, func(path string, _ fs.FileMode) bool {
			below := strings.TrimPrefix(strings.TrimPrefix(path, root), "/")
			if (tree.Filter == nil || tree.Filter.Reads(filepath.Base(path))) && (strings.HasPrefix(below, "-") || strings.ContainsAny(below, " \t\n\v\f\r'\"\\")) {
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
