package shellparse

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// call walks a simple command.
func (w *walker) call(c *syntax.CallExpr, in place) (yes, no place) {
	assigns := w.assignments(c.Assigns)
	args := w.words(c.Args)
	if len(c.Args) == 0 {
		w.emit(w.alone(assigns))
		return in, in
	}
	if len(args) == 0 {
		args = []arg{{source: w.text(c.Args[0]), many: true}}
	}
	cmd, after := w.simple(w.text(c), assigns, args, in)
	w.emit(cmd)
	if after.known() {
		return after, in
	}
	return after, after
}

// simple is what a simple command does, and where the shell is when it worked.
// text is what stands in the line for it.
func (w *walker) simple(text string, assigns []assign, args []arg, in place) (Command, place) {
	w.at = in
	s := strip(args)
	c := Command{Text: endOf(text, s.args)}
	if !w.functionCall(&c, s, in) {
		u := w.use(s)
		w.apply(&c, u)
		w.critical(&c, s.args, u.files)
		for _, run := range u.runs {
			w.look(&c, run, 1)
		}
		c.Exact = c.Exact || beyondRoutine(s.given())
	}
	w.leading(&c, assigns, s.args)
	if s.exact || s.why != "" {
		c.Exact = c.Exact || s.exact
		c.worsen(s.class, s.why)
	}
	w.look(&c, args, 0)
	if len(assigns) > 0 || s.wrapped {
		c.Inner = append(c.Inner, joinAll(assigns, args), join(args, source))
	}
	if c.Class == Unknown {
		w.maybe(&c, args)
	}
	if c.Class != ReadOnly {
		w.computed(s.args)
	}
	if len(s.args) > 0 && s.args[0].value == "unset" {
		w.functions = nil // it removes functions, too
	}
	c.Edits = c.Edits && c.Class != Unknown
	w.patterns(&c, args)
	c.tidy()
	c.feed(s)
	after := w.move(&c, s, in)
	w.did(&c, s)
	return c, after
}

// use is what the command behind the wrappers does.
func (w *walker) use(s stripped) use {
	if len(s.args) == 0 {
		return use{}
	}
	name := s.args[0]
	if !name.known || name.glob || name.cont || (file{arg: name}).isProcess() {
		w.doubt("the name of a command is computed")
		return unknown("the name of the command is computed")
	}
	if keywords[name.source] {
		w.doubt("a keyword stands where no command can")
	}
	if strings.Contains(name.value, "/") {
		return unknown("a program given by its path may be any program")
	}
	args := s.given()[1:]
	if b, ok := builtins[name.value]; ok {
		if s.program && !b.program {
			return unknown(name.value + " is no program outside the shell")
		}
		u := b.in(w.env.Shell, name.value, args)
		if u.shell {
			w.doubt(u.why)
		}
		return u.use
	}
	if s.builtin {
		return unknown("the builtin " + name.value + " is not known")
	}
	return useOf(name.value, args)
}

// apply adds a use to a command.
func (w *walker) apply(c *Command, u use) {
	c.worsen(u.class, u.why)
	c.Edits = u.edits
	c.Exact = u.exact
	c.Caution = u.caution
	if u.doubt != "" {
		w.doubt(u.doubt)
	}
	w.hosts(c, u.hosts)
	w.files(c, u.files)
	if u.git == nil {
		return
	}
	if !w.at.is(w.env.Dir) {
		c.worsen(Unknown, "git in a directory that the line changes to")
		return
	}
	u.git.Dir = below(w.env.Dir, u.git.Dir)
	c.Git = u.git
}

// functionCall reports whether the command is a function that the line defines;
// the commands in it are listed where it is defined.
func (w *walker) functionCall(c *Command, s stripped, in place) bool {
	if len(w.functions) == 0 || s.wrapped || len(s.args) == 0 || !s.args[0].known {
		return false
	}
	at, ok := w.functions[s.args[0].value]
	if ok && !at.equal(in) {
		w.doubt("a function runs in another directory than it is defined in")
	}
	return ok
}

// computed doubts a command whose first words decide what it does and are not
// known.
func (w *walker) computed(args []arg) {
	for _, a := range args[min(1, len(args)):min(3, len(args))] {
		if !a.known {
			w.doubt("an argument is computed")
		}
	}
}

// hosts adds the hosts of a command.
func (w *walker) hosts(c *Command, hosts []string) {
	for _, host := range hosts {
		for _, r := range host {
			if r > '~' || !strings.ContainsRune(".-_:%", r) && !isName("_"+string(r)) {
				w.doubt("the name of a host is not plain")
			}
		}
		c.Hosts = append(c.Hosts, host)
	}
}
