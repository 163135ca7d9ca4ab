package settings

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

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
	f.Local = filepath.Join(mainTree(root), folder, localName)
	if sameDir(root, home) {
		f.Project = ""
	}
	return f
}

// projectRoot returns the top of the working tree that dir is in, spelled as dir
// is, or dir.
func projectRoot(dir, home string) string {
	real := realpath.Resolve(dir)
	root := treeOf(real)
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

// treeOf returns the working tree of git that the resolved directory at is in,
// empty if it is in none.
func treeOf(at string) string {
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

// mainTree returns the main working tree of the repository whose working tree
// begins at root: root itself, but for linked ones. The repository has to know of
// the linked one, since whoever made that alone could name any repository.
func mainTree(root string) string {
	git, err := gitFolder(root)
	if err != nil {
		return root
	}
	common, err := firstLine(filepath.Join(git, "commondir"))
	if err != nil {
		return root
	}
	back, err := firstLine(filepath.Join(git, "gitdir"))
	shared := from(git, common)
	if err != nil || !sameFile(from(git, back), filepath.Join(root, ".git")) ||
		filepath.Dir(git) != filepath.Join(shared, "worktrees") || filepath.Base(shared) != ".git" {
		return root
	}
	return filepath.Dir(shared)
}

// gitFolder returns where the repository of the working tree at root is kept.
func gitFolder(root string) (string, error) {
	dot := filepath.Join(root, ".git")
	fi, err := os.Stat(dot)
	if err != nil || fi.IsDir() {
		return realpath.Resolve(dot), err
	}
	line, err := firstLine(dot)
	if err != nil {
		return "", err
	}
	to, ok := strings.CutPrefix(line, "gitdir: ")
	if !ok || to == "" {
		return "", errors.New(dot + " does not say where the repository is")
	}
	return from(root, to), nil
}

// from returns where name leads, seen from dir.
func from(dir, name string) string { return realpath.Resolve(realpath.Abs(dir, "", name)) }

// firstLine returns the first line of a small file.
func firstLine(name string) (string, error) {
	const limit = 64 << 10
	f, err := realpath.Open(realpath.Resolve(name))
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, limit))
	line, _, _ := strings.Cut(string(data), "\n")
	return strings.TrimRight(line, "\r"), err
}

func sameFile(a, b string) bool {
	x, errX := os.Lstat(a)
	y, errY := os.Lstat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// sameDir reports whether two names, of which the second may be empty, lead to one
// directory.
func sameDir(a, b string) bool { return b != "" && realpath.Resolve(a) == realpath.Resolve(b) }
