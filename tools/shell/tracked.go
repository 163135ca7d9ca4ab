package shell

import (
	"os"
	"path/filepath"

	"github.com/seed49eaa51d/pegboard/internal/gitrepo"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// visitTracked calls visit with the files below a path that git tracks, until visit
// returns false. A path that does not exist is the name of a commit, which may hold any
// of them. It returns false if they cannot be known. What the repository held earlier is
// not among them.
func visitTracked(name string, visit func(path string) bool) bool {
	below, dir := realpath.Resolve(name), ""
	if info, err := os.Stat(below); err != nil {
		below = ""
	} else if info.IsDir() {
		dir = below
	}
	if dir == "" {
		dir = filepath.Dir(realpath.Resolve(name))
	}
	for dir != filepath.Dir(dir) { // a commit such as a/b names no directory
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			break
		}
		dir = filepath.Dir(dir)
	}
	err := gitrepo.Tracked(dir, func(path string) bool {
		return below != "" && !realpath.Contains(below, path) || visit(path)
	})
	return err == nil
}
