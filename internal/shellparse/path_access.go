package shellparse

import (
	"path"
	"strings"
)

// A deed is what one command or redirection does to files.
type deed struct {
	command int // its place among the commands, or byRedirect
	paths   []Path
	writes  bool // it changes something, or may
	links   bool // what it writes may be a link, or lie elsewhere than before
	inside  bool // it writes in directories, and leaves these themselves
	git     bool
}

// byRedirect stands for a command in the deed of a redirection.
const byRedirect = -1

// did notes what a command does. The command is the next to be listed.
func (w *walker) did(c *Command, s stripped) {
	d := deed{command: len(w.line.Commands), paths: c.Paths, writes: c.Class != ReadOnly, links: mayLink(s.args)}
	if len(s.args) > 0 {
		name := path.Base(s.args[0].value)
		d.git = name == "git" && s.args[0].value == name
		d.inside = name == "git" || name == "tar" || name == "unzip"
	}
	if d.git && d.links {
		for _, dir := range w.at.dirs {
			d.paths = append(d.paths[:len(d.paths):len(d.paths)], Path{Name: dir, Write: true, Tree: true})
		}
	}
	w.deeds = append(w.deeds, d)
}

// gitMoves are the commands of git that put files, which may be links, in the
// place of others.
const gitMoves = "am apply bisect checkout checkout-index cherry-pick clone merge mv pull read-tree rebase reset restore" +
	" revert stash submodule switch worktree"

// mayLink reports whether a command is known to make links or to move directories.
func mayLink(args []arg) bool {
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
		return len(rest) > 0 && (!rest[0].exact() || has(gitMoves, rest[0].value))
	}
	return false
}

// effects doubts what other commands of the line may have given another
// meaning: files below a link, and the repository that git is used in.
func (w *walker) effects() {
	links := linksOf(w.deeds)
	first := len(w.deeds) // the first that may change a repository
	for i := len(w.deeds) - 1; i >= 0; i-- {
		if d := w.deeds[i]; !d.git && (d.writes || written(d.paths)) {
			first = i
		}
	}
	for i, d := range w.deeds {
		for _, p := range d.paths {
			if links != nil && !p.Maybe && links.change(p, i, w.repeats || w.pipes) {
				w.doubt("what another command of the line does to a file is not known")
			}
		}
		if first < i || w.repeats && first < len(w.deeds) {
			w.distrust(d)
		}
	}
}

// distrust makes a git command unknown if something else is written besides:
// what it runs depends on the repository.
func (w *walker) distrust(d deed) {
	if d.command == byRedirect || d.command >= len(w.line.Commands) {
		return
	}
	if c := &w.line.Commands[d.command]; c.Git != nil {
		c.Git = nil
		c.worsen(Unknown, "another command of the line may change the repository")
	}
}

// written reports whether one of some files is written.
func written(paths []Path) bool {
	for _, p := range paths {
		if p.Write {
			return true
		}
	}
	return false
}

// A span is the first and the last of the deeds that do something.
type span struct{ first, last int }

// besides reports whether a deed other than one does it: before that one, or at
// any time if the deeds have no order.
func (s span) besides(deed int, unordered bool) bool {
	return s.first < deed || unordered && (s.first != deed || s.last != deed)
}

// links are the names that may be links after some deed of a line.
type links struct {
	at     map[string]span // what is written
	inside map[string]span // directories in which something is written
	above  map[string]span // the directories above what is written
}

// linksOf finds the links that deeds may make. It is nil if there are none.
func linksOf(deeds []deed) *links {
	var l *links
	for i, d := range deeds {
		if !d.links {
			continue
		}
		if l == nil {
			l = &links{map[string]span{}, map[string]span{}, map[string]span{}}
		}
		for _, p := range d.paths {
			if p.Write || p.Maybe {
				l.add(p, i, d.inside)
			}
		}
	}
	return l
}

func (l *links) add(p Path, deed int, inside bool) {
	note := func(names map[string]span, name string) {
		s, ok := names[name]
		if !ok {
			s.first = deed
		}
		s.last = deed
		names[name] = s
	}
	ways := lexical(fixed(p))
	name := ways[len(ways)-1]
	if inside {
		note(l.inside, name)
	} else {
		note(l.at, name)
	}
	for name != "/" {
		name = path.Dir(name)
		note(l.above, name)
	}
}

// change reports whether the way to a file of a deed may lead over a link that
// another one makes.
func (l *links) change(p Path, deed int, unordered bool) bool {
	in := func(names map[string]span, name string) bool {
		s, ok := names[name]
		return ok && s.besides(deed, unordered)
	}
	ways := lexical(fixed(p))
	for i, name := range ways {
		last := i == len(ways)-1
		if in(l.at, name) || in(l.inside, name) && (!last || p.Glob) || last && p.Glob && in(l.above, name) {
			return true
		}
	}
	return false
}

// fixed is the name of a file, of a pattern the directory that all files it
// stands for are below. Case does not count: some file systems ignore it.
func fixed(p Path) string {
	name := strings.ToLower(p.Name)
	if n := strings.IndexAny(name, `*?[\`); p.Glob && n >= 0 {
		name = name[:strings.LastIndexByte(name[:n], '/')+1]
	}
	return name
}

// lexical are the directories that the way to a file leads over, taking two dots
// for the directory that is named before them, and the file at the end.
func lexical(name string) []string {
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
