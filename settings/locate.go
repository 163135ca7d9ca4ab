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

	serversName = ".mcp.json"
	personName  = ".claude.json"
)

// Locate returns the files for a session in dir, which may be empty as in [Files.Dir], with
// the home directory home, which may be empty as in [Files.Home].
//
// The project is the git repository that contains dir, or dir itself outside of one. In a
// linked worktree the local file is that of the main working tree, so that an approval in
// one worktree holds in all; the project's file is that of the worktree itself. A repository
// whose root is the home directory is not used as the project of directories below it. In the
// home directory itself there is no project file, since that is the user's file.
//
// The managed files are those of the system, also those that do not exist.
func Locate(dir, home string) Files {
	f := Files{Dir: dir, Home: home, Managed: systemPaths(), saves: &saves{}}
	dir, home, err := f.sessionDirs()
	if home != "" {
		f.User = filepath.Join(home, folder, sharedName)
		f.Person = filepath.Join(home, personName)
	}
	if err != nil {
		return f
	}
	f.Dir, f.Home = dir, home
	root := projectRoot(dir, home)
	f.Project = filepath.Join(root, folder, sharedName)
	f.Servers = filepath.Join(root, serversName)
	f.Local = filepath.Join(gitrepo.MainTree(root), folder, localName)
	if sameDir(root, home) {
		f.Project = ""
	}
	return f
}

// projectRoot returns the root of the working tree that contains dir, spelled like dir, or
// dir itself.
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

// sameDir reports whether two names are of the same directory. b may be empty.
func sameDir(a, b string) bool { return b != "" && realpath.Resolve(a) == realpath.Resolve(b) }
