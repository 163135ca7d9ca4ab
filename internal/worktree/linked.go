package worktree

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// A Linked is a worktree as its files describe it. All paths are without links.
type Linked struct {
	Path   string // of the worktree
	Folder string // of git for the worktree
	Common string // folder of the repository
}

// Find returns the linked worktree that a directory is in, without running git. The error wraps
// ErrForeign if it is in none.
func Find(dir string) (Linked, error) {
	top := Top(dir)
	if top == "" {
		return Linked{}, fmt.Errorf("%s: %w", dir, ErrForeign)
	}
	folder, ok := readLink(filepath.Join(top, ".git"), "gitdir: ")
	if !ok {
		return Linked{}, fmt.Errorf("%s: %w", dir, ErrForeign)
	}
	folder = realpath.Resolve(folder)
	l := Linked{Path: top, Folder: folder, Common: filepath.Dir(filepath.Dir(folder))}
	back, ok := readLink(filepath.Join(folder, "gitdir"), "")
	if filepath.Base(filepath.Dir(folder)) != "worktrees" || !ok || realpath.Resolve(back) != filepath.Join(top, ".git") {
		return Linked{}, fmt.Errorf("%s: %w", dir, ErrForeign)
	}
	return l, nil
}

// Top returns the top of the working tree that a directory is in, without links, or "".
func Top(dir string) string {
	dir = realpath.Resolve(filepath.Clean(dir))
	if !isDirectory(dir) {
		return ""
	}
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		above := filepath.Dir(dir)
		if above == dir {
			return ""
		}
		dir = above
	}
}

// IsWhole reports whether the file that leads git to the worktree is as it was when it was
// found. It may be called concurrently.
func (l Linked) IsWhole() bool {
	folder, ok := readLink(filepath.Join(l.Path, ".git"), "gitdir: ")
	return ok && realpath.Resolve(folder) == l.Folder
}

// readLink reads the path in a file with which git leads from one place to another.
func readLink(name, prefix string) (string, bool) {
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxRecord {
		return "", false
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return "", false
	}
	path, ok := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), prefix)
	path = filepath.FromSlash(path)
	if ok && !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(name), path)
	}
	return filepath.Clean(path), ok && path != ""
}
