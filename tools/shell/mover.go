package shell

import (
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/shellparse"
	"github.com/seed49eaa51d/pegboard/policy"
)

// stillPrograms are known programs that write files and leave every other name where it
// leads: they neither move anything nor make links. All others that write paths may.
var stillPrograms = map[string]bool{
	"mkdir": true, "touch": true, "rm": true, "rmdir": true, "tee": true, "sed": true, "gsed": true, "truncate": true, "dd": true,
	"chmod": true, "chown": true, "chgrp": true, "split": true, "csplit": true, "mktemp": true, "install": true, "sort": true, "uniq": true,
	"gzip": true, "gunzip": true, "bzip2": true, "xz": true, "curl": true, "wget": true, "zip": true,
}

// movingPrograms are programs that make links or replace directories among files that the
// line does not name, and otherwise run no code that was not allowed.
var movingPrograms = map[string]bool{
	"tar": true, "gtar": true, "bsdtar": true, "unzip": true, "cpio": true, "pax": true, "7z": true, "7za": true, "7zr": true, "unar": true,
	"rsync": true, "patch": true, "svn": true, "hg": true, "jj": true,
	"git am": true, "git apply": true, "git bisect": true, "git checkout": true, "git checkout-index": true, "git cherry-pick": true,
	"git clone": true, "git merge": true, "git pull": true, "git read-tree": true, "git rebase": true, "git reset": true, "git restore": true,
	"git revert": true, "git sparse-checkout": true, "git stash": true, "git submodule": true, "git switch": true, "git worktree": true,
}

// movesAnything reports whether a command may change where names lead, and nobody knows
// which.
func movesAnything(c *shellparse.Command) bool {
	if c.Class == shellparse.ReadOnly {
		return false
	}
	moves := func(text string) bool { return movingPrograms[subcommandOf(text)] }
	return moves(c.Text) || slices.ContainsFunc(c.Nested, moves)
}

// movesNames reports whether a command may change where names below a path that it writes
// lead.
func movesNames(c *shellparse.Command, p *shellparse.Path) bool {
	name := programOf(c.Text)
	return p.Write && !stillPrograms[name] && (name != "cp" || p.Tree || !c.EditsOnly)
}

// heldTargets returns the targets of a call whose line goes on after it that must stay what
// they were decided to be. Of a line with commands that are not known these are only the
// names that it is known to move: a program that runs any code was allowed to do so, and
// needs no other call for what it does.
func heldTargets(line *shellparse.Line, c *pegboard.Call) (held []policy.Target) {
	known := isKnown(line)
	for _, t := range c.Targets() {
		if t.Shell.MovesNames || known && t.Kind == policy.Path && !t.Shell.Guess {
			held = append(held, t)
		}
	}
	return held
}

// holdText says what goes on, as the model and a person know it.
func holdText(id, command string) string {
	text := strings.Join(strings.Fields(command), " ")
	const most = 100
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return "the background task " + id + " (" + text + ")"
}
