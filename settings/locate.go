package settings

import (
	"path/filepath"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/gitrepo"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// The names of settings files in a directory.
const (
	folder     = ".claude"
	sharedName = "settings.json"
	localName  = "settings.local.json"
)

// Locate returns the files for a session in dir, which may be empty as in
// [Files.Dir], with the home directory home, which may be empty as in
// [Files.Home].
//
// The project is the git repository that dir is in, and dir itself outside of
// one. In a linked worktree the local file is that of the main working tree, so
// that what was approved in one counts in all; the project's file is the
// worktree's own, as it is checked out. A repository that begins in the home
// directory does not make all below it one project. In the home directory itself
// the project has no file, for that is the user's.
func Locate(dir, home string) Files {
	f := Files{Dir: dir, Home: home}
	dir, home, err := f.places()
	if home != "" {
		f.User = filepath.Join(home, folder, sharedName)
	}
	if err != nil {
		return f
	}
	f.Dir, f.Home = dir, home
	root := projectRoot(dir, home)
	f.Project = filepath.Join(root, folder, sharedName)
	f.Local = filepath.Join(gitrepo.MainTree(root), folder, localName)
	if sameDir(root, home) {
		f.Project = ""
	}
	return f
}

// projectRoot returns the top of the working tree that dir is in, spelled as dir
// is, or dir.
func projectRoot(dir, home string) string {
	real := realpath.Resolve(dir)
	root := gitrepo.Tree(real)
	if root == "" || sameDir(root, home) || root == real {
		return dir
	}
	if below, ok := strings.CutPrefix(real, root); ok {
		if spelled, ok := strings.CutSuffix(dir, below); ok && realpath.Resolve(spelled) == root {
			return spelled
		}
	}
	return root
}

// sameDir reports whether two names, of which the second may be empty, lead to one
// directory.
func sameDir(a, b string) bool { return b != "" && realpath.Resolve(a) == realpath.Resolve(b) }
