package shellparse

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// An assignment sets a variable.
type assignment struct {
	name     string
	value    arg
	source   string
	compound bool   // has an index or a list, or appends
	expands  string // the word of a list that may be a pattern for names anywhere
}

// harmlessVariables are variables that change only the output of a program or how
// carefully it runs. The design that this package follows publishes no list; this one
// is our own. None of them names a program, a library, a file or a server.
var harmlessVariables = map[string]bool{
	"CI": true, "CLICOLOR": true, "CLICOLOR_FORCE": true, "COLUMNS": true, "DEBUG": true,
	"FORCE_COLOR": true, "GOARCH": true, "GOMAXPROCS": true, "GOOS": true, "LANG": true,
	"LANGUAGE": true, "LC_ADDRESS": true, "LC_ALL": true, "LC_COLLATE": true, "LC_CTYPE": true,
	"LC_MEASUREMENT": true, "LC_MESSAGES": true, "LC_MONETARY": true, "LC_NUMERIC": true,
	"LC_PAPER": true, "LC_TIME": true, "LINES": true, "NODE_ENV": true, "NO_COLOR": true,
	"RUST_BACKTRACE": true, "TERM": true, "TZ": true,
}

// readAssignments reads assignments and walks the commands in their values. remain is set
// if there is no command, so that the shell keeps the variables.
func (w *walker) readAssignments(list []*syntax.Assign, remain bool) []assignment {
	if len(list) == 0 {
		return nil
	}
	assigns := make([]assignment, 0, len(list))
	for _, a := range list {
		out := w.readAssignment(a)
		if remain {
			w.place = w.placeAfterAssignment(w.place, a, out)
		}
		assigns = append(assigns, out)
	}
	return assigns
}

func (w *walker) readAssignment(a *syntax.Assign) assignment {
	out := assignment{source: w.sourceOf(a), compound: a.Append || a.Index != nil || a.Array != nil}
	if a.Name != nil {
		out.name = a.Name.Value
		if !isName(out.name) || !strings.HasPrefix(out.source, out.name) {
			w.markUnknown("a word that looks like an assignment is none")
		}
	}
	if a.Index != nil {
		w.markUnknown("an index is calculated")
		w.substitutionsIn(a.Index)
	}
	if a.Array != nil {
		if !strings.ContainsRune(" \t\n;&|)", w.byteAfter(a.Array)) {
			w.markUnknown("a word goes on behind a list")
		}
		for _, e := range a.Array.Elems {
			if e.Index != nil {
				w.markUnknown("an index is calculated")
				w.substitutionsIn(e.Index)
			}
			if e.Value != nil {
				if word := expandingWord(w.walkListWord(e.Value)); word != "" {
					out.expands = word
				}
			}
		}
	}
	out.value = arg{known: true}
	if a.Value != nil {
		m := w.markParts(a.Value.Parts)
		out.value = w.newArg(m)
		out.value.source = w.sourceOf(a.Value)
		w.addStoredGlobs(out.value)
	}
	return out
}

// harmlessInEnv reports whether programs may receive the variable without harm.
func (a assignment) harmlessInEnv() bool {
	v := a.value.value
	if has("PAGER GIT_PAGER MANPAGER GH_PAGER", a.name) && !a.compound && a.value.isLiteral() && (v == "cat" || v == "") {
		return true
	}
	return harmlessVariables[a.name] && !a.compound && a.value.known &&
		!strings.HasPrefix(v, "/") && !strings.HasPrefix(v, ":") && !strings.Contains(v, "..")
}

// isForPrograms reports whether a variable means nothing to bash and its builtins: what counts
// is the programs that the line starts behind it.
func (a assignment) isForPrograms() bool {
	return a.source != a.name && !a.compound && a.value.isLiteral() && variableKindOf(a.name) == variableUnlisted && !publicVariables[a.name] && !isShellVariable(a.name)
}

// harmlessInShell reports whether it is harmless to set the variable without exporting
// it.
func (a assignment) harmlessInShell() bool { return isScriptVariable(a.name) || a.harmlessInEnv() }

// isScriptVariable reports whether a name is one that scripts use for themselves. Lower
// case alone is not sufficient: programs read some such names if they are exported.
func isScriptVariable(name string) bool {
	return isName(name) && name == strings.ToLower(name) && name != "histchars" && name != "auto_resume" &&
		name != "_" && !strings.HasPrefix(name, "npm_") && !strings.HasSuffix(name, "_proxy")
}

// checkVariable marks the line unknown if it sets a variable that may make commands run
// other programs.
func (w *walker) checkVariable(name string) {
	switch {
	case w.keepsVariable(name):
		w.ownSet = append(w.ownSet, envAssignment{name, loopVariable})
	case !isScriptVariable(name) || w.env.Shell == Zsh:
		w.markUnknown("the line sets the variable " + name)
	}
}

// assignmentsOnly returns the command that consists of assignments only.
func (w *walker) assignmentsOnly(assigns []assignment) Command {
	c := Command{Text: joinWithAssignments(assigns, nil)}
	w.inspectVariables(&c, assigns, false)
	w.addGitPlaces(&c, assigns, gitPlaces{guess: true, write: true})
	for _, a := range assigns {
		if a.expands != "" {
			c.markExpansion(a.expands)
		}
		if w.keepsVariable(a.name) {
			w.ownSet = append(w.ownSet, envAssignment{a.name, len(w.line.Commands)})
			continue
		}
		if !a.harmlessInShell() || w.env.Shell == Zsh && !a.harmlessInEnv() {
			c.worsen(Unknown, "the variable "+a.name+" may change what runs")
			w.recordEnvAssignment(a.name)
		}
	}
	c.addMentioned("", nil, assigns)
	c.removeDuplicates()
	w.recordAccess(&c, strippedCommand{})
	return c
}

// addLeadingAssignments adds to a command the assignments before it. Harmless ones at
// the start are left out of its text.
func (w *walker) addLeadingAssignments(c *Command, assigns []assignment, args []arg) {
	for len(assigns) > 0 && (assigns[0].harmlessInEnv() || isIFSOfRead(assigns[0], args)) {
		assigns = assigns[1:]
	}
	if len(assigns) == 0 {
		return
	}
	c.Text = joinWithAssignments(assigns, args)
	c.NoWildcards, c.Starts = true, nil
	c.worsen(Unknown, "the variable "+assigns[0].name+" may change what the command does")
}

// isIFSOfRead reports whether an assignment is the IFS= before read, which only changes
// how lines are split.
func isIFSOfRead(a assignment, args []arg) bool {
	return a.name == "IFS" && !a.compound && a.value.known && len(args) > 0 && args[0].known && args[0].value == "read"
}

// declClause walks declare, export, local, readonly and typeset.
func (w *walker) declClause(d *syntax.DeclClause, in place) place {
	c := Command{Text: w.sourceOf(d)}
	w.output = anywhere
	exported := d.Variant.Value == "export"
	var flags, assigns []assignment
	for _, a := range d.Args {
		out := w.readAssignment(a)
		if a.Naked && a.Name == nil {
			out.source = out.value.value
			flags = append(flags, out)
			continue
		}
		assigns = append(assigns, out)
		in = w.placeAfterDeclaration(in, d.Variant.Value, a, out)
	}
	for _, f := range flags {
		switch {
		case !f.value.known:
			w.markUnknown("what is declared cannot be known")
		case f.source == "-x":
			exported = true
		case f.source == "-r", f.source == "-a", f.source == "-g", f.source == "-p" && len(assigns) == 0, f.source == "--":
		default:
			w.markUnknown("a declaration changes how variables are read")
		}
	}
	if exported {
		assigns := w.exportedAssignments(assigns)
		w.inspectVariables(&c, assigns, true)
		w.addGitPlaces(&c, assigns, gitPlaces{write: true})
	} else {
		w.inspectVariables(&c, assigns, false)
	}
	c.addMentioned("", nil, assigns)
	if len(assigns) == 0 {
		c.worsen(Unknown, d.Variant.Value+" shows the values of variables")
	}
	for _, a := range assigns {
		if a.readAsList() && (w.declaresList(d) || !remembered(&w.setNoList, a.name, w.makesNoList)) {
			w.markUnknown("a declaration expands the text of a list")
		}
		if a.expands != "" {
			c.markExpansion(a.expands)
		}
		if w.env.Shell == Zsh || exported && !a.harmlessInEnv() || !a.harmlessInShell() {
			if w.env.Shell == Zsh || !a.isForPrograms() {
				c.worsen(Unknown, "the variable "+a.name+" may change what runs")
			}
			w.recordEnvAssignment(a.name)
		}
	}
	w.inspectNested(&c, nil, 0)
	c.Nested = append(c.Nested, strings.Join(strings.Fields(c.Text), " "))
	c.removeDuplicates()
	w.recordAccess(&c, strippedCommand{})
	w.addCommand(c)
	return in
}

// readAsList reports whether bash takes the value for a list in parentheses, and runs and
// expands what is in it, if it declares a list.
func (a assignment) readAsList() bool {
	return !a.compound && (!a.value.known || strings.HasPrefix(a.value.value, "("))
}

// declaresList reports whether a declaration has a flag that makes lists of its variables.
func (w *walker) declaresList(d *syntax.DeclClause) bool {
	return slices.ContainsFunc(d.Args, func(a *syntax.Assign) bool {
		return a.Naked && a.Name == nil && strings.Contains(w.sourceOf(a), "a")
	})
}

// makesNoList reports whether no part of the line makes a list of a variable.
func (w *walker) makesNoList(name string) bool {
	if w.file == nil {
		return false
	}
	found := false
	syntax.Walk(w.file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			found = found || n.Name != nil && n.Name.Value == name && n.Array != nil
		case *syntax.DeclClause:
			names := slices.ContainsFunc(n.Args, func(a *syntax.Assign) bool { return a.Name != nil && a.Name.Value == name })
			found = found || names && w.declaresList(n)
		}
		return !found
	})
	return !found
}

// An envAssignment is a variable that a line sets for its later commands, as in
// "PATH=./bin; ls", and that may change their effect.
type envAssignment struct {
	name  string // of the first such variable; empty without one
	index int    // number of commands listed before it
}

// recordEnvAssignment records that the next listed command sets a variable.
func (w *walker) recordEnvAssignment(name string) {
	if w.envSet.name == "" {
		w.envSet = envAssignment{name, len(w.line.Commands)}
	}
}

// applyEnvAssignment makes the commands after such an assignment unknown: a rule that
// allows the assignment must not allow them. Builtins are not affected, except cd,
// pushd and popd, whose target a variable may change.
func (w *walker) applyEnvAssignment() {
	if w.envSet.name == "" {
		return
	}
	from := w.envSet.index
	if w.mayRepeat || w.concurrent {
		from = 0
	}
	for i := from; i < len(w.line.Commands); i++ {
		c := &w.line.Commands[i]
		name, _, _ := strings.Cut(c.Text, " ")
		if !isBuiltin(name) || has("cd pushd popd", name) {
			c.Git, c.EditsOnly = nil, false
			c.worsen(Unknown, "the line sets the variable "+w.envSet.name+", which may change what the command does")
		}
	}
}
