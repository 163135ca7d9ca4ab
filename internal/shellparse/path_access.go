package shellparse

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/shelltable"
)

// A fileAccess is the access of one command or redirection to files.
type fileAccess struct {
	command      int // index of the command, or redirectAccess
	paths        []Path
	writes       bool // changes something, or may
	mayMakeLinks bool // may write links, or move files elsewhere
	insideDirs   bool // writes inside directories but does not replace them
	git          bool
	runs         bool // runs code in one of the paths
	expands      bool // a name that a pattern stands for could be an option that does more than read
}

// redirectAccess is the command of an access by a redirection.
const redirectAccess = -1

// recordAccess records the file accesses of a command. It is called before the command
// is listed.
func (w *walker) recordAccess(c *Command, s strippedCommand) {
	access := fileAccess{command: len(w.line.Commands), paths: c.Paths, writes: c.Class != ReadOnly, mayMakeLinks: mayMakeLinks(s.args)}
	if len(s.args) > 0 {
		name := path.Base(s.args[0].value)
		access.expands = c.Class == ReadOnly && slices.ContainsFunc(s.args[1:], arg.standsForNames) && mayHaveUnsafeFlags(name)
		access.git = name == "git" && s.args[0].value == name
		access.insideDirs = name == "git" || name == "tar" || name == "unzip"
	}
	access.runs, access.paths = w.runsFile(access.paths, s.args)
	if access.git && access.mayMakeLinks {
		for _, dir := range w.place.dirs {
			access.paths = append(access.paths[:len(access.paths):len(access.paths)], Path{Name: dir, Write: true, Tree: true})
		}
	}
	w.accesses = append(w.accesses, access)
}

// runsFile reports whether a command runs code that is in one of its files, which are returned
// with the program itself if it is given by its path.
func (w *walker) runsFile(paths []Path, args []arg) (bool, []Path) {
	if len(args) == 0 || !args[0].known {
		return false, paths
	}
	name := programName(args[0].value)
	if strings.Contains(args[0].value, "/") {
		return true, w.appendPaths(slices.Clip(paths), args[0].value, Path{Guess: true})
	}
	return stdinShells[name] || runsAnyCode(name) || textPrograms[name] || has("source . make gmake", name), paths
}

// gitReplacingCommands are the git subcommands that replace files, possibly by links.
var gitReplacingCommands = wordSet("am apply bisect checkout checkout-index cherry-pick clone merge mv pull read-tree rebase reset restore" +
	" revert stash submodule switch worktree")

// mayMakeLinks reports whether a command may make links or move directories.
func mayMakeLinks(args []arg) bool {
	if len(args) == 0 {
		return false
	}
	given := func(letters string) bool {
		for _, a := range args[1:] {
			v := a.value
			if len(v) > 1 && v[0] == '-' && (v[1] == '-' || strings.ContainsAny(v, letters)) || a.mayBeFlag() {
				return true
			}
		}
		return false
	}
	switch path.Base(args[0].value) {
	case "ln", "mv", "unzip":
		return true
	case "cp":
		return given("adlPRrs")
	case "tar":
		return given("x") || len(args) > 1 && strings.Contains(args[1].value, "x")
	case "git":
		rest := gitCommand(args[1:])
		return len(rest) > 0 && (!rest[0].isLiteral() || gitReplacingCommands[rest[0].value])
	}
	return false
}

// checkAccesses looks for commands of the line that change the meaning of other commands:
// links above their files make the line unknown, and a changed repository makes a git
// command unknown.
func (w *walker) checkAccesses() {
	links := possibleLinksOf(w.accesses)
	first := len(w.accesses) // index of the first access that may change a repository
	for i := len(w.accesses) - 1; i >= 0; i-- {
		if access := w.accesses[i]; !access.git && (access.writes || anyWritten(access.paths)) {
			first = i
		}
	}
	for i, access := range w.accesses {
		for _, p := range access.paths {
			if links != nil && !p.Guess && links.mayLeadThrough(p, i, w.mayRepeat || w.concurrent) {
				w.markUnknown("what another command of the line does to a file is not known")
			}
		}
		if first < i || w.mayRepeat && first < len(w.accesses) {
			w.markGitUnknown(access)
		}
		w.checkFoundNames(i)
	}
	w.checkWrittenCode()
}

// checkWrittenCode notes the commands that run code which another command of the line puts into
// a file: the text of the line does not show that code.
func (w *walker) checkWrittenCode() {
	if !slices.ContainsFunc(w.accesses, func(a fileAccess) bool { return a.runs }) {
		return
	}
	writers := map[string]int{} // the first access that writes a file, by its name, counted from 1
	for i, access := range w.accesses {
		if at := access.command; at != redirectAccess && (at >= len(w.line.Commands) || has("chmod chown mkdir rm rmdir touch", firstWord(w.line.Commands[at].Text))) {
			continue
		}
		for _, p := range access.paths {
			if name := path.Clean(p.Name); p.Write && writers[name] == 0 {
				writers[name] = i + 1
			}
		}
	}
	for i, access := range w.accesses {
		if access.runs && access.command < len(w.line.Commands) {
			c := &w.line.Commands[access.command]
			c.RunsUnseen = c.RunsUnseen || slices.ContainsFunc(access.paths, func(p Path) bool {
				first := writers[path.Clean(p.Name)]
				return first != 0 && first != i+1
			})
		}
	}
}

func firstWord(text string) string {
	word, _, _ := strings.Cut(text, " ")
	return word
}

// checkFoundNames makes a command unknown that follows the links below a directory, which
// are looked at before the line runs, if another command may make such a link. The same
// holds for names that are split.
func (w *walker) checkFoundNames(access int) {
	at := w.accesses[access].command
	if at == redirectAccess || at >= len(w.line.Commands) {
		return
	}
	c := &w.line.Commands[at]
	follows := slices.ContainsFunc(c.Paths, func(p Path) bool { return p.FollowsLinks && !p.Write })
	expands := w.accesses[access].expands
	if !follows && len(c.SplitNames) == 0 && !expands {
		return
	}
	for i, other := range w.accesses {
		if i != access && (other.writes || anyWritten(other.paths)) && (follows || len(c.SplitNames) > 0 || !other.makesPlainName()) {
			c.worsen(Unknown, "another command of the line may change what is found")
			c.NoWildcards, c.Starts = true, nil
			return
		}
	}
}

// makesPlainName reports whether an access makes at most one file, whose name does not begin
// like an option.
func (a fileAccess) makesPlainName() bool {
	return a.command == redirectAccess && !slices.ContainsFunc(a.paths, func(p Path) bool { return p.Glob || strings.HasPrefix(path.Base(p.Name), "-") })
}

// mayHaveUnsafeFlags reports whether an option of a program may make it do more than read.
func mayHaveUnsafeFlags(name string) bool {
	spec, ok := specOf(name)
	return !ok || spec.hasUnsafeFlags || spec.custom != nil
}

// markGitUnknown makes a git command unknown because another command of the line may
// change the repository, whose settings decide which programs git runs.
func (w *walker) markGitUnknown(access fileAccess) {
	if access.command == redirectAccess || access.command >= len(w.line.Commands) {
		return
	}
	if c := &w.line.Commands[access.command]; c.Git != nil {
		c.Git = nil
		c.worsen(Unknown, "another command of the line may change the repository")
	}
}

// anyWritten reports whether at least one of paths is written.
func anyWritten(paths []Path) bool {
	for _, p := range paths {
		if p.Write {
			return true
		}
	}
	return false
}

// A span holds the indexes of the first and the last access of a kind.
type span struct{ first, last int }

// isOtherThan reports whether an access of the span other than the given one precedes
// it. If unordered is set, any other access counts.
func (s span) isOtherThan(access int, unordered bool) bool {
	return s.first < access || unordered && (s.first != access || s.last != access)
}

// possibleLinks are the names that may be links after some access of the line.
type possibleLinks struct {
	at       map[string]span // files that are written
	insideOf map[string]span // directories in which something is written
	above    map[string]span // directories above files that are written
}

// possibleLinksOf returns the links that accesses may make, or nil if they make none.
func possibleLinksOf(accesses []fileAccess) *possibleLinks {
	var l *possibleLinks
	for i, access := range accesses {
		if !access.mayMakeLinks {
			continue
		}
		if l == nil {
			l = &possibleLinks{map[string]span{}, map[string]span{}, map[string]span{}}
		}
		for _, p := range access.paths {
			if p.Write || p.Guess {
				l.add(p, i, access.insideDirs)
			}
		}
	}
	return l
}

func (l *possibleLinks) add(p Path, access int, inside bool) {
	note := func(names map[string]span, name string) {
		s, ok := names[name]
		if !ok {
			s.first = access
		}
		s.last = access
		names[name] = s
	}
	ways := lexicalSteps(fixedName(p))
	name := ways[len(ways)-1]
	if inside {
		note(l.insideOf, name)
	} else {
		note(l.at, name)
	}
	for name != "/" {
		name = path.Dir(name)
		note(l.above, name)
	}
}

// mayLeadThrough reports whether the path of a file may lead through a link that an
// access other than the file's own makes.
func (l *possibleLinks) mayLeadThrough(p Path, access int, unordered bool) bool {
	in := func(names map[string]span, name string) bool {
		s, ok := names[name]
		return ok && s.isOtherThan(access, unordered)
	}
	ways := lexicalSteps(fixedName(p))
	for i, name := range ways {
		last := i == len(ways)-1
		if in(l.at, name) || in(l.insideOf, name) && (!last || p.Glob) || last && p.Glob && in(l.above, name) {
			return true
		}
	}
	return false
}

// fixedName returns the name of a file, or of a pattern the directory that holds all
// matching files. It is in lower case, since some file systems ignore case.
func fixedName(p Path) string {
	name := strings.ToLower(p.Name)
	if n := strings.IndexAny(name, `*?[\`); p.Glob && n >= 0 {
		name = name[:strings.LastIndexByte(name[:n], '/')+1]
	}
	return name
}

// lexicalSteps returns the directories that a path leads through, and the file at its
// end. Two dots stand for the directory that is named before them.
func lexicalSteps(name string) []string {
	steps := []string{"/"}
	at := ""
	for part := range strings.SplitSeq(name, "/") {
		switch part {
		case "", ".":
			continue
		case "..":
			at = at[:max(strings.LastIndexByte(at, '/'), 0)]
		default:
			at += "/" + part
		}
		steps = append(steps, max(at, "/"))
	}
	return steps
}

// addFiles adds the files of a command.
func (w *walker) addFiles(c *Command, files []file) {
	for _, f := range files {
		f.guess = f.guess || isPublicFile(f)
		if f.inHome {
			f.value, f.known = joinDir(w.homeDir(), f.value), w.homeDir() != ""
		}
		switch {
		case f.known && f.value == "", f.known && !f.glob && w.isOpenStream(f.value, f.write), f.known && f.isProcessSubst():
		case !f.known && f.found != nil && len(f.found.trees) > 0 && !f.write:
			for _, v := range f.found.trees {
				c.Paths = w.appendPaths(c.Paths, v.value, Path{Tree: true, Glob: v.glob, Guess: f.guess, FollowsLinks: !f.found.regular, Filter: f.nameFilter()})
			}
		case !f.known && f.found != nil && len(f.found.values) > 0:
			for _, v := range f.found.values {
				c.Paths = w.appendPaths(c.Paths, v.value, Path{Write: f.write, Tree: f.tree, Glob: v.glob, Guess: f.guess, NamesOnly: f.namesOnly, Filter: f.filter})
			}
		case !f.known:
			if !f.guess {
				w.markUnknown("a file cannot be known")
			}
		default:
			c.Paths = w.appendPaths(c.Paths, f.value, Path{Write: f.write, Tree: f.tree, Glob: f.glob, Guess: f.guess, MayWrite: f.guess && f.mayWrite, CopiesNames: f.copiesNames, FollowsLinks: f.mayFollowLinks(), NamesOnly: f.namesOnly, Tracked: f.tracked, NoIndex: f.noIndex, InPlace: f.inPlace, Enters: f.enters, Origin: f.origin, Filter: f.nameFilter()})
		}
	}
}

// isPublicFile reports whether a file that is read holds facts about the machine that every
// program may know. Only rules are about it.
func isPublicFile(f file) bool {
	return !f.write && !f.tree && f.isLiteral() && has("/etc/os-release /usr/lib/os-release /etc/lsb-release /etc/debian_version /etc/alpine-release /etc/redhat-release /etc/fedora-release"+
		" /etc/issue /etc/timezone /etc/shells /proc/cpuinfo /proc/meminfo /proc/loadavg /proc/uptime /proc/version", f.value)
}

// appendPaths appends the paths that name stands for in each directory of the current
// place. The other fields are those of like.
func (w *walker) appendPaths(list []Path, name string, like Path) []Path {
	dirs := w.place.dirs
	switch {
	case strings.HasPrefix(name, "/"):
		like.Name = name
		if len(dirs) == 1 {
			like.Origin = originIn(dirs[0], like.Origin)
		} else if !strings.HasPrefix(like.Origin, "/") {
			like.Origin = ""
		}
		w.checkProcessPath(like)
		return append(list, like)
	case len(dirs) == 0:
		if !like.Guess {
			w.markUnknown("the directory is not known when the line names the file " + name)
		}
		like.Name, like.Origin = name, ""
		return append(list, like)
	}
	for _, dir := range dirs {
		if like.Glob && strings.ContainsAny(dir, `*?[]\`) {
			w.markUnknown("the name of the directory is a pattern")
		}
		one := like
		one.Name, one.Origin = joinDir(dir, name), originIn(dir, like.Origin)
		w.checkProcessPath(one)
		list = append(list, one)
	}
	return list
}

// originIn returns the Origin of a path for a line that runs in dir.
func originIn(dir, origin string) string {
	if origin == "" {
		return ""
	}
	return joinDir(dir, origin)
}

// writtenArgs returns which arguments of a command whose effect is not known may name a file
// that the command writes, by their index behind the name, which comes first in words. A table
// that knows the program says that none does, except for the values of options.
func writtenArgs(name string, words []arg) func(at int) bool {
	args, none := words[1:], func(int) bool { return false }
	if onlyReadsArgs(words) {
		return none
	}
	spec, tabled := specOf(name)
	if _, version := versionSpecs[name]; version {
		tabled = false
	}
	_, launcher := launcherWords(name)
	switch {
	case name == "ssh":
		return func(at int) bool { return at > 0 && args[at-1].is("-E") }
	case name == "git", isBuiltin(name), tabled && !spec.hasUnsafeFlags && spec.custom == nil:
		return none
	case name == "curl", name == "wget":
		return func(at int) bool { return isValue(args, at) && namesPlace(args, at) }
	case startsElsewhere(name, args):
		end := elsewhere(args)
		return func(at int) bool { return at < end && isValue(args, at) }
	case name == "script", name == "patch", len(args) > 0 && has(projectManagers, name) && !has("run exec x tool", args[0].value):
	case launcher, tabled && !mountPrograms[name]:
		return func(at int) bool { return isValue(args, at) }
	case runsAnyCode(name):
		script := slices.IndexFunc(args, func(a arg) bool { return !strings.HasPrefix(a.value, "-") })
		return func(at int) bool { return at != script }
	}
	return func(int) bool { return true }
}

// projectManagers are launchers with other subcommands, which may write the files they are given.
const projectManagers = "uv poetry pipenv bundle conda pipx mise devbox"

// onlyReadsArgs reports whether a table says that a command writes none of its arguments: one
// that a rule with a wildcard covers with any files of the project.
func onlyReadsArgs(words []arg) bool {
	spec, rest, ok := specBehindLaunchers(words)
	return ok && !exceedsSpec(spec, rest) && !usesWriting(spec, rest) && !writesInPlace(words[1:])
}

// usesWriting reports whether a flag is used whose value is written, or entered.
func usesWriting(s shelltable.WildcardSpec, args []arg) bool {
	if i := slices.IndexFunc(args, func(a arg) bool { return a.value == "--" }); i >= 0 {
		args = args[:i]
	}
	if s.SingleDash {
		args = withTwoDashes(s.Flags, args)
	}
	used := commandSpec{flags: s.Flags, hasUnsafeFlags: true}.parseArgs(args).flags
	return slices.ContainsFunc(used, func(f flag) bool { return has(s.Writes, f.name) })
}

// isValue reports whether an argument is an option with its value, or may be the value of the
// option before it.
func isValue(args []arg, at int) bool {
	return strings.HasPrefix(args[at].value, "-") || at > 0 && len(args[at-1].value) > 1 && args[at-1].value[0] == '-' && !strings.Contains(args[at-1].value, "=")
}

// namesPlace reports whether the option of an argument is called as those are that say where
// something is written.
func namesPlace(args []arg, at int) bool {
	option := args[at].value
	if !strings.HasPrefix(option, "-") {
		option = args[at-1].value
	}
	option, _, _ = strings.Cut(option, "=")
	return slices.ContainsFunc([]string{"out", "file", "dir", "log", "trace", "hsts", "etag-save", "dump"}, func(part string) bool {
		return strings.HasPrefix(option, "--") && strings.Contains(option, part)
	})
}

// startsElsewhere reports whether a subcommand starts a command in a container, where the names
// of files are others.
func startsElsewhere(name string, args []arg) bool {
	return subcommandLaunchers[name] != nil && (mountPrograms[name] || name == "kubectl") && len(args) > 1 &&
		(has("exec run create", args[0].value) || args[0].is("compose") && slices.ContainsFunc(args[1:], func(a arg) bool { return a.is("exec", "run") }))
}

// elsewhere returns the index of the first argument that the command in a container gets: the
// one behind two that are no options.
func elsewhere(args []arg) int {
	for i := 2; i < len(args); i++ {
		if !isValue(args, i) && !isValue(args, i-1) {
			return i
		}
	}
	return len(args)
}

// addGuesses adds the arguments of an unknown command that look like paths. args starts
// with the name of the command.
func (w *walker) addGuesses(c *Command, args []arg) {
	if !args[0].known {
		return
	}
	at := w.place
	w.place = w.placeAfterOptions(programName(args[0].value), args[1:])
	inPlace := writesInPlace(args[1:])
	name := programName(args[0].value)
	unlisted, written := isUnlisted(name), writtenArgs(name, args)
	var room [2]string
	for i, a := range args[1:] {
		if !a.known {
			w.addFoundGuesses(c, a, unlisted)
			continue
		}
		if unlisted || mountPrograms[name] {
			kind := allNames
			if strings.ContainsAny(a.value, " \t\n") {
				kind = outsideNames // it may be a text for people
			}
			w.addNamesIn(c, a.value, kind, Path{Write: true})
		}
		if mountPrograms[name] && strings.ContainsAny(a.value, ":,") {
			continue // a place is only a part of it
		}
		write := inPlace || a.namesOutput() || i > 0 && args[i].is("-o", "--output", "--out")
		file := written(i) && !strings.ContainsAny(a.value, " \t\n") // texts are for people, and those for programs are looked into
		for _, name := range guessNames(a.value, room[:0]) {
			c.Paths = slices.Grow(c.Paths, len(args)-i)
			like := Path{Guess: true, Glob: a.glob, Tree: a.isFoundTree(), Write: unlisted || write || file, MayWrite: write || file}
			if like.Tree && a.found != nil {
				like.InPlace, like.FollowsLinks, like.Filter = true, !a.found.regular, a.found.filter
			}
			c.Paths = w.appendPaths(c.Paths, name, like)
		}
	}
	w.place = at
}

// addFoundGuesses adds the files that an argument of an unknown command stands for, if it
// stands for files.
func (w *walker) addFoundGuesses(c *Command, a arg, write bool) {
	if a.found == nil {
		return
	}
	for _, v := range a.found.trees {
		c.Paths = w.appendPaths(c.Paths, v.value, Path{Guess: true, Glob: v.glob, Tree: true, Write: write, InPlace: true, FollowsLinks: !a.found.regular, Filter: a.found.filter})
	}
	for _, v := range a.found.values {
		if v.known && v.value != "" {
			c.Paths = w.appendPaths(c.Paths, v.value, Path{Guess: true, Glob: v.glob, Write: write})
		}
	}
}

// isUnlisted reports whether no table lists a program, so that it may write any file it
// is given. A path that is written counts as read, too.
func isUnlisted(name string) bool {
	if _, known := specOf(name); known || shelltable.WildcardSpecs[name] != nil || isBuiltin(name) {
		return false
	}
	_, launcher := launcherWords(name)
	_, shell := scriptRunners[name]
	return !launcher && !shell
}

// guessNames appends the file names that an argument may hold, at most two.
func guessNames(value string, names []string) []string {
	name := value
	if strings.HasPrefix(value, "-") || strings.Contains(value, "=") {
		_, name, _ = strings.Cut(value, "=")
	}
	names = guessName(name, names)
	if len(value) > 2 && value[0] == '-' && value[1] != '-' && strings.ContainsAny(value[2:], "./@~_") {
		names = guessName(value[2:], names)
	}
	return names
}

// guessName appends the file name that a part of an argument may hold.
func guessName(name string, names []string) []string {
	name = strings.TrimPrefix(name, "@")
	if len(name) > len("file:") && strings.EqualFold(name[:len("file:")], "file:") {
		name = name[len("file:"):]
		if rest, ok := strings.CutPrefix(name, "//"); ok {
			name = strings.TrimPrefix(rest, "localhost")
		}
	}
	if name == "" || strings.ContainsAny(name, "\n\x00") || strings.Contains(name, "://") {
		return names
	}
	return append(names, name)
}

// writesInPlace reports whether an option may make a program write the files it is
// given.
func writesInPlace(args []arg) bool {
	for i, a := range args {
		v := a.value
		if !a.known || v == "" || v[0] != '-' && v[0] != '+' {
			continue
		}
		name, _, _ := strings.Cut(v, "=")
		switch {
		case has("-it -ti", v):
		case has("-w --write --fix --fix-all --in-place --inplace --overwrite", name):
			return true
		case strings.HasPrefix(v, "-i"), strings.HasPrefix(v, "-pi"), strings.HasPrefix(v, "-ni"), strings.HasPrefix(v, "-lpi"):
			return true
		case v == "-c" && i+1 < len(args) && strings.HasPrefix(strings.TrimLeft(args[i+1].value, ":"), "w"),
			strings.HasPrefix(v, "+w"), strings.HasPrefix(v, "-cw"):
			return true
		}
	}
	return false
}

// addRemovalReason sets the reason why a person must be asked about a removal.
func (w *walker) addRemovalReason(c *Command, args []arg, files []file) {
	if len(args) == 0 || len(files) == 0 || !isRemoval(programName(args[0].value)) {
		return
	}
	files = w.withPossibleValues(slices.Clip(files))
	dirs := w.place.dirs
	if len(dirs) == 0 {
		dirs = []string{""}
	}
	for _, dir := range dirs {
		if c.AskReason == "" {
			c.AskReason = removalReason(programName(args[0].value), files, dir, w.homeDir())
		}
	}
}

// removalReason returns why a person must be asked about a removal, whatever rules
// allow it, or an empty string. name is the command, files are those that effectOf
// found, dir is the absolute directory in which it runs and home the home directory;
// both are empty if they are not known. A walker calls it for each directory the
// command may run in.
//
// It looks at the text only, not at the file system.
func removalReason(name string, files []file, dir, home string) string {
	if !isRemoval(name) {
		return ""
	}
	for _, f := range files {
		if f.write {
			if what := criticalFile(f.arg, dir, home); what != "" {
				return name + " would remove " + what
			}
		}
	}
	return ""
}

// isRemoval reports whether a command does nothing but remove files.
func isRemoval(name string) bool { return name == "rm" || name == "rmdir" }

// mayNameRoot matches a word that names the root, or all that is in it, if the
// parameter or substitution at its start is empty: "$D"/*, ${D}/, $(x)/.
var mayNameRoot = regexp.MustCompile("^(\\$[A-Za-z_0-9@*?#!$-][A-Za-z_0-9]*|\\$\\{[^}]*\\}|\\$\\(.*\\)|`[^`]*`)+/[*?./{},]*$")

// ownDirectory matches a word that names the shell's current or previous directory, its
// content, or a directory above it.
var ownDirectory = regexp.MustCompile("^(\\$(OLD)?PWD|\\$\\{(OLD)?PWD[^}]*\\}|~[+-]|\\$\\( *pwd( -[LP])? *\\)|` *pwd( -[LP])? *`)(/+[*.?]*)*$")

// userHome matches a word that names the home directory of a user, or its content.
var userHome = regexp.MustCompile(`^~[A-Za-z_][^/]*(/+[*.?]*)*$`)

// processDir matches a file below the root directory or the working directory of a
// process.
var processDir = regexp.MustCompile(`^/+proc/+[^/]+/+(?:\.?/+)*(?:task/+[^/]+/+)?(root|cwd)(/.*)?$`)

// windowsDrive matches a drive of Windows, or a file directly in one.
var windowsDrive = regexp.MustCompile(`^[A-Za-z]:([/\\]+[^/\\]*)?[/\\]*$`)

// withPossibleValues adds to the files of a removal the values that unknown ones may
// have.
func (w *walker) withPossibleValues(files []file) []file {
	given := len(files)
	for _, f := range files[:given:given] {
		if !f.write || f.known || len(files)-given > maxPossibleValues {
			continue
		}
		for _, a := range w.possibleValues(f.arg) {
			files = append(files, file{arg: a, write: true})
		}
	}
	return files
}

// criticalSource is criticalFile for a word whose value is not known.
func criticalSource(source string) string {
	word := strings.ReplaceAll(source, `"`, "")
	switch {
	case ownDirectory.MatchString(word):
		return source + ", a directory that the line is in, or was"
	case mayNameRoot.MatchString(word):
		return "everything, if " + source + " begins with nothing"
	case userHome.MatchString(word):
		return source + ", which is a home directory"
	}
	return ""
}

// withoutProcessDirs returns a name with the root and working directories of processes
// replaced by the directories they stand for.
func withoutProcessDirs(name, dir string) string {
	for {
		parts := processDir.FindStringSubmatch(name)
		switch {
		case parts == nil:
			return name
		case parts[1] == "root":
			name = "/" + parts[2]
		case dir == "" || processDir.MatchString(dir): // dir stands for no other directory
			return name
		default:
			name = dir + parts[2]
		}
	}
}

func criticalFile(a arg, dir, home string) string {
	if !a.known {
		return criticalSource(a.source)
	}
	if windowsDrive.MatchString(a.value) {
		return "a drive, or a directory directly in it"
	}
	name := a.value
	if !strings.HasPrefix(name, "/") {
		if dir == "" || name == "" {
			return ""
		}
		name = dir + "/" + name
	}
	name = path.Clean(withoutProcessDirs(path.Clean(withoutProcessDirs(name, dir)), dir))
	if a.glob && strings.Trim(path.Base(name), "*?.[]!^") == "" {
		name = path.Dir(name) // all files of the directory
	}
	switch {
	case name == "/":
		return "the root of the file system"
	case path.Dir(name) == "/":
		return name + ", which lies directly in the root of the file system"
	case home != "" && contains(name, path.Clean(home)):
		return "the home directory"
	case dir != "" && contains(name, path.Clean(dir)):
		return "the working directory"
	}
	return ""
}

// contains reports whether dir, which may be a pattern, is other or a directory above
// it.
func contains(dir, other string) bool {
	for {
		if ok, err := path.Match(dir, other); dir == other || ok && err == nil {
			return true
		}
		if other == path.Dir(other) {
			return false
		}
		other = path.Dir(other)
	}
}
