package shellparse

import "strings"

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
