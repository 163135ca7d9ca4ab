package shellparse

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// An assign is an assignment to a variable.
type assign struct {
	name   string
	value  arg
	source string
	odd    bool // it has an index or a list, or adds to the old value
}

// harmless are the variables that only change what a program shows or how
// carefully it runs. No list is published for the design followed, this one is
// our own: nothing in it names a program, a library, a file or a server.
var harmless = map[string]bool{
	"CI": true, "CLICOLOR": true, "CLICOLOR_FORCE": true, "COLUMNS": true, "DEBUG": true,
	"FORCE_COLOR": true, "GOARCH": true, "GOMAXPROCS": true, "GOOS": true, "LANG": true,
	"LANGUAGE": true, "LC_ADDRESS": true, "LC_ALL": true, "LC_COLLATE": true, "LC_CTYPE": true,
	"LC_MEASUREMENT": true, "LC_MESSAGES": true, "LC_MONETARY": true, "LC_NUMERIC": true,
	"LC_PAPER": true, "LC_TIME": true, "LINES": true, "NODE_ENV": true, "NO_COLOR": true,
	"RUST_BACKTRACE": true, "TERM": true, "TZ": true,
}

// assignments reads assignments and walks the commands in their values.
func (w *walker) assignments(list []*syntax.Assign) []assign {
	if len(list) == 0 {
		return nil
	}
	assigns := make([]assign, 0, len(list))
	for _, a := range list {
		assigns = append(assigns, w.assignment(a))
	}
	return assigns
}

func (w *walker) assignment(a *syntax.Assign) assign {
	out := assign{source: w.text(a), odd: a.Append || a.Index != nil || a.Array != nil}
	if a.Name != nil {
		out.name = a.Name.Value
		if !isName(out.name) || !strings.HasPrefix(out.source, out.name) {
			w.doubt("a word that looks like an assignment is none")
		}
	}
	if a.Index != nil {
		w.doubt("an index is calculated")
		w.hidden(a.Index)
	}
	if a.Array != nil {
		if !strings.ContainsRune(" \t\n;&|)", w.after(a.Array)) {
			w.doubt("a word goes on behind a list")
		}
		for _, e := range a.Array.Elems {
			if e.Index != nil {
				w.doubt("an index is calculated")
				w.hidden(e.Index)
			}
			if e.Value != nil {
				w.listed(e.Value)
			}
		}
	}
	out.value = arg{known: true}
	if a.Value != nil {
		s := w.spell(a.Value.Parts)
		out.value = w.arg(s)
		out.value.source = w.text(a.Value)
		w.stored(out.value)
	}
	return out
}

// exported reports whether programs may get the variable without harm.
func (a assign) exported() bool {
	v := a.value.value
	return harmless[a.name] && !a.odd && a.value.known &&
		!strings.HasPrefix(v, "/") && !strings.HasPrefix(v, ":") && !strings.Contains(v, "..")
}

// private reports whether the variable means nothing to shells and programs.
func (a assign) private() bool { return isPrivate(a.name) || a.exported() }

// isPrivate reports whether a name is one that scripts use for themselves. Lower
// case is not enough: some names are read by programs if they are exported.
func isPrivate(name string) bool {
	return isName(name) && name == strings.ToLower(name) && name != "histchars" && name != "auto_resume" &&
		name != "_" && !strings.HasPrefix(name, "npm_") && !strings.HasSuffix(name, "_proxy")
}

// variable doubts the line if it sets a variable that may change what runs.
func (w *walker) variable(name string) {
	if !isPrivate(name) || w.env.Shell == Zsh {
		w.doubt("the line sets the variable " + name)
	}
}

// alone is the command that consists of nothing but assignments.
func (w *walker) alone(assigns []assign) Command {
	c := Command{Text: joinAll(assigns, nil)}
	for _, a := range assigns {
		if !a.private() || w.env.Shell == Zsh && !a.exported() {
			c.worsen(Unknown, "the variable "+a.name+" may change what runs")
			w.sets(a.name)
		}
	}
	w.did(&c, stripped{})
	return c
}

// leading adds to a command the assignments that stand before it. Those that
// are harmless do not show in its text.
func (w *walker) leading(c *Command, assigns []assign, args []arg) {
	for len(assigns) > 0 && (assigns[0].exported() || isRead(assigns[0], args)) {
		assigns = assigns[1:]
	}
	if len(assigns) == 0 {
		return
	}
	c.Text = joinAll(assigns, args)
	c.Exact = true
	c.worsen(Unknown, "the variable "+assigns[0].name+" may change what the command does")
}

// isRead reports whether an assignment is the IFS= before read, which says how
// lines are split and nothing else.
func isRead(a assign, args []arg) bool {
	return a.name == "IFS" && !a.odd && a.value.known && len(args) > 0 && args[0].known && args[0].value == "read"
}

// declare walks declare, export, local, readonly and typeset.
func (w *walker) declare(d *syntax.DeclClause) {
	c := Command{Text: w.text(d)}
	exported := d.Variant.Value == "export"
	var flags, assigns []assign
	for _, a := range d.Args {
		out := w.assignment(a)
		if a.Naked && a.Name == nil {
			out.source = out.value.value
			flags = append(flags, out)
			continue
		}
		assigns = append(assigns, out)
	}
	for _, f := range flags {
		switch {
		case !f.value.known:
			w.doubt("what is declared cannot be known")
		case f.source == "-x":
			exported = true
		case f.source == "-r", f.source == "-a", f.source == "-g", f.source == "-p" && len(assigns) == 0, f.source == "--":
		default:
			w.doubt("a declaration changes how variables are read")
		}
	}
	if len(assigns) == 0 {
		c.worsen(Unknown, d.Variant.Value+" shows the values of variables")
	}
	for _, a := range assigns {
		if w.env.Shell == Zsh || exported && !a.exported() || !a.private() {
			c.worsen(Unknown, "the variable "+a.name+" may change what runs")
			w.sets(a.name)
		}
	}
	w.look(&c, nil, 0)
	c.Inner = append(c.Inner, strings.Join(strings.Fields(c.Text), " "))
	c.tidy()
	w.did(&c, stripped{})
	w.emit(c)
}

// A sway is a variable that a line sets on its own, as in "PATH=./bin; ls", and that
// may change what its commands do.
type sway struct {
	name string // of the first; empty if there is none
	from int    // the number of commands that stand before it
}

// sets notes that the line sets a variable. The command that does so is the next to
// be listed.
func (w *walker) sets(name string) {
	if w.sway.name == "" {
		w.sway = sway{name, len(w.line.Commands)}
	}
}

// swayed makes the commands behind such a variable unknown: a rule that allows to
// set it must not let them run. Builtins stay what they are, but for those that go
// where a variable says.
func (w *walker) swayed() {
	if w.sway.name == "" {
		return
	}
	from := w.sway.from
	if w.repeats || w.pipes {
		from = 0
	}
	for i := from; i < len(w.line.Commands); i++ {
		c := &w.line.Commands[i]
		name, _, _ := strings.Cut(c.Text, " ")
		if !isBuiltin(name) || has("cd pushd popd", name) {
			c.Git, c.Edits = nil, false
			c.worsen(Unknown, "the line sets the variable "+w.sway.name+", which may change what the command does")
		}
	}
}
