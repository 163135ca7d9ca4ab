package shellparse

import (
	"slices"
	"strings"
)

// The limits of the inspection of one command.
const (
	maxNested       = 400 // nested texts
	maxCommandWords = 12  // words at which a nested command may begin
)

// inspectNested adds to a command the texts, files and hosts that deny rules look at:
// its own, and those of the commands that it runs. depth is the number of commands that
// run each other.
func (w *walker) inspectNested(c *Command, args []arg, depth int) {
	if depth > 0 && len(args) > 0 && (!args[0].isLiteral() || args[0].isPlaceholder()) {
		w.markUnknown("the name of a command is computed")
	}
	w.inspectOnce(c, args, depth, false, func() {
		w.inspectWords(c, args, depth)
		w.inspectSuffixes(c, args, depth)
	})
}

// inspectSuffixes adds what the later words of a command do if they may begin another.
func (w *walker) inspectSuffixes(c *Command, args []arg, depth int) {
	if !args[0].known {
		return
	}
	name := programName(args[0].value)
	if isBuiltin(name) || !mayStartAny(name) {
		if last := args[len(args)-1]; depth > 0 && last.found != nil && effectOf(name, args[1:]).class == Unknown {
			w.addFoundGuesses(c, last, false)
		}
		return
	}
	c.addSuffixes(args)
	if depth > 0 && effectOf(name, args[1:]).class == Unknown {
		w.addGuesses(c, args)
	}
}

// inspectCandidate is inspectNested for words that may be a command or something else,
// such as the value of an option.
func (w *walker) inspectCandidate(c *Command, args []arg, depth int) {
	w.inspectOnce(c, args, depth, true, func() { w.inspectWords(c, args, depth) })
}

// inspectWords adds what the words of a possible command do.
func (w *walker) inspectWords(c *Command, args []arg, depth int) {
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
	w.inspectCopied(c, name, args[1:])
	at := w.place
	w.place = w.placeAfterOptions(name, args[1:])
	w.addEntered(c, name, at)
	w.inspectLists(c, name, args[1:])
	w.inspectStarted(c, name, args[1:], depth)
	w.place = at
}

// inspectStarted inspects the commands that a program starts.
func (w *walker) inspectStarted(c *Command, name string, args []arg, depth int) {
	if name == "xargs" || name == "parallel" {
		args = w.namePlaceholders(name, args)
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
		case subcommands != nil && i < maxCommandWords:
			if between, ok := subcommands[a.value]; ok {
				w.inspectLaunched(c, name, args[i+1:], between, depth)
			}
		}
	}
	if certain, ok := scriptRunners[name]; ok {
		for _, text := range scriptsOf(name, args) {
			w.addScript(c, text, certain)
		}
		if fillsScript(name, args) {
			w.markUnknown("the text that runs is computed")
		}
		if readsScriptFromInput(name, args) {
			w.markUnknown("a shell reads what it runs from its input or from a file that is not known")
		}
	}
	for _, o := range riskyOptions(name, args) {
		if o.runs() {
			w.addOptionCommand(c, o.value)
		}
	}
	w.inspectTexts(c, name, args, depth)
	if name == "make" || name == "gmake" {
		w.inspectMake(c, args)
	}
	for _, text := range embeddedScripts(c, name, args) {
		w.addScript(c, text, false)
	}
}

// addOptionCommand adds the command line in an option of a command.
func (w *walker) addOptionCommand(c *Command, line arg) {
	if !line.known {
		c.RunsUnseen = true
		return
	}
	w.addTexts(c, line.value)
	if strings.Contains(line.value, ",") && !strings.Contains(line.value, " ") { // as -wrapper has it
		w.addTexts(c, strings.ReplaceAll(line.value, ",", " "))
	}
}

// addNestedEffect adds the effect of a nested command. Its files become guesses.
func (w *walker) addNestedEffect(c *Command, args []arg, e effect, depth int) {
	if c.AskReason == "" {
		c.AskReason = e.askReason
	}
	removed := slices.DeleteFunc(slices.Clone(e.files), func(f file) bool { return f.isFoundTree() })
	w.addRemovalReason(c, args, removed)
	for _, f := range e.files {
		if !f.known && (f.found == nil || f.write) && (f.source == "" || strings.Contains(f.source, findPlaceholder)) {
			w.markUnknown("a program adds files that are not known")
		}
		f.mayWrite = f.mayWrite || f.write && !f.guess
		f.guess = !f.isFoundTree()
		f.tree = f.tree || f.isFoundTree()
		w.addFiles(c, []file{f})
	}
	w.addHosts(c, e.hosts)
	w.addStarted(c, e, depth)
}

// untilFindEnd returns the arguments before the one that ends a command of find.
func untilFindEnd(args []arg) []arg {
	for i, a := range args {
		if a.value == ";" || a.value == "+" {
			return args[:i]
		}
	}
	return args
}

// inspectLaunched inspects the words after a launcher that may be its command. between
// is the number of operands before the command. A word after an option may be the
// option's value or the command, so it is inspected, too.
func (w *walker) inspectLaunched(c *Command, name string, args []arg, between, depth int) {
	assigns := launchedAssignments(name, args, between)
	w.inspectVariables(c, assigns, true)
	w.addGitPlaces(c, assigns, gitPlaces{guess: true, write: true})
	option := false // the previous word is an option, whose value this word may be
	for i, a := range args {
		_, isAssignment := assignmentOf(name, a)
		switch {
		case a.known && strings.HasPrefix(a.value, "-") && len(a.value) > 1:
			option = !isCompleteOption(name, a.value)
			continue
		case isAssignment:
			if !a.known {
				w.markUnknown("what a variable is set to may be several words")
			}
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

// mayStartAny reports whether any word of a command may begin another: the program is
// not known, or may run anything.
func mayStartAny(name string) bool {
	_, known := specOf(name)
	if _, ok := versionSpecs[name]; known && !ok && name != "docker" && name != "podman" {
		return false
	}
	_, launcher := launcherWords(name)
	_, shell := scriptRunners[name]
	return !launcher && (!shell || name == "npm")
}
