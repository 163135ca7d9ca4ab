package gitrepo

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// Tree returns the working tree that contains the resolved directory at, or "".
func Tree(at string) string {
	for {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at
		}
		up := filepath.Dir(at)
		if up == at {
			return ""
		}
		at = up
	}
}

// MainTree returns the main working tree of the repository whose working tree is root. It
// is root itself, except for linked working trees. The repository has to name the linked
// one, since otherwise the author of that directory could choose any repository.
func MainTree(root string) string {
	folder, err := folderOf(root)
	if err != nil || folder == "" {
		return root
	}
	shared, err := sharedFolder(folder)
	if err != nil || shared == folder {
		return root
	}
	back, err := read(filepath.Join(folder, "gitdir"), maxSmall)
	if err != nil || !sameEntry(realpath.Resolve(join(folder, strings.TrimRight(back, "\r\n"))), filepath.Join(root, ".git")) ||
		filepath.Dir(folder) != filepath.Join(shared, "worktrees") || filepath.Base(shared) != ".git" {
		return root
	}
	return filepath.Dir(shared)
}

// sameEntry reports whether two names are of one file, without following links.
func sameEntry(a, b string) bool {
	x, errX := os.Lstat(a)
	y, errY := os.Lstat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}
