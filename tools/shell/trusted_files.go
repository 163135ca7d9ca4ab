package shell

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/gitrepo"
	"github.com/seed49eaa51d/pegboard/internal/pattern"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// trustedIn returns the files and directories directly in dirs that other programs run or
// trust.
func trustedIn(dirs []string) (all []string) {
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue // a file
		}
		for _, entry := range entries {
			if _, ok := pattern.Protected(pattern.Linux, "/"+entry.Name()); ok {
				all = append(all, filepath.Join(dir, entry.Name()))
			}
		}
	}
	return all
}

// madeTrusted returns the names of files directly in dirs that other programs run or trust and
// that are not in before.
func madeTrusted(dirs, before []string) (names []string) {
	for _, path := range trustedIn(dirs) {
		if !slices.Contains(before, path) {
			names = append(names, filepath.Base(path))
		}
	}
	return names
}

// keptOfGit are the parts of a repository that make git run programs. Git seldom changes
// them, and the configuration of submodules is below the last.
var keptOfGit = []string{"hooks", "config", "config.worktree", "modules"}

// keptIn returns which of the trusted files must stay as they are, and which directories
// among them are repositories that git must be able to write but for these.
func keptIn(trusted []string) (kept, repositories []string) {
	for _, path := range trusted {
		if filepath.Base(path) != ".git" || !isRealDir(path) {
			if path = realpath.Resolve(path); exists(path) {
				kept = append(kept, path)
			}
			continue
		}
		repositories = append(repositories, path)
		kept = append(kept, keptInRepository(path)...)
	}
	return kept, repositories
}

// keptInRepository returns the files that must stay as they are in a repository. It makes a
// missing directory of hooks, since a command could make it otherwise.
func keptInRepository(path string) (kept []string) {
	_ = os.Mkdir(filepath.Join(path, keptOfGit[0]), 0o755) //nolint:gosec // as git makes it
	for _, name := range keptOfGit {
		if at := realpath.Resolve(filepath.Join(path, name)); exists(at) {
			kept = append(kept, at)
		}
	}
	return kept
}

// sharedRepository returns the repository of which a working directory is a linked work
// tree, or "". The repository has to name the work tree.
func sharedRepository(workDir string) string {
	if exists(filepath.Join(workDir, ".git")) {
		if main := gitrepo.MainTree(workDir); main != workDir {
			return filepath.Join(main, ".git")
		}
	}
	return ""
}

func isRealDir(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// isBelow reports whether a path is dir or lies in it.
func isBelow(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
