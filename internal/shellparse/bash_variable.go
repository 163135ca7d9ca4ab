package shellparse

import (
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/seed49eaa51d/pegboard/internal/shelltable"
)

// A setVariable is a variable that the line sets itself, so that it holds nothing of the
// environment. Its value was looked at where the line sets it.
type setVariable struct {
	name   string
	values []arg       // all values that it may have; empty if that is not known
	found  *foundNames // the names that a loop reads into it; nil if it holds anything else
	object bool        // it holds the name of an object of git, or nothing
	reach  reach       // of its value
	dirs   []string    // where it was set
}

// maxVariables is how many variables of a line are followed. The values of others are not known.
const maxVariables = 24

// with returns the place after the shell has set a variable.
func (p place) with(name string, r reach, values ...arg) place {
	if len(p.set) < maxVariables && !p.sets(name) {
		p.set = append(p.set[:len(p.set):len(p.set)], setVariable{name: name, values: values, reach: r, dirs: p.dirs})
	}
	return p
}

// withRead returns the place after a loop has read one of some names into a variable.
func (p place) withRead(name string, r reach, found *foundNames) place {
	if p.sets(name) {
		return p
	}
	after := p.with(name, r)
	if len(after.set) > len(p.set) {
		after.set[len(after.set)-1].found = found
	}
	return after
}

// variable returns the setting of a variable by the line, if the line sets it in one place only.
func (w *walker) variable(name string) setVariable {
	at := slices.IndexFunc(w.place.set, func(v setVariable) bool { return v.name == name })
	if at < 0 || w.env.Shell != Bash || !isScriptVariable(name) && !w.keepsVariable(name) || slices.Contains(w.frozen, name) || !w.isSetOnce(name) {
		return setVariable{}
	}
	return w.place.set[at]
}

// namesIn returns the names that a loop has read into a variable, or nil. They mean the same
// files only where they were found.
func (w *walker) namesIn(variable string) *foundNames {
	f := w.variable(variable).found
	if f == nil || !slices.Equal(f.dirs, w.place.dirs) {
		return nil
	}
	return f
}

// isSetOnce reports whether only one part of the line sets a variable.
func (w *walker) isSetOnce(name string) bool {
	return remembered(&w.setOnce, name, w.countsOneSetting)
}

// remembered returns find(name), or false, the cautious answer. It calls find once for a name,
// and for no more than maxVariables names: a line may use a variable often, and each call looks
// at the whole line.
func remembered(known *map[string]bool, name string, find func(string) bool) bool {
	is, ok := (*known)[name]
	if !ok && len(*known) < maxVariables {
		if *known == nil {
			*known = map[string]bool{}
		}
		is = find(name)
		(*known)[name] = is
	}
	return is
}

// countsOneSetting is isSetOnce without its memory.
func (w *walker) countsOneSetting(name string) bool {
	if w.file == nil {
		return false
	}
	times := 0
	syntax.Walk(w.file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			if n.Name != nil && n.Name.Value == name {
				times++
			}
		case *syntax.WordIter:
			if n.Name.Value == name {
				times++
			}
		case *syntax.CallExpr:
			if w.mayRead(n, name) {
				times++
			}
		}
		return true
	})
	return times == 1
}

// mayRead reports whether a command may be a read that sets a variable. Its name may be
// computed.
func (w *walker) mayRead(c *syntax.CallExpr, name string) bool {
	isRead, sets, computed := false, false, true
	for _, word := range c.Args {
		source := w.sourceOf(word)
		plain := quotesAndDollarsRemover.Replace(source)
		isRead = isRead || plain == "read" || computed && plain != "[" && strings.ContainsAny(source, "$`{*?[")
		computed = computed && (has("command builtin", plain) || strings.HasPrefix(plain, "-"))
		sets = sets || plain == name || strings.ContainsAny(source, "\"'\\$`{*?[")
	}
	return isRead && sets
}

var quotesAndDollarsRemover = strings.NewReplacer(`"`, "", "'", "", `\`, "", "$", "")

// sets reports whether the line has surely set a variable.
func (p place) sets(name string) bool {
	return slices.ContainsFunc(p.set, func(v setVariable) bool { return v.name == name })
}

// placeAfterAssignment returns the place after an assignment. An assignment whose value
// cannot be calculated sets nothing, and the shell goes on.
func (w *walker) placeAfterAssignment(in place, a *syntax.Assign, out assignment) place {
	if a.Name == nil || a.Index != nil || a.Append || strings.Contains(out.source, "$((") || strings.Contains(out.source, "$[") {
		return in
	}
	if v := out.value; a.Array == nil && v.known && !v.glob && !strings.HasPrefix(v.source, "{") {
		return in.with(out.name, v.holds(), v)
	}
	r := anywhere
	if a.Array == nil {
		r = out.value.holds()
	}
	after := in.with(out.name, r)
	if a.Array == nil && out.value.withID == objectName && len(after.set) > len(in.set) {
		after.set[len(after.set)-1].object = true
	}
	return after
}

// placeAfterDeclaration is placeAfterAssignment for declare and its relatives. A name
// without a value keeps the value that it has, and may keep it for good.
func (w *walker) placeAfterDeclaration(in place, variant string, a *syntax.Assign, out assignment) place {
	switch {
	case variant == "local":
		if w.functionDepth == 0 || a.Naked {
			return in
		}
	case a.Naked:
		if a.Name != nil && variant != "export" {
			w.frozen = append(w.frozen, a.Name.Value)
		}
		return in
	}
	return w.placeAfterAssignment(in, a, out)
}

// commonVariables returns the variables in both lists.
func commonVariables(a, b []setVariable) []setVariable {
	switch {
	case len(a) == 0 || len(b) == 0:
		return nil
	case len(a) == len(b) && &a[0] == &b[0]:
		return a
	}
	var both []setVariable
	for _, v := range a {
		if at := slices.IndexFunc(b, func(o setVariable) bool { return o.name == v.name }); at >= 0 {
			if !sameValues(v.values, b[at].values) || v.found != b[at].found {
				v.values, v.found = nil, nil
			}
			if !b[at].object {
				v.object = false
			}
			if v.reach = min(v.reach, b[at].reach); !slices.Equal(v.dirs, b[at].dirs) {
				v.reach = v.reach.ofParts()
			}
			both = append(both, v)
		}
	}
	return both
}

func sameValues(a, b []arg) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// publicVariables are variables whose values are not secret, in addition to
// harmlessVariables: those of every machine, directories, names of programs, and facts that
// the shell itself provides. Source: environ(7), the XDG base directory specification, and
// the manual of bash 5.2, shell variables.
var publicVariables = map[string]bool{
	"HOME": true, "LOGNAME": true, "OLDPWD": true, "PATH": true, "PWD": true, "SHELL": true, "SHLVL": true, "USER": true,
	"TMPDIR": true, "TMP": true, "TEMP": true, "DISPLAY": true, "COLORTERM": true, "EDITOR": true, "PAGER": true, "VISUAL": true,
	"HOSTNAME": true, "HOSTTYPE": true, "MACHTYPE": true, "OSTYPE": true, "UID": true, "EUID": true, "PPID": true, "GROUPS": true,
	"XDG_CONFIG_HOME": true, "XDG_CACHE_HOME": true, "XDG_DATA_HOME": true, "XDG_STATE_HOME": true, "XDG_RUNTIME_DIR": true,
	"GOPATH": true, "GOROOT": true, "GOBIN": true, "GOCACHE": true, "GOMODCACHE": true, "JAVA_HOME": true, "CARGO_HOME": true, "RUSTUP_HOME": true,
	"NVM_DIR": true, "PYENV_ROOT": true, "VIRTUAL_ENV": true, "CONDA_PREFIX": true, "CONDA_DEFAULT_ENV": true, "PYTHONPATH": true,
	"RANDOM": true, "SRANDOM": true, "SECONDS": true, "EPOCHSECONDS": true, "EPOCHREALTIME": true, "LINENO": true, "IFS": true,
	"BASH": true, "BASHPID": true, "BASH_VERSION": true, "BASH_VERSINFO": true, "BASH_LINENO": true, "BASH_SOURCE": true,
	"BASH_SUBSHELL": true, "ZSH_VERSION": true, "PIPESTATUS": true, "FUNCNAME": true, "OPTIND": true, "OPTARG": true,
}

// isPublic reports whether the value of a variable is not secret, wherever it comes from.
func (e *Env) isPublic(name string) bool {
	return publicVariables[name] || harmlessVariables[name] || e.IsPublic != nil && e.IsPublic(name)
}

// noteVariable notes that a word holds the value of a variable, which is shown if the
// line did not set it: the environment of a program often holds secrets. $1, $? and the
// like are no variables.
func (w *walker) noteVariable(name string) {
	if w.shown == "" && w.mayBeSecret(name) {
		w.shown = name
	}
}

// mayBeSecret reports whether a variable may hold a secret of the environment.
func (w *walker) mayBeSecret(name string) bool {
	return isName(name) && name != "_" && !w.env.isPublic(name) && (!w.place.sets(name) || slices.Contains(w.frozen, name))
}

// takeShown returns the variable that was noted, and forgets it.
func (w *walker) takeShown() string {
	name := w.shown
	w.shown = ""
	return name
}

// askForShown makes the commands from an index on unknown if the words of the statement
// around them show a variable.
func (w *walker) askForShown(first int) {
	if w.shown == "" || first >= len(w.line.Commands) {
		return
	}
	reason := showsVariable(w.takeShown())
	for i := first; i < len(w.line.Commands); i++ {
		c := &w.line.Commands[i]
		c.blur()
		c.worsen(Unknown, reason)
		c.EditsOnly = false
	}
}

// blur changes the text of a command that only reads, so that no exact rule is about it: the
// text does not show the values that the command is given.
func (c *Command) blur() {
	if c.Class == ReadOnly {
		c.Nested = append(c.Nested, c.Text)
		c.Text += shelltable.AddedArgsMark
	}
}

func showsVariable(name string) string {
	return "it is given the variable " + name + " of the environment, which may hold a secret"
}

// onlyTestsEmptiness reports whether a command only says whether a word is empty.
func onlyTestsEmptiness(args []arg) bool {
	if len(args) > 0 && args[0].is("[") {
		args = args[:len(args)-1]
	}
	return len(args) == 3 && args[0].is("[", "test") && args[1].is("-n", "-z")
}

// namesThatAreRead returns the variables that a command surely sets if it runs.
func namesThatAreRead(args []arg) (names []string) {
	if len(args) == 0 || !args[0].is("read") {
		return nil
	}
	for i := 1; i < len(args); i++ {
		switch a := args[i]; {
		case !a.isLiteral():
			return nil
		case a.value == "-d":
			i++
		case a.value != "" && a.value[0] != '-':
			names = append(names, a.value)
		}
	}
	if names == nil {
		names = []string{"REPLY"}
	}
	return names
}

// shellVariables are variables that the shell itself reads or sets, and those that the C
// library does. Source: the manual of bash 5.2, shell variables, and environ(7).
var shellVariables = wordSet("AUTOCWD CDPATH CHILD_MAX COLUMNS COPROC DIRSTACK EMACS ENV EUID EXECIGNORE FCEDIT FIGNORE FUNCNAME FUNCNEST" +
	" GCONV_PATH GROUPS HOME HOSTALIASES HOSTFILE HOSTNAME HOSTTYPE IFS IGNOREEOF INPUTRC INSIDE_EMACS LANG LANGUAGE LINENO LINES LOCALDOMAIN" +
	" LOCPATH MACHTYPE MAPFILE NLSPATH OLDPWD OSTYPE PATH PIPESTATUS POSIXLY_CORRECT PPID PROMPT_COMMAND PROMPT_DIRTRIM PWD RANDOM" +
	" REPLY RES_OPTIONS SECONDS SHELL SHELLOPTS SHLVL SRANDOM TERM TERMCAP TERMINFO TIMEFORMAT TMOUT TMPDIR TZ TZDIR UID USER")

// shellVariablePrefixes are how the names of families of such variables begin.
const shellVariablePrefixes = "_ BASH COMP DYLD_ EPOCH GLOB HIST LC_ LD_ MAIL MALLOC_ OPT PS READLINE_ TEXTDOMAIN"

// isShellVariable reports whether a variable may mean something to the shell.
func isShellVariable(name string) bool {
	if shellVariables[name] || name == "auto_resume" || name == "histchars" {
		return true
	}
	for prefix := range strings.FieldsSeq(shellVariablePrefixes) {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// loopVariable is the index of a variable that a loop sets.
const loopVariable = -1

// keepsVariable reports whether a variable with a name such as DIR stays in the shell that
// sets it: the environment does not hold it, so that no program sees it, and it means
// nothing to the shell. A line that exports such variables does more than read, which
// checkKeptVariables looks at.
func (w *walker) keepsVariable(name string) bool {
	return w.env.Shell == Bash && w.scriptDepth == 0 && isName(name) && !isScriptVariable(name) && !isShellVariable(name) &&
		variableKindOf(name) == variableUnlisted && w.env.IsExported != nil && !w.env.IsExported(name)
}

// checkKeptVariables makes the commands that set such variables unknown if the line does more
// than read: then the environment of its programs may hold more than IsExported says.
func (w *walker) checkKeptVariables() {
	if len(w.ownSet) == 0 || w.onlyReads() {
		return
	}
	for _, set := range w.ownSet {
		if set.index == loopVariable {
			w.markUnknown("the line sets the variable " + set.name)
			continue
		}
		if set.index < len(w.line.Commands) {
			w.line.Commands[set.index].worsen(Unknown, "the variable "+set.name+" may change what runs")
		}
		if w.envSet.name == "" || set.index < w.envSet.index {
			w.envSet = set
		}
	}
}

// onlyReads reports whether all that the line does is known, and changes nothing.
func (w *walker) onlyReads() bool {
	if w.line.Unknown != "" || anyWritten(w.line.Paths) {
		return false
	}
	for i := range w.line.Commands {
		if w.line.Commands[i].Class != ReadOnly {
			return false
		}
	}
	return true
}

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

// isForPrograms reports whether a variable means nothing to bash and its builtins. Then only the
// programs count that the line starts behind it.
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

// readAsList reports whether bash may take the value for a list in parentheses. If the
// declaration makes a list, bash expands the text of the list and runs the commands in it.
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

// bindings are the words that any part of the line assigns to its variables, by name: values
// that a variable may hold, for rules that deny. A setVariable has the value that it surely
// holds at some place. The words under the empty name are those that xargs may add to a
// command.
type bindings map[string][]arg

// maxBindings limits the words that are recorded for one variable, maxPossibleValues
// those that are tried for all variables of a command.
const (
	maxBindings       = 64
	maxPossibleValues = 1024
)

// variableWord matches a word that is a variable, optionally with a path below it.
var variableWord = regexp.MustCompile(`^\$(?:([A-Za-z_][A-Za-z_0-9]*)|\{([A-Za-z_][A-Za-z_0-9]*)(?:\[[@*]\])?\})(/.*)?$`)

// possibleValues returns the values that the line gives to a word that is not known:
// those of its variable, from an assignment or a loop, or those printed for xargs.
func (w *walker) possibleValues(a arg) []arg {
	if a.isAdded() {
		return w.bindings()[""]
	}
	parts := variableWord.FindStringSubmatch(strings.ReplaceAll(a.source, `"`, ""))
	if parts == nil {
		return nil
	}
	bound := w.bindings()[parts[1]+parts[2]]
	values := make([]arg, 0, len(bound))
	for _, v := range bound {
		v.value += parts[3]
		v.glob = v.glob || strings.ContainsAny(parts[3], "*?[")
		values = append(values, v)
	}
	return values
}

// bindings finds the words on its first call. It searches the whole line and ignores
// the order in which parts run.
func (w *walker) bindings() bindings {
	if w.bindingCache != nil || w.file == nil {
		return w.bindingCache
	}
	w.bindingCache = bindings{}
	syntax.Walk(w.file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			switch {
			case n.Name == nil || n.Naked:
			case n.Value != nil:
				w.addBinding(n.Name.Value, n.Value)
			case n.Array == nil: // NAME=
				w.bindingCache[n.Name.Value] = append(w.bindingCache[n.Name.Value], literalArg(""))
			}
			if n.Name != nil && n.Array != nil {
				for _, e := range n.Array.Elems {
					w.addBinding(n.Name.Value, e.Value)
				}
			}
		case *syntax.WordIter:
			w.addBinding(n.Name.Value, n.Items...)
		case *syntax.Redirect:
			if n.Op == syntax.WordHdoc {
				w.addBinding("", n.Word)
			}
		case *syntax.CallExpr:
			if len(n.Args) > 1 && has("echo printf", n.Args[0].Lit()) {
				w.addBinding("", n.Args[1:]...)
			}
		}
		return true
	})
	return w.bindingCache
}

// addBinding adds the words that are known. Words that hold commands are skipped, since
// expanding them would list the commands twice.
func (w *walker) addBinding(name string, words ...*syntax.Word) {
	defer func(shown string) { w.shown = shown }(w.shown)
	for _, word := range words {
		if len(w.bindingCache[name]) >= maxBindings {
			return
		}
		if word == nil || strings.ContainsAny(w.sourceOf(word), "(`") {
			continue
		}
		for _, a := range w.expandWord(nil, word) {
			if a.known {
				w.bindingCache[name] = append(w.bindingCache[name], a)
			}
		}
	}
}
