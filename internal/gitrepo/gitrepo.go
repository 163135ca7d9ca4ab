// Package gitrepo says whether git commands that only read can be run in a
// repository without asking anybody. It also finds the working trees of a
// repository, and whether a file may be one of its own.
//
// The configuration of a repository comes with its files: whoever made them has
// chosen it. It names programs that git starts even to show a status: a monitor
// of the file system, filters, drivers for diffs. The configuration of the user
// and of the system are the user's own and not looked at.
//
// The package only reads files. Somebody who changes the configuration between
// the check and the command is not noticed.
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

// maxRepositories is how many repositories are looked at for one command: the
// submodules are repositories too, and git goes into them.
const maxRepositories = 50

// Check returns nil if no file of the repository that dir is in makes git start
// a program, or show files from elsewhere, when it runs a command that only
// reads. dir need not be in a repository. Otherwise the error says for a person
// which setting of which file is in the way.
//
// It holds for git 2.20 and later, in dir and with the settings of Neutral in
// its environment.
func Check(dir string) error {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	// Git starts from where the directory really is.
	at := realpath.Resolve(abs)
	if fi, err := os.Stat(at); err != nil || !fi.IsDir() {
		return fmt.Errorf("%s is not a directory that can be looked at", dir)
	}
	c := checker{seen: map[string]bool{}}
	for {
		found, err := c.directory(at)
		up := filepath.Dir(at)
		if err != nil || found || up == at {
			return err
		}
		at = up
	}
}

// A checker looks at repositories.
type checker struct {
	seen map[string]bool // those looked at, by their folder
}

// directory checks the repositories that git may find in a directory. found says
// that git certainly takes one of them, and so looks no further up. What git
// might take is checked as well: it costs little, and nothing hangs on knowing
// exactly what every version of git takes for a repository.
func (c *checker) directory(at string) (found bool, err error) {
	folder, err := folderOf(at)
	if err != nil {
		return false, err
	}
	if folder != "" {
		if err := c.repository(folder, at); err != nil || isRepository(folder) {
			return true, err
		}
	}
	if !mayBeRepository(at) {
		return false, nil
	}
	return isRepository(at), c.repository(at, "")
}

// folderOf follows the .git of a directory to the folder of the repository. It
// is empty if there is none.
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

// common is the folder that holds the configuration of a repository: another one
// in a linked worktree.
func common(folder string) (string, error) {
	text, err := read(filepath.Join(folder, "commondir"), maxSmall)
	if errors.Is(err, fs.ErrNotExist) {
		return folder, nil
	}
	if err != nil {
		return "", err
	}
	return realpath.Resolve(join(folder, strings.TrimRight(text, "\r\n"))), nil
}

// isRepository reports whether every version of git takes a folder for a
// repository.
func isRepository(folder string) bool {
	shared, err := common(folder)
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

// mayBeRepository reports whether some git might take a directory itself for a
// repository. Everything that git asks for is a part of it.
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

// join is name if it is absolute, and otherwise name in dir.
func join(dir, name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(dir, name)
}
