package shellparse

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/seed49eaa51d/pegboard/internal/shelltable"
)

// A setVariable is a variable that the line sets itself, so that it holds nothing of the
// environment. What the line sets it to was looked at there.
type setVariable struct {
	name   string
	values []arg       // all values that it may have; empty if that is not known
	found  *foundNames // the names that a loop reads into it; nil if it holds anything else
	object bool        // it holds the name of an object of git, or nothing
	reach  reach       // of its value
	dirs   []string    // where it was set
}

// maxVariables is how many variables of a line are followed. Of others it is not known what
// they hold.
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

// variable returns what the line has set a variable to, if it sets it in one place only.
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

// remembered returns what a function says of a name, whose no is the cautious answer. It calls
// the function once for a name, and for no more than maxVariables: a line may use a variable
// often, and each call looks at the whole line.
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
// harmlessVariables: what every machine has, directories, names of programs, and what the
// shell itself says. Source: environ(7), the XDG base directory specification, and the
// manual of bash 5.2, shell variables.
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
// text does not tell what the command is given.
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
