package shell

import (
	"path"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/shellparse"
)

// stillPrograms are known programs that write files but never change where other names lead: they
// neither move anything nor make links. All other programs that write paths may.
var stillPrograms = map[string]bool{
	"mkdir": true, "touch": true, "rm": true, "rmdir": true, "tee": true, "sed": true, "gsed": true, "truncate": true, "dd": true,
	"chmod": true, "chown": true, "chgrp": true, "split": true, "csplit": true, "mktemp": true, "install": true, "sort": true, "uniq": true,
	"gzip": true, "gunzip": true, "bzip2": true, "xz": true, "curl": true, "wget": true, "zip": true,
}

// movingPrograms are programs that make links or replace directories among files that the line
// does not name. Otherwise they run no code that was not allowed.
var movingPrograms = map[string]bool{
	"tar": true, "gtar": true, "bsdtar": true, "unzip": true, "cpio": true, "pax": true, "7z": true, "7za": true, "7zr": true, "unar": true,
	"rsync": true, "patch": true, "svn": true, "hg": true, "jj": true,
	"git am": true, "git apply": true, "git bisect": true, "git checkout": true, "git checkout-index": true, "git cherry-pick": true,
	"git clone": true, "git merge": true, "git pull": true, "git read-tree": true, "git rebase": true, "git reset": true, "git restore": true,
	"git revert": true, "git sparse-checkout": true, "git stash": true, "git submodule": true, "git switch": true, "git worktree": true,
}

// movesAnything reports whether a command may change where names lead that cannot be determined.
func movesAnything(c *shellparse.Command) bool {
	if c.Class == shellparse.ReadOnly {
		return false
	}
	moves := func(text string) bool { return movingPrograms[shellparse.SubcommandOf(text)] }
	return moves(c.Text) || slices.ContainsFunc(c.Nested, moves)
}

// movesNames reports whether a command may change where names lead below a path that it writes.
func movesNames(c *shellparse.Command, p *shellparse.Path) bool {
	name := shellparse.ProgramOf(c.Text)
	return p.Write && !stillPrograms[name] && (name != "cp" || p.Tree || !c.EditsOnly)
}

// broughtPrograms are programs that projects bring themselves, as in .venv/bin and
// node_modules/.bin. A rule for such a program is about any program of that name.
var broughtPrograms = map[string]bool{
	"bun": true, "bundle": true, "cargo": true, "clang": true, "cmake": true, "composer": true, "deno": true, "dotnet": true, "eslint": true,
	"g++": true, "gcc": true, "gem": true, "go": true, "gofmt": true, "gradle": true, "java": true, "javac": true, "mypy": true, "mvn": true,
	"node": true, "npm": true, "npx": true, "perl": true, "php": true, "pip": true, "pip3": true, "pnpm": true, "poetry": true, "prettier": true,
	"pytest": true, "python": true, "python3": true, "ruby": true, "ruff": true, "rustc": true, "tsc": true, "uv": true, "yarn": true,
}

// BringsProgram reports whether projects usually bring a program of this name themselves, see
// [policy.ShellFacts].BringsProgram.
func BringsProgram(name string) bool { return broughtPrograms[name] }

// isBrought reports whether a command runs a program that projects bring.
func isBrought(c *shellparse.Command) bool {
	return broughtPrograms[path.Base(shellparse.ProgramOf(c.Text))]
}
