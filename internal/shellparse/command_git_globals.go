package shellparse

import (
	"path"
	"strings"
)

// gitGlobals are the options of git before its subcommand. Source: git(1), OPTIONS.
type gitGlobals struct {
	dir      string // that the -C options lead to, or empty
	rest     []arg  // the subcommand and its arguments
	reason   string // why a read-only subcommand may not stay read-only
	settings []gitSetting
	places   []arg  // repositories and working trees that options name
	unseen   string // why git may run what cannot be seen
	prints   bool   // git prints something and ignores the subcommand
}

// gitValuedGlobals are the options that take the next word as their value.
const gitValuedGlobals = "-C -c --git-dir --work-tree --namespace --super-prefix --config-env --attr-source --shallow-file"

// gitCommand returns the arguments of git without the options before its subcommand.
func gitCommand(args []arg) []arg {
	for len(args) > 0 && args[0].known && strings.HasPrefix(args[0].value, "-") {
		n := 1
		if has(gitValuedGlobals, args[0].value) || args[0].value == "--exec-path" {
			n = 2
		}
		args = args[min(n, len(args)):]
	}
	return args
}

// refuse records why a read-only subcommand may not stay read-only.
func (g *gitGlobals) refuse(reason string) {
	if g.reason == "" {
		g.reason = reason
	}
}

// parseGitGlobals parses the options before the subcommand.
func parseGitGlobals(args []arg) gitGlobals {
	var g gitGlobals
	for len(args) > 0 {
		a := args[0]
		if !a.isLiteral() || !strings.HasPrefix(a.value, "-") {
			break
		}
		args = args[1:]
		name, value, attached := strings.Cut(a.value, "=")
		v := a.withValue(value)
		if !attached && has(gitValuedGlobals, name) {
			if len(args) == 0 {
				g.refuse("git " + name + " has no value")
				break
			}
			v, args = args[0], args[1:]
		}
		if g.addOption(a, name, v, attached); g.prints {
			return g
		}
	}
	g.rest = args
	return g
}

// addOption adds one option and its value.
func (g *gitGlobals) addOption(a arg, name string, value arg, attached bool) {
	switch name {
	case "-C":
		if !value.isLiteral() {
			g.refuse("git -C names a directory that is not known")
			return
		}
		g.dir = gitJoinDir(g.dir, value.value)
		return
	case "--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs", "--no-replace-objects", "--no-lazy-fetch", "--no-advice":
		return
	case "--version", "-v":
		g.prints = true
		return
	case "-c":
		s := gitSettingOf(value)
		if strings.EqualFold(s.key.value, "core.worktree") {
			g.places = append(g.places, gitInDir(s.value, ".git")) // to which git takes it to be relative
		}
		g.settings = append(g.settings, s)
	case "--config-env":
		s := gitSettingOf(value)
		s.value = arg{source: value.source} // that of a variable
		g.settings = append(g.settings, s)
	case "--exec-path":
		if attached {
			g.unseen = "git runs the programs in the directory of --exec-path"
		}
	case "--git-dir", "--work-tree":
		g.places = append(g.places, value)
		if name == "--git-dir" && !value.is(".git", "./.git") {
			g.unseen = "git runs what the configuration of another repository names"
		}
	}
	g.refuse("git " + a.value + " may change where git works or what it runs")
}

// gitJoinDir returns the path of name, which git reads in dir.
func gitJoinDir(dir, name string) string {
	if dir == "" || path.IsAbs(name) {
		return name
	}
	// Not path.Join: "link/.." is not the directory that holds the link.
	return strings.TrimSuffix(dir+"/"+name, "/")
}
