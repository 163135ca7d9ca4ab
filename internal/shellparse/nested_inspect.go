package shellparse

import (
	"slices"
	"strings"
)

// The limits of what is looked at inside one command.
const (
	maxNested       = 400 // texts
	maxFreeNested   = 24  // texts that cost nothing of what a line may hold
	maxCommandWords = 12  // words at which another command may begin
)

// inspectNested adds to a command what rules that deny see in it: its texts, and those of
// the commands that it runs in its turn.
func (w *walker) inspectNested(c *Command, args []arg, depth int) {
	if depth > 0 && len(args) > 0 && (!args[0].isLiteral() || args[0].isPlaceholder()) {
		w.markUnknown("the name of a command is computed")
	}
	w.inspectCandidate(c, args, depth)
	if len(args) == 0 || !args[0].known {
		return
	}
	name := programName(args[0].value)
	if isBuiltin(name) || !mayStartAny(name) {
		return
	}
	c.addSuffixes(args)
	if depth > 0 && effectOf(name, args[1:]).class == Unknown {
		w.addGuesses(c, args)
	}
}

// inspectCandidate is look at what may be a command or something else, such as the
// value of an option.
func (w *walker) inspectCandidate(c *Command, args []arg, depth int) {
	if len(args) == 0 {
		return
	}
	if depth > maxScriptDepth || len(c.Nested) > maxNested || depth > 0 && !w.payFor(c, args) {
		w.markUnknown("commands run commands too deeply")
		return
	}
	if depth > 0 {
		c.Nested = append(c.Nested, joinSources(c.Text, args))
	}
	name := programName(args[0].value)
	c.addSpellings(args, name)
	if !args[0].known {
		return
	}
	if depth > 0 || name != args[0].value {
		w.addNestedEffect(c, args, effectOf(name, args[1:]), depth)
	}
	at := w.place
	w.place = w.placeAfterOptions(name, args[1:])
	w.inspectStarted(c, name, args[1:], depth)
	w.place = at
}

// payFor pays for a look at words. The first looks of a command are free.
func (w *walker) payFor(c *Command, args []arg) bool {
	if len(c.Nested) < maxFreeNested {
		return true
	}
	price := 1 + len(args)/8
	if w.state.commandsLeft <= price {
		return false // what is left is for the commands of the line
	}
	w.state.commandsLeft -= price
	return true
}

// inspectStarted looks at the commands that a program starts.
func (w *walker) inspectStarted(c *Command, name string, args []arg, depth int) {
	if name == "xargs" || name == "parallel" {
		args = append(markPlaceholders(name, args), addedArgs)
	}
	if depth > 0 && subcommandUnknown(name, args) {
		w.markUnknown("what " + name + " is to do is computed")
	}
	if name == "command" && len(args) > 0 && args[0].is("-v", "-V") {
		return
	}
	if between, ok := launcherWords(name); ok {
		w.inspectLaunched(c, name, args, between, depth)
	}
	finds, subcommands := isFindProgram(name), subcommandLaunchers[name]
	for i, a := range args {
		switch {
		case !a.known:
		case finds && has("-exec -execdir -ok -okdir -x -X --exec --exec-batch", a.value):
			run := untilFindEnd(args[i+1:])
			if strings.HasPrefix(name, "fd") {
				run = append(run[:len(run):len(run)], addedArgs)
			}
			w.inspectNested(c, run, depth+1)
		case subcommands != nil && i < maxCommandWords && (name != "git" || gitRunsCommands(args)):
			if between, ok := subcommands[a.value]; ok {
				w.inspectLaunched(c, name, args[i+1:], between, depth)
			}
		}
	}
	if ours, ok := scriptRunners[name]; ok {
		for _, text := range scriptsOf(name, args) {
			w.addScript(c, text, ours)
		}
		if fillsScript(name, args) {
			w.markUnknown("the text that runs is computed")
		}
		if readsScriptFromInput(name, args) {
			w.markUnknown("a shell reads what it runs from its input or from a file that is not known")
		}
	}
	for _, text := range embeddedScripts(name, args) {
		w.addScript(c, text, false)
	}
}

// addNestedEffect adds what a command does that another one runs.
func (w *walker) addNestedEffect(c *Command, args []arg, e effect, depth int) {
	if c.AskReason == "" {
		c.AskReason = e.askReason
	}
	if e.lineUnknown != "" {
		w.markUnknown(e.lineUnknown)
	}
	removed := slices.DeleteFunc(slices.Clone(e.files), func(f file) bool { return f.isFoundTree() })
	w.addRemovalReason(c, args, removed)
	for _, f := range e.files {
		if !f.known && (f.source == "" || strings.Contains(f.source, findPlaceholder)) {
			w.markUnknown("a program adds files that are not known")
		}
		f.guess = !f.isFoundTree()
		f.tree = f.tree || f.isFoundTree()
		w.addFiles(c, []file{f})
	}
	w.addHosts(c, e.hosts)
	for _, run := range e.runs {
		w.inspectNested(c, run, depth+1)
	}
}

// untilFindEnd are the arguments before the one that ends a command of find.
func untilFindEnd(args []arg) []arg {
	for i, a := range args {
		if a.value == ";" || a.value == "+" {
			return args[:i]
		}
	}
	return args
}

// inspectLaunched looks at what may be the command of a launcher. A word after an
// option may be its value or the command: both are looked at.
func (w *walker) inspectLaunched(c *Command, name string, args []arg, between, depth int) {
	option := false // the word before is one, and this one may be its value
	for i, a := range args {
		switch {
		case a.known && strings.HasPrefix(a.value, "-") && len(a.value) > 1:
			option = !isCompleteOption(name, a.value)
			continue
		case a.known && isName(strings.SplitN(a.value, "=", 2)[0]) && strings.Contains(a.value, "="):
			continue
		case a.isAdded():
			if name != "xargs" || i < len(args)-1 { // without a command xargs runs echo
				w.markUnknown("the name of a command is computed")
			}
			return
		}
		if option || between > 0 {
			w.inspectCandidate(c, args[i:], depth+1)
		} else {
			w.inspectNested(c, args[i:], depth+1)
		}
		if !option {
			if between == 0 {
				if !a.known || a.isPlaceholder() {
					w.markUnknown("the name of a command is computed")
				}
				return
			}
			between--
		}
		option = false
	}
}

// mayStartAny reports whether any word of a command may begin another: nobody knows
// what the program does, or it is known to do anything.
func mayStartAny(name string) bool {
	_, known := specOf(name)
	if _, ok := versionSpecs[name]; known && !ok && name != "docker" && name != "podman" {
		return false
	}
	_, launcher := launcherWords(name)
	_, shell := scriptRunners[name]
	return !launcher && (!shell || name == "npm")
}
