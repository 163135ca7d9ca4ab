package shell

import (
	"io/fs"
	"os"
	"path/filepath"

	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// visitPut calls visit with the names below dir that the files of origin get when origin is
// copied or moved there as dir. It returns false if there may be more.
func visitPut(origin, dir string, visit func(path string) bool) bool {
	root := realpath.Resolve(origin)
	if _, err := os.Lstat(root); err != nil {
		return false
	}
	return visit(dir) && realpath.Walk(root, maxOnDisk, func(path string, _ fs.FileMode) bool {
		below, err := filepath.Rel(root, path)
		return err == nil && visit(filepath.Join(dir, below))
	})
}
