package gitrepo

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// Limits of the size of a file, in bytes.
const (
	maxConfig = 1 << 20
	maxSmall  = 64 << 10 // HEAD, .git, commondir
)

// A repository consists of its folders.
type repository struct {
	folder string // has HEAD and the index
	shared string // has the configuration; the same as folder, except in linked worktrees
	tree   string // has the checked-out files; empty in a bare repository
}

// configuration reads the configuration files that git may read.
func configuration(shared, folder string) ([]setting, error) {
	return settingsOf([]string{
		filepath.Join(shared, "config"),
		filepath.Join(shared, "config.worktree"),
		filepath.Join(folder, "config.worktree"),
	})
}

// hashSize returns the size of an object name in bytes.
func hashSize(entries []setting) int {
	for _, e := range entries {
		if e.key == "extensions.objectformat" && strings.EqualFold(e.value, "sha256") {
			return 32
		}
	}
	return 20
}

// refuseHooks returns an error if there is a hook that reading commands run. Git runs
// post-index-change after it has refreshed the index; Microsoft's git runs the other two
// around every command.
func refuseHooks(dir string) error {
	for _, name := range []string{"post-index-change", "pre-command", "post-command"} {
		for _, suffix := range []string{"", ".exe"} {
			if hook := filepath.Join(dir, name+suffix); exists(hook) {
				return fmt.Errorf("the hook %s may run", hook)
			}
		}
	}
	return nil
}

// read returns the text of a regular file of up to limit bytes.
func read(name string, limit int64) (string, error) {
	f, err := open(name)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return "", err
	}
	if int64(len(data)) > limit {
		return "", fmt.Errorf("%s is larger than %d bytes, too large to look at", name, limit)
	}
	return string(data), nil
}

// open opens a regular file and follows links.
func open(name string) (*os.File, error) {
	if _, err := os.Stat(name); err != nil {
		return nil, err
	}
	f, err := realpath.Open(realpath.Resolve(name))
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", name, err)
	}
	return f, nil
}

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

// checkSetting returns an error if a setting is not harmless.
//
// In the sections that affect reading commands, only settings that are known to be
// harmless pass. All other sections pass, since reading commands do not use them. The
// tests prove with git itself that programs of refused settings are started, as far as
// the installed git knows the setting, and that programs of accepted ones are not.
//
// source: git-config(1) of git 2.39; hook.* is of later versions, lfs.* of git-lfs.
func (r repository) checkSetting(s setting) error {
	problem := s.problem()
	switch s.key {
	case "core.worktree":
		problem = r.worktreeProblem(s)
	case "core.hookspath":
		problem = r.hooksProblem(s)
	case "blame.ignorerevsfile", "commit.template", "core.attributesfile", "core.excludesfile", "diff.orderfile",
		"format.signaturefile", "fsck.skiplist", "mailmap.file":
		problem = r.fileProblem(s)
	}
	if problem == "" {
		return nil
	}
	return fmt.Errorf("%s in %s %s", s.key, s.file, problem)
}

// worktreeProblem accepts the directory in which the repository was found, as submodules
// have it.
func (r repository) worktreeProblem(s setting) string {
	return unless(r.tree != "" && sameFile(join(r.folder, s.value), r.tree), "makes git look at files elsewhere")
}

// hooksProblem checks the hooks in a folder of hooks.
func (r repository) hooksProblem(s setting) string {
	if s.value == "" || strings.ContainsAny(s.value[:1], "~%:") {
		return "names a place that only git knows"
	}
	for _, base := range []string{r.tree, r.folder} {
		if base == "" {
			continue
		}
		if err := refuseHooks(join(base, filepath.FromSlash(s.value))); err != nil {
			return "leads to hooks: " + err.Error()
		}
	}
	return ""
}

// fileProblem checks a setting that names a file, since git may show lines of it.
func (r repository) fileProblem(s setting) string {
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
