package shellparse

import (
	"path"
	"slices"
	"strings"
)

// gitEffect returns the effect of git.
//
// A read-only effect with git set is read-only only if the configuration of the
// repository starts no program; see package gitrepo.
func gitEffect(args []arg) effect {
	g := parseGitGlobals(args)
	var e effect
	switch {
	case g.prints, len(g.rest) == 0: // git alone or with --version only prints something
	case !g.rest[0].isLiteral():
		e = unknownEffect("the subcommand of git is not known")
	default:
		e = gitSubcommandEffect(g.rest[0].value, g.rest[1:], g.dir)
		if !isGitCommand(g.rest[0].value) {
			e.alias = &gitAliasUse{name: g.rest[0].value, args: g.rest[1:], dir: g.dir}
		}
	}
	reads := e.class == ReadOnly
	if reads && len(g.rest) > 0 && g.rest[0].is("ls-files") && g.dir == "" && listsBelow(g.rest[1:]) {
		e.prints = &foundNames{trees: []arg{literalArg(".")}, plain: true, bare: true}
	}
	if g.reason != "" {
		e.git = nil
		e.worsen(Unknown, g.reason)
	}
	for _, s := range g.settings {
		e.addGitSetting(s)
	}
	if g.unseen != "" {
		e.refuseUnseen(g.unseen)
	}
	if g.dir != "" && e.class != ReadOnly {
		e.files = append(e.files, file{arg: literalArg(g.dir), tree: true, write: true})
	}
	for _, place := range g.places {
		e.files = append(e.files, file{arg: gitInDir(place, g.dir), tree: true, write: !reads})
	}
	return e
}

// listsBelow reports whether git ls-files with these arguments prints nothing but names of
// files in the working directory, one a line.
func listsBelow(args []arg) bool {
	return !slices.ContainsFunc(args, func(a arg) bool {
		if strings.HasPrefix(a.value, "-") {
			return !a.is("-c", "--cached", "-m", "--modified", "-o", "--others", "--exclude-standard", "--")
		}
		return !a.isLiteral() || strings.HasPrefix(a.value, ":") || mayLeaveProject(a.value)
	})
}

// A gitForm is a subcommand with arguments that only read.
type gitForm struct {
	flags []string // tables of the safe flags; see gitFlagKind
	// refuse returns why the words may do more than read, or an empty string. It is set
	// for subcommands whose operands decide this.
	refuse func(w gitWords) string
	// firstIsName is set if the first operand is not a path but a pattern or a name.
	firstIsName bool
	// pathsAfterDashes is set if git reads all words after "--" as paths.
	pathsAfterDashes bool
	// operandsAreFiles is set if git reads operands as files even outside a repository.
	operandsAreFiles bool
	// showsContent is set if git prints the content of files below its paths,
	// showsPatches if it does so with one of gitPatchFlags, defaultsToDir if it does so
	// for the working directory when there are no paths.
	showsContent, showsPatches, defaultsToDir bool
	// otherFiles are flags with which git shows files that are not among its operands.
	otherFiles []string
}

func gitSubcommandEffect(name string, args []arg, dir string) effect {
	form, ok := gitForms[name]
	if len(args) > 0 {
		if longer, found := gitForms[name+" "+args[0].value]; found && args[0].known && !args[0].glob {
			form, ok = longer, true
			name, args = name+" "+args[0].value, args[1:]
		}
	}
	if !ok {
		return gitOtherEffect(name, args, dir)
	}
	words, reason := parseGitArgs(args, form.flags, form.pathsAfterDashes)
	if reason != "" {
		e := unknownEffect("git " + name + ": " + reason)
		e.addGitRisks(name, args, form, dir)
		e.addGitStarted(name, args, dir)
		e.addGitWrites(name, args, dir)
		e.files = append(e.files, gitUnknownFiles(name, dir)...)
		e.files = append(e.files, gitComparedTrees(name, args, dir)...)
		return e
	}
	if form.refuse != nil {
		if reason := form.refuse(words); reason != "" {
			e := effect{class: Mutating, reason: "git " + name + ": " + reason, files: gitChangedFiles(name, args, dir)}
			e.addGitStarted(name, args, dir)
			e.addGitWrites(name, args, dir)
			return e
		}
	}
	if name == "version" {
		return effect{}
	}
	return effect{git: &Git{Dir: dir}, files: gitShownFiles(words, form, dir)}
}

// gitOtherEffect returns the effect of a subcommand that does more than read.
func gitOtherEffect(name string, args []arg, dir string) effect {
	e := unknownEffect("git " + name + " is not known to only read")
	switch {
	case slices.Contains(strings.Fields(gitNetwork), name):
		e = effect{class: Unknown, reason: "git " + name + " talks to another repository", hosts: gitHosts(args)}
	case slices.Contains(strings.Fields(gitMutating), name):
		e = effect{class: Mutating, reason: "git " + name + " changes the repository or its files", files: gitChangedFiles(name, args, dir)}
		e.files = append(e.files, gitInputFiles(name, args, dir)...)
	}
	e.addGitRisks(name, args, gitForm{}, dir)
	e.addGitStarted(name, args, dir)
	e.addGitWrites(name, args, dir)
	e.files = append(e.files, gitUnknownFiles(name, dir)...)
	return e
}

// gitHosts returns the hosts of operands that are URLs or of the form host:path.
func gitHosts(args []arg) []string {
	var hosts []string
	for _, a := range args {
		if !a.known || a.glob || strings.HasPrefix(a.value, "-") {
			continue
		}
		_, host, isURL := strings.Cut(a.value, "://")
		if isURL {
			host, _, _ = strings.Cut(host, "/")
		} else if before, _, ok := strings.Cut(a.value, ":"); ok && !strings.Contains(before, "/") {
			host = before
		}
		host = host[strings.LastIndexByte(host, '@')+1:]
		if name, port, ok := cutLast(host, ":"); ok && strings.Trim(port, "0123456789") == "" {
			host = name
		}
		if host = strings.Trim(host, "[]"); host != "" {
			hosts = append(hosts, host)
		}
	}
	return hosts
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

func gitInDir(a arg, dir string) arg {
	a.value = gitJoinDir(dir, a.value)
	return a
}

// mayLeaveDir reports whether a path may lead out of the directory it is relative to.
func mayLeaveDir(name string) bool {
	return path.IsAbs(name) || slices.Contains(strings.Split(name, "/"), "..")
}

// pathspecPath returns the path in an operand such as "HEAD:a", ":(top)a", ":!a" or
// "a". Source: gitglossary(7), pathspec; gitrevisions(7).
func pathspecPath(operand string) string {
	before, after, found := strings.Cut(operand, ":")
	switch {
	case !found:
		return operand
	case before != "":
		return after
	case strings.HasPrefix(after, "("):
		_, after, _ = strings.Cut(after, ")")
	case len(after) > 1 && after[1] == ':' && after[0] >= '0' && after[0] <= '3':
		after = after[2:] // a stage of the index
	default:
		after = strings.TrimLeft(after, "/!^:")
	}
	return after
}
