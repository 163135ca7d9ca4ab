package shellparse

import (
	"path"
	"slices"
	"strings"
)

// A fileAccess is what one command or redirection does to files.
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

// checkAccesses looks for commands of the line that change what other commands mean:
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
// a file: no text of the line shows what they run.
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

// makesPlainName reports whether an access makes at most one file, which is called as no
// option is.
func (a fileAccess) makesPlainName() bool {
	return a.command == redirectAccess && !slices.ContainsFunc(a.paths, func(p Path) bool { return p.Glob || strings.HasPrefix(path.Base(p.Name), "-") })
}

// mayHaveUnsafeFlags reports whether an option of a program may make it do more than read.
func mayHaveUnsafeFlags(name string) bool {
	spec, ok := specOf(name)
	return !ok || spec.hasUnsafeFlags || spec.custom != nil
}

// markGitUnknown makes a git command unknown because another command of the line may
// change the repository, which decides what git runs.
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
