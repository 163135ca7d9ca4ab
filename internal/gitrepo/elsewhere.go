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

// belongs says whether the folder of a repository is one for the directory that
// git found it from. A folder elsewhere has to name the directory itself, as that
// of a linked worktree or of a submodule does: whoever made the directory alone
// could choose any folder.
func (r repository) belongs(entries []setting) error {
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
		if s.key == "core.worktree" && r.worktree(s) == "" {
			return nil
		}
	}
	return fmt.Errorf("%s makes git look at the repository %s, which does not know of it", dot, r.folder)
}

// contained refuses what makes a repository show more than is in its folders.
func (r repository) contained() error {
	for _, name := range []string{"alternates", "http-alternates"} {
		name = filepath.Join(r.shared, "objects", "info", name)
		if fi, err := os.Stat(name); err == nil && (fi.Size() > 0 || !fi.Mode().IsRegular()) {
			return fmt.Errorf("%s makes git show objects of other repositories", name)
		}
	}
	if err := r.linksOut(r.folder); err != nil || r.shared == r.folder {
		return err
	}
	return r.linksOut(r.shared)
}

// linksOut looks for symbolic links out of the repository, where git shows what
// files say, if only to complain about it. Links for single objects and for refs
// in folders of their own are not looked for.
func (r repository) linksOut(folder string) error {
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

// file judges a setting that names a file, of which git may show lines.
func (r repository) file(s setting) string {
	base := r.tree
	if base == "" {
		base = r.folder
	}
	if s.value == "" {
		return ""
	}
	if strings.ContainsAny(s.value[:1], "~%:") || !realpath.Contains(base, realpath.Physical(base, "", filepath.FromSlash(s.value))) {
		return "makes git read a file outside the repository"
	}
	return ""
}
