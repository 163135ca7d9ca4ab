package shell

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/seed49eaa51d/pegboard/internal/gitrepo"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// maxOnDisk is how many files and directories are visited where there is no repository.
const maxOnDisk = 100_000

// visitTracked calls visit with the files below a path that git tracks, until visit
// returns false. A path that does not exist is the name of a commit, which may hold any
// of them. It returns false if they cannot be known. What the repository held earlier is
// not among them. Where there is no repository, git shows the files on the disk if onDisk is
// set, and otherwise nothing.
func visitTracked(name string, onDisk bool, visit func(path string) bool) bool {
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
	if !errors.Is(err, gitrepo.ErrNoRepository) {
		return err == nil
	}
	return !onDisk || below == "" || realpath.Walk(below, maxOnDisk, func(path string, mode fs.FileMode) bool { return mode.IsDir() || visit(path) })
}
