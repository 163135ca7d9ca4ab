// Package gitrepo decides whether git commands that only read can be run in a repository
// without asking the user. It also finds the working trees of a repository, and whether a
// file may be tracked by git.
//
// The configuration of a repository comes with its files, so its author has chosen it. It
// names programs that git starts even to show a status: file system monitors, filters,
// diff drivers. The configuration of the user and of the system belong to the user and
// are not checked.
//
// The package only reads files. It does not detect that another process changes the
// configuration between the check and the command.
package gitrepo

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// Check returns nil if no file of the repository that contains dir makes git start a
// program, or show files of other places, when git runs a command that only reads. dir
// need not be in a repository. Otherwise the error names, for the user, the setting and
// the file that do.
//
// It is valid for git 2.20 and later, in dir and with the variables of Neutral in the
// environment.
func Check(dir string) error {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	// Git starts from the resolved directory.
	at := realpath.Resolve(abs)
	if fi, err := os.Stat(at); err != nil || !fi.IsDir() {
		return fmt.Errorf("%s is not a directory that can be looked at", dir)
	}
	c := checker{seen: map[string]bool{}}
	for {
		found, err := c.checkDirectory(at)
		up := filepath.Dir(at)
		if err != nil || found || up == at {
			return err
		}
		at = up
	}
}

// folderOf returns the folder of the repository that the .git of a directory is or names.
// It is empty if there is no .git.
func folderOf(at string) (string, error) {
	dot := filepath.Join(at, ".git")
	fi, err := os.Stat(dot)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", err
	case fi.IsDir():
		return realpath.Resolve(dot), nil
	case !fi.Mode().IsRegular():
		return "", nil
	}
	text, err := read(dot, maxSmall)
	if err != nil {
		return "", err
	}
	target, ok := strings.CutPrefix(text, "gitdir: ")
	target = strings.TrimRight(target, "\r\n")
	if !ok || target == "" || strings.ContainsAny(target, "\x00\n") {
		return "", fmt.Errorf("%s does not say where the repository is", dot)
	}
	return realpath.Resolve(join(at, target)), nil
}

// sharedFolder returns the folder with the configuration of a repository. It is another
// one in a linked worktree.
func sharedFolder(folder string) (string, error) {
	text, err := read(filepath.Join(folder, "commondir"), maxSmall)
	if errors.Is(err, fs.ErrNotExist) {
		return folder, nil
	}
	if err != nil {
		return "", err
	}
	return realpath.Resolve(join(folder, strings.TrimRight(text, "\r\n"))), nil
}

// isCertainlyRepository reports whether every version of git accepts a folder as a
// repository.
func isCertainlyRepository(folder string) bool {
	shared, err := sharedFolder(folder)
	if err != nil || !isDirectory(filepath.Join(shared, "objects")) || !isDirectory(filepath.Join(shared, "refs")) {
		return false
	}
	head, err := read(filepath.Join(folder, "HEAD"), maxSmall)
	if err != nil {
		return false
	}
	commit := strings.TrimRight(head, "\n")
	return strings.HasPrefix(head, "ref: refs/") ||
		(len(commit) == 40 || len(commit) == 64) && strings.Trim(commit, "0123456789abcdef") == ""
}

// mayBeRepository reports whether any version of git might accept a directory itself as a
// repository. It tests only a part of the conditions of each version.
func mayBeRepository(at string) bool {
	return exists(filepath.Join(at, "HEAD")) &&
		(exists(filepath.Join(at, "objects")) || exists(filepath.Join(at, "refs")) || exists(filepath.Join(at, "commondir")))
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

func sameFile(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

func isDirectory(name string) bool {
	fi, err := os.Stat(name)
	return err == nil && fi.IsDir()
}

// join returns name if it is absolute, and otherwise name in dir.
func join(dir, name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(dir, name)
}

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
