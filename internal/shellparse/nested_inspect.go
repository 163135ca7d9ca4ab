package shellparse

import (
	"slices"
	"strings"
)

// The limits of what is looked at inside one command.
const (
	maxInner  = 400 // texts
	freeInner = 24  // texts that cost nothing of what a line may hold
	maxWords  = 12  // words at which another command may begin
)

// look adds to a command what rules that deny see in it: its texts, and those of
// the commands that it runs in its turn.
func (w *walker) look(c *Command, args []arg, depth int) {
	if depth > 0 && len(args) > 0 && (!args[0].exact() || args[0].isHole()) {
		w.doubt("the name of a command is computed")
	}
	w.candidate(c, args, depth)
	if len(args) == 0 || !args[0].known {
		return
	}
	name := program(args[0].value)
	if isBuiltin(name) || !anything(name) {
		return
	}
	c.suffixes(args)
	if depth > 0 && useOf(name, args[1:]).class == Unknown {
		w.maybe(c, args)
	}
}

// candidate is look at what may be a command or something else, such as the
// value of an option.
func (w *walker) candidate(c *Command, args []arg, depth int) {
	if len(args) == 0 {
		return
	}
	if depth > maxScripts || len(c.Inner) > maxInner || depth > 0 && !w.afford(c, args) {
		w.doubt("commands run commands too deeply")
		return
	}
	if depth > 0 {
		c.Inner = append(c.Inner, endOf(c.Text, args))
	}
	name := program(args[0].value)
	c.spellings(args, name)
	if !args[0].known {
		return
	}
	if depth > 0 || name != args[0].value {
		w.inside(c, args, useOf(name, args[1:]), depth)
	}
	at := w.at
	w.at = w.sent(name, args[1:])
	w.starts(c, name, args[1:], depth)
	w.at = at
}

// afford pays for a look at words. The first looks of a command are free.
func (w *walker) afford(c *Command, args []arg) bool {
	if len(c.Inner) < freeInner {
		return true
	}
	price := 1 + len(args)/8
	if w.desk.left <= price {
		return false // what is left is for the commands of the line
	}
	w.desk.left -= price
	return true
}

// starts looks at the commands that a program starts.
func (w *walker) starts(c *Command, name string, args []arg, depth int) {
	if name == "xargs" || name == "parallel" {
		args = append(markHoles(name, args), fed)
	}
	if depth > 0 && steered(name, args) {
		w.doubt("what " + name + " is to do is computed")
	}
	if name == "command" && len(args) > 0 && args[0].is("-v", "-V") {
		return
	}
	if between, ok := launches(name); ok {
		w.launched(c, name, args, between, depth)
	}
	finds, subcommands := finds(name), sublaunchers[name]
	for i, a := range args {
		switch {
		case !a.known:
		case finds && has("-exec -execdir -ok -okdir -x -X --exec --exec-batch", a.value):
			run := untilEnd(args[i+1:])
			if strings.HasPrefix(name, "fd") {
				run = append(run[:len(run):len(run)], fed)
			}
			w.look(c, run, depth+1)
		case subcommands != nil && i < maxWords && (name != "git" || gitRuns(args)):
			if between, ok := subcommands[a.value]; ok {
				w.launched(c, name, args[i+1:], between, depth)
			}
		}
	}
	if ours, ok := shells[name]; ok {
		for _, text := range scriptsOf(name, args) {
			w.script(c, text, ours)
		}
		if fillsScript(name, args) {
			w.doubt("the text that runs is computed")
		}
		if readsInput(name, args) {
			w.doubt("a shell reads what it runs from its input or from a file that is not known")
		}
	}
	for _, text := range hiddenScripts(name, args) {
		w.script(c, text, false)
	}
}

// inside adds what a command does that another one runs.
func (w *walker) inside(c *Command, args []arg, u use, depth int) {
	if c.Caution == "" {
		c.Caution = u.caution
	}
	if u.doubt != "" {
		w.doubt(u.doubt)
	}
	removed := slices.DeleteFunc(slices.Clone(u.files), func(f file) bool { return f.stands() })
	w.critical(c, args, removed)
	for _, f := range u.files {
		if !f.known && (f.source == "" || strings.Contains(f.source, found)) {
			w.doubt("a program adds files that are not known")
		}
		f.maybe = !f.stands()
		f.tree = f.tree || f.stands()
		w.files(c, []file{f})
	}
	w.hosts(c, u.hosts)
	for _, run := range u.runs {
		w.look(c, run, depth+1)
	}
}

// untilEnd are the arguments before the one that ends a command of find.
func untilEnd(args []arg) []arg {
	for i, a := range args {
		if a.value == ";" || a.value == "+" {
			return args[:i]
		}
	}
	return args
}

// launched looks at what may be the command of a launcher. A word after an
// option may be its value or the command: both are looked at.
func (w *walker) launched(c *Command, name string, args []arg, between, depth int) {
	option := false // the word before is one, and this one may be its value
	for i, a := range args {
		switch {
		case a.known && strings.HasPrefix(a.value, "-") && len(a.value) > 1:
			option = !complete(name, a.value)
			continue
		case a.known && isName(strings.SplitN(a.value, "=", 2)[0]) && strings.Contains(a.value, "="):
			continue
		case a.isFed():
			if name != "xargs" || i < len(args)-1 { // without a command xargs runs echo
				w.doubt("the name of a command is computed")
			}
			return
		}
		if option || between > 0 {
			w.candidate(c, args[i:], depth+1)
		} else {
			w.look(c, args[i:], depth+1)
		}
		if !option {
			if between == 0 {
				if !a.known || a.isHole() {
					w.doubt("the name of a command is computed")
				}
				return
			}
			between--
		}
		option = false
	}
}

// anything reports whether any word of a command may begin another: nobody knows
// what the program does, or it is known to do anything.
func anything(name string) bool {
	_, known := lookup(name)
	if _, ok := versions[name]; known && !ok && name != "docker" && name != "podman" {
		return false
	}
	_, launcher := launches(name)
	_, shell := shells[name]
	return !launcher && (!shell || name == "npm")
}
