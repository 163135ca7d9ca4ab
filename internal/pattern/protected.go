package pattern

import (
	"slices"
	"strings"
)

// protectedNames are the directories and files whose content is run or believed
// by other programs.
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

// Protected reports whether path, absolute and clean, is or lies in a file or
// directory whose content is run or believed by other programs, and which. No
// allow rule lets it be written unasked.
//
// Names are compared as laxly as any platform does, wherever this runs, so that
// ".GIT" counts on Linux too: the disk may be shared. Every name in the path
// counts, also that of a file in the place of a directory. ".claude/worktrees" is
// free, in exactly this spelling.
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
