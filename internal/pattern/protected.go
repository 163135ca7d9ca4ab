package pattern

import (
	"slices"
	"strings"
)

// protectedNames are directories and files whose content other programs run or trust.
var protectedNames = []string{
	".git", ".vscode", ".idea", ".husky", ".cargo", ".devcontainer", ".yarn", ".mvn", ".claude",

	".gitconfig", ".gitmodules",
	".bashrc", ".bash_profile", ".bash_login", ".bash_aliases", ".bash_logout",
	".zshrc", ".zprofile", ".zshenv", ".zlogin", ".zlogout", ".profile", ".envrc",
	".npmrc", ".yarnrc", ".yarnrc.yml", ".pnp.cjs", ".pnp.loader.mjs", ".pnpmfile.cjs", "bunfig.toml", ".bunfig.toml",
	".bazelrc", ".bazelversion", ".bazeliskrc",
	".pre-commit-config.yaml", "lefthook.yml", "lefthook.yaml", ".lefthook.yml", ".lefthook.yaml",
	"gradle-wrapper.properties", "maven-wrapper.properties", ".devcontainer.json",
	".ripgreprc", "pyrightconfig.json", ".mcp.json", ".claude.json",
}

// Protected reports whether path, absolute and clean, is or is below a file or directory
// whose content other programs run or trust, and returns its name. No allow rule permits
// writing it without asking.
//
// Names are compared as the least strict platform does, on every system, so ".GIT" counts on
// Linux too: the disk may be shared. Every name in the path counts, including that of a file
// where a directory is expected. ".claude/worktrees" is not protected, in exactly this
// spelling.
func Protected(p Platform, path string) (what string, ok bool) {
	path, _ = canonical(p, path)
	written := strings.Split(path, "/")
	for i, name := range written {
		folded := foldMarks.fold(name)
		if folded == ".claude" && name == folded && i+1 < len(written) && written[i+1] == "worktrees" {
			continue
		}
		if slices.Contains(protectedNames, folded) {
			return folded, true
		}
		if folded == "git" && i > 0 && foldMarks.fold(written[i-1]) == ".config" {
			return ".config/git", true
		}
	}
	return "", false
}
