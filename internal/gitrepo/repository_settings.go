package gitrepo

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

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
