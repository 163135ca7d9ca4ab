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

// checkOwner returns an error unless the folder of a repository belongs to the directory
// in which git found it. A folder outside that directory has to name the directory, as the
// folders of linked worktrees and submodules do. Otherwise the author of the directory
// could choose any folder.
func (r repository) checkOwner(entries []setting) error {
	if r.shared != r.folder && filepath.Dir(r.folder) != filepath.Join(r.shared, "worktrees") {
		return fmt.Errorf("%s makes git look at the repository %s", filepath.Join(r.folder, "commondir"), r.shared)
	}
	if r.tree == "" || realpath.Contains(r.tree, r.folder) {
		return nil
	}
	dot := filepath.Join(r.tree, ".git")
	back, err := read(filepath.Join(r.folder, "gitdir"), maxSmall)
	if err == nil && realpath.Resolve(join(r.folder, strings.TrimRight(back, "\r\n"))) == dot {
		return nil
	}
	for _, s := range entries {
		if s.key == "core.worktree" && r.worktreeProblem(s) == "" {
			return nil
		}
	}
	return fmt.Errorf("%s makes git look at the repository %s, which does not know of it", dot, r.folder)
}

// checkContained refuses a repository that makes git show content from outside its
// folders.
func (r repository) checkContained() error {
	for _, name := range []string{"alternates", "http-alternates"} {
		name = filepath.Join(r.shared, "objects", "info", name)
		if fi, err := os.Stat(name); err == nil && (fi.Size() > 0 || !fi.Mode().IsRegular()) {
			return fmt.Errorf("%s makes git show objects of other repositories", name)
		}
	}
	if err := r.checkLinks(r.folder); err != nil || r.shared == r.folder {
		return err
	}
	return r.checkLinks(r.shared)
}

// checkLinks refuses symbolic links out of the repository at places where git shows the
// content of files, even if only in an error message. It does not check links for single
// objects, or for refs in subfolders.
func (r repository) checkLinks(folder string) error {
	for _, dir := range []string{
		"", "info", "logs", "logs/refs", "logs/refs/heads", "objects", "objects/info", "objects/pack", "refs", "refs/heads",
		"rebase-apply", "rebase-merge", "sequencer",
	} {
		entries, err := os.ReadDir(filepath.Join(folder, filepath.FromSlash(dir)))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, e := range entries {
			if e.Type()&fs.ModeSymlink == 0 || dir == "" && e.Name() == "hooks" { // see refuseHooks
				continue
			}
			name := filepath.Join(folder, filepath.FromSlash(dir), e.Name())
			if to := realpath.Resolve(name); !realpath.Contains(r.folder, to) && !realpath.Contains(r.shared, to) {
				return fmt.Errorf("%s is a link out of the repository, to %s", name, to)
			}
		}
	}
	return nil
}
