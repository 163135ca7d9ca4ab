package shellparse

import (
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// callExpr walks a simple command. It returns where the shell is if the command
// succeeds and if it fails.
func (w *walker) callExpr(c *syntax.CallExpr, in place) (yes, no place) {
	assigns := w.readAssignments(c.Assigns, len(c.Args) == 0)
	if len(c.Args) == 0 {
		after := w.place
		w.addCommand(w.assignmentsOnly(assigns))
		return after, after
	}
	args := w.expandWords(c.Args)
	if len(args) == 0 {
		args = []arg{{source: w.sourceOf(c.Args[0]), anyNumber: true}}
	}
	shown := w.takeShown()
	cmd, after := w.simpleCommand(w.sourceOf(c), assigns, args, in)
	if word := expandingWord(args); word != "" {
		cmd.markExpansion(word)
	}
	if shown != "" && !onlyTestsEmptiness(args) {
		cmd.worsen(Unknown, showsVariable(shown))
		cmd.EditsOnly = false
	}
	w.addCommand(cmd)
	for _, name := range namesThatAreRead(args) {
		r := w.fed
		if slices.ContainsFunc(args, func(a arg) bool { return a.is("-d") }) { // parts of lines
			r = r.ofParts()
		}
		after = after.withRead(name, r, w.namesReadBy(assigns, args))
	}
	if after.known() {
		return after, in
	}
	return after, after
}

// simpleCommand returns a simple command with its effect, and the place of the shell if
// it succeeds. text is the text of the command in the line.
func (w *walker) simpleCommand(text string, assigns []assignment, args []arg, in place) (Command, place) {
	w.place = in
	s := stripWrappers(args)
	c := Command{Text: joinSources(text, s.args)}
	w.inspectVariables(&c, assigns, true)
	if !w.isFunctionCall(s, in) {
		e := w.effectOf(s)
		w.printed = w.printedBy(s, e)
		w.applyEffect(&c, e)
		w.addSplitNames(&c, e, s.addsArgs)
		w.addReadNames(&c, e, s.args)
		w.addRemovalReason(&c, s.args, e.files)
		w.addStarted(&c, e, 0)
		w.addGitPlaces(&c, assigns, gitPlacesOf(s.args, e))
		c.NoWildcards = c.NoWildcards || forbidsWildcard(w.withAddedArgs(s))
		w.addStarts(&c, s, e)
	}
	w.addLeadingAssignments(&c, assigns, s.args)
	if s.noWildcards || s.reason != "" {
		c.NoWildcards = c.NoWildcards || s.noWildcards
		c.worsen(s.class, s.reason)
	}
	w.inspectNested(&c, args, 0)
	if len(assigns) > 0 || s.wrapped {
		c.Nested = append(c.Nested, joinWithAssignments(assigns, args), joinArgs(args, sourceText))
	}
	if c.Class == Unknown {
		w.addGuesses(&c, args)
	}
	if c.Class != ReadOnly && !w.addFound(&c, s, assigns) {
		w.requireKnownArgs(s.args)
	}
	if len(s.args) > 0 && s.args[0].value == "unset" {
		w.functions = nil // unset removes functions, too
	}
	if len(s.args) > 0 {
		c.addMentioned(s.args[0].value, args, assigns)
	}
	if strings.Contains(text, `$"`) { // a translation may be any text, and usually is the same
		w.addScript(&c, literalArg(strings.ReplaceAll(text, `$"`, `"`)), false)
	}
	c.EditsOnly = c.EditsOnly && c.Class != Unknown
	w.addGlobs(&c, args)
	c.removeDuplicates()
	if w.captured {
		w.addOutput(w.outputOf(s, &c))
	}
	c.markAddedArgs(s)
	after := w.placeAfter(&c, s, in)
	w.recordAccess(&c, s)
	return c, after
}

// effectOf returns the effect of the command behind the wrappers.
func (w *walker) effectOf(s strippedCommand) effect {
	if len(s.args) == 0 {
		return effect{}
	}
	name := s.args[0]
	if !name.known || name.glob || name.fromBraces || (file{arg: name}).isProcessSubst() {
		w.markUnknown("the name of a command is computed")
		return unknownEffect("the name of the command is computed")
	}
	if reservedWords[name.source] {
		w.markUnknown("a keyword stands where no command can")
	}
	if strings.Contains(name.value, "/") {
		return unknownEffect("a program given by its path may be any program")
	}
	args := w.withAddedArgs(s)[1:]
	if name.value == "xargs" {
		if e, ok := w.xargsOnFound(args); ok {
			return e
		}
	}
	if b, ok := builtins[name.value]; ok {
		if s.notBuiltin && !b.isProgram {
			return unknownEffect(name.value + " is no program outside the shell")
		}
		if name.value == "wait" {
			args = w.withoutJobs(args)
		}
		e := b.effectIn(w.env.Shell, name.value, args)
		if e.changesShell {
			w.markUnknown(e.reason)
		}
		return e.effect
	}
	if s.mustBeBuiltin {
		return unknownEffect("the builtin " + name.value + " is not known")
	}
	if name.value == "git" {
		return w.gitOnObjectNames(args)
	}
	if name.value == "printenv" {
		return w.env.printenvEffect(args)
	}
	return effectOf(name.value, args)
}

// withoutJobs returns the arguments without the variables that hold the number of a job
// and nothing else.
func (w *walker) withoutJobs(args []arg) []arg {
	return slices.DeleteFunc(slices.Clone(args), func(a arg) bool {
		parts := variableWord.FindStringSubmatch(strings.ReplaceAll(a.source, `"`, ""))
		return !a.known && parts != nil && parts[3] == "" && holdsJob(w.src, parts[1]+parts[2])
	})
}

// holdsJob reports whether a line uses a variable for the number of its last job alone.
func holdsJob(line, name string) bool {
	uses := regexp.MustCompile(`\$\{?` + name + `\b|\b` + name + `="?\$!"?`)
	return strings.Contains(line, name+"=") && !regexp.MustCompile(`\b`+name+`\b`).MatchString(uses.ReplaceAllString(line, ""))
}

// applyEffect adds an effect to a command.
func (w *walker) applyEffect(c *Command, e effect) {
	c.worsen(e.class, e.reason)
	c.EditsOnly = e.editsOnly
	c.NoWildcards = e.noWildcards
	c.AskReason = e.askReason
	w.addHosts(c, e.hosts)
	if e.class == Unknown { // what else is written, and through which links, is not known
		for i := range e.files {
			e.files[i].inPlace, e.files[i].origin = false, ""
		}
	}
	w.addFiles(c, e.files)
	if e.git == nil {
		return
	}
	if len(w.place.dirs) != 1 {
		c.worsen(Unknown, "git in a directory that the line changes to")
		return
	}
	e.git.Dir = joinDir(w.place.dirs[0], e.git.Dir)
	c.Git = e.git
}

// isFunctionCall reports whether s calls a function that the line defines.
// The commands of its body are listed at the definition.
func (w *walker) isFunctionCall(s strippedCommand, in place) bool {
	if len(w.functions) == 0 || s.wrapped || len(s.args) == 0 || !s.args[0].known {
		return false
	}
	at, ok := w.functions[s.args[0].value]
	if ok && !at.equal(in) {
		w.markUnknown("a function runs in another directory than it is defined in")
	}
	return ok
}

// requireKnownArgs marks the line unknown if one of the first two arguments is not
// known: they usually decide the effect of a command.
func (w *walker) requireKnownArgs(args []arg) {
	for _, a := range args[min(1, len(args)):min(3, len(args))] {
		if !a.known {
			w.markUnknown("an argument is computed")
		}
	}
}

// addHosts adds hosts to a command and marks the line unknown if one is not a plain
// name.
func (w *walker) addHosts(c *Command, hosts []string) {
	for _, host := range hosts {
		for _, r := range host {
			if r > '~' || !strings.ContainsRune(".-_:%", r) && !isName("_"+string(r)) {
				w.markUnknown("the name of a host is not plain")
			}
		}
		c.Hosts = append(c.Hosts, host)
	}
}
