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
		if words := w.withAddedArgs(s); forbidsWildcard(words) {
			c.NoWildcards, c.Exceeds = true, exceedingArg(words)
		}
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
	if e.class == Unknown { // other files may be written, and through any links
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

// A builtin is a command of the shell itself.
type builtin struct {
	effect    func(args []arg) builtinEffect
	isProgram bool // a program of the same name does the same
}

// effectIn returns the effect of a builtin in a shell. Zsh evaluates some arguments as
// expressions that bash reads as plain numbers, and an expression may run commands.
func (b builtin) effectIn(shell Shell, name string, args []arg) builtinEffect {
	e := b.effect(args)
	if shell == Zsh && !e.changesShell && zshCalculates(name, args) {
		return builtinEffect{unknownEffect("zsh may calculate an argument of " + name), true}
	}
	return e
}

// A builtinEffect is the effect of a builtin with given arguments.
type builtinEffect struct {
	effect
	changesShell bool // it changes the meaning of later commands
}

// builtins are the builtins of bash 5.2 as its manual describes them. A command that is
// neither here nor in commandSpecs is unknown.
var builtins = map[string]builtin{
	":":        {noEffect, false},
	"true":     {noEffect, true},
	"false":    {noEffect, true},
	"echo":     {noEffect, true},
	"pwd":      {noEffect, true},
	"exit":     {noEffect, false},
	"return":   {noEffect, false},
	"break":    {noEffect, false},
	"continue": {noEffect, false},
	"times":    {noEffect, false},
	"type":     {noEffect, false},
	"command":  {commandEffect, false},
	"builtin":  {alwaysUnknownEffect, false},
	"test":     {testEffect, true},
	"[":        {bracketEffect, true},
	"printf":   {printfEffect, true},
	"cd":       {cdEffect, false},
	"pushd":    {cdEffect, false},
	"popd":     {noArgumentsEffect, false},
	"dirs":     {noArgumentsEffect, false},
	"umask":    {noArgumentsEffect, false},
	"hash":     {hashEffect, false},
	"shift":    {numbersEffect, false},
	"wait":     {waitEffect, false},
	"jobs":     {jobsEffect, false},
	"read":     {readEffect, false},
	"set":      {setEffect, false},
	"unset":    {unsetEffect, false},
	"exec":     {alwaysUnknownEffect, false},
	"eval":     {evalEffect, false},
	"trap":     {evalEffect, false},
	"source":   {sourceEffect, false},
	".":        {sourceEffect, false},
	"alias":    {shellStateEffect, false},
	"unalias":  {shellStateEffect, false},
	"enable":   {shellStateEffect, false},
	"shopt":    {shellStateEffect, false},
	"bind":     {shellStateEffect, false},
	"complete": {shellStateEffect, false},
	"compgen":  {shellStateEffect, false},
	"compopt":  {shellStateEffect, false},
	"mapfile":  {shellStateEffect, false}, "readarray": {shellStateEffect, false},
	"getopts": {shellStateEffect, false}, "let": {shellStateEffect, false},
	"declare": {shellStateEffect, false}, "typeset": {shellStateEffect, false},
	"export": {shellStateEffect, false}, "readonly": {shellStateEffect, false}, "local": {shellStateEffect, false},
	"ulimit":  {ulimitEffect, false},
	"history": {historyEffect, false}, "fc": {alwaysUnknownEffect, false},
	"setopt": {shellStateEffect, false}, "unsetopt": {shellStateEffect, false}, "emulate": {shellStateEffect, false},
	"zmodload": {shellStateEffect, false}, "autoload": {shellStateEffect, false}, "noglob": {shellStateEffect, false},
	"nocorrect": {shellStateEffect, false}, "repeat": {shellStateEffect, false}, "-": {shellStateEffect, false},
}

// isBuiltin reports whether name is that of a builtin.
func isBuiltin(name string) bool {
	_, ok := builtins[name]
	return ok
}

// IsBuiltin reports whether a shell runs a command of that name itself, so that it looks for
// no program.
func IsBuiltin(name string) bool { return isBuiltin(name) }

func unknownBuiltin(reason string) builtinEffect { return builtinEffect{effect: unknownEffect(reason)} }

// noEffect is for builtins that change nothing, whatever their arguments.
func noEffect([]arg) builtinEffect { return builtinEffect{} }

func noArgumentsEffect(args []arg) builtinEffect {
	if len(args) > 0 {
		return unknownBuiltin("the builtin has arguments that are not known")
	}
	return builtinEffect{}
}

// historyEffect is for history without arguments. It lists nothing, since a shell that is not
// interactive remembers no lines.
func historyEffect(args []arg) builtinEffect {
	if len(args) > 0 {
		return alwaysUnknownEffect(args)
	}
	return builtinEffect{}
}

// ulimitEffect is for ulimit that shows limits.
func ulimitEffect(args []arg) builtinEffect {
	for _, a := range args {
		if !a.isLiteral() || len(a.value) < 2 || a.value[0] != '-' || strings.Trim(a.value[1:], "aSHbcdefiklmnpqrstuvxPRT") != "" {
			return unknownBuiltin("ulimit changes limits")
		}
	}
	return builtinEffect{}
}

func alwaysUnknownEffect([]arg) builtinEffect {
	return unknownBuiltin("the builtin may run or change anything")
}

func shellStateEffect([]arg) builtinEffect {
	return builtinEffect{unknownEffect("a builtin changes what later commands mean"), true}
}

func hashEffect(args []arg) builtinEffect {
	if len(args) == 0 {
		return builtinEffect{}
	}
	return shellStateEffect(args)
}

// commandEffect is for command -v. Without -v, command is a wrapper.
func commandEffect(args []arg) builtinEffect {
	if len(args) > 0 && args[0].known && (args[0].value == "-v" || args[0].value == "-V") {
		return builtinEffect{}
	}
	if len(args) == 0 {
		return builtinEffect{}
	}
	return unknownBuiltin("an option of command is not known")
}

// numbersEffect accepts counts and job numbers, which bash does not evaluate as
// expressions.
func numbersEffect(args []arg) builtinEffect {
	for _, a := range args {
		if !a.known || strings.Trim(a.value, "%0123456789") != "" {
			return unknownBuiltin("an argument is no plain number")
		}
	}
	return builtinEffect{}
}

// waitEffect is for wait. With -p it sets a variable, whose index bash evaluates.
func waitEffect(args []arg) builtinEffect {
	e := numbersEffect(args)
	for _, a := range args {
		e.changesShell = e.changesShell || !isJob(a) && (!a.known || strings.Trim(a.value, "%0123456789") != "" && !has("-n -f", a.value))
	}
	return e
}

// isJob reports whether an argument is the number of the last job.
func isJob(a arg) bool { return a.source == "$!" || a.source == `"$!"` }

func jobsEffect(args []arg) builtinEffect {
	for _, a := range args {
		if !a.known || !has("-l -p -n -r -s", a.value) {
			return unknownBuiltin("an option of jobs is not known")
		}
	}
	return builtinEffect{}
}

// printfEffect is for printf without -v, which would set a variable.
func printfEffect(args []arg) builtinEffect {
	if len(args) > 0 && args[0].value == "--" {
		args = args[1:]
	} else if len(args) > 0 && strings.HasPrefix(args[0].value, "-") {
		return builtinEffect{unknownEffect("an option of printf is not known"), true}
	}
	if len(args) > 0 && (!args[0].isLiteral() || !onlyConversions(args[0].value, "diouxXfFeEgGaAcsbqQ")) {
		return builtinEffect{unknownEffect("the format of printf is not known only to print"), true}
	}
	return builtinEffect{}
}

// onlyConversions reports whether every conversion of a format ends in one of letters.
// No caller's letters include n: %n sets a variable.
func onlyConversions(format, letters string) bool {
	for {
		_, rest, found := strings.Cut(format, "%")
		if !found {
			return true
		}
		if format, found = strings.CutPrefix(rest, "%"); found {
			continue
		}
		rest = strings.TrimLeft(rest, "-+ #0'")
		rest = strings.TrimLeft(rest, "*0123456789.")
		if date, ok := strings.CutPrefix(rest, "("); ok {
			_, rest, _ = strings.Cut(date, ")")
			if !strings.HasPrefix(rest, "T") || strings.Contains(date, "(") {
				return false
			}
			format = rest[1:]
			continue
		}
		rest = strings.TrimLeft(rest, "hlLjtz")
		if rest == "" || strings.IndexByte(letters, rest[0]) < 0 {
			return false
		}
		format = rest[1:]
	}
}

// readEffect is for read into variables that only the line uses.
func readEffect(args []arg) builtinEffect {
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case !a.known:
			return builtinEffect{unknownEffect("the name of a variable is computed"), true}
		case has("-r -s -rs", a.value):
		case a.value == "-d":
			i++
		case !isScriptVariable(a.value):
			return builtinEffect{unknownEffect("the variable " + a.value + " may change what runs"), true}
		}
	}
	return builtinEffect{}
}

// setEffect accepts the options of set that only make a line stop early.
func setEffect(args []arg) builtinEffect {
	if len(args) == 0 {
		return unknownBuiltin("set shows all variables")
	}
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case !a.known:
			return shellStateEffect(args)
		case len(a.value) > 1 && strings.Trim(a.value[1:], "eu") == "" && (a.value[0] == '-' || a.value[0] == '+'):
		case has("-o +o -eo -euo", a.value) && i+1 < len(args) && has("pipefail errexit nounset", args[i+1].value):
			i++
		default:
			return shellStateEffect(args)
		}
	}
	return builtinEffect{}
}

func unsetEffect(args []arg) builtinEffect {
	for _, a := range args {
		if !a.known || !isScriptVariable(a.value) {
			return shellStateEffect(args)
		}
	}
	return builtinEffect{}
}

// evalEffect is for builtins that run their arguments as a line; the walker inspects
// that line.
func evalEffect(args []arg) builtinEffect {
	for _, a := range args {
		if !a.known || a.glob {
			return builtinEffect{unknownEffect("the text that runs is computed"), true}
		}
	}
	return unknownBuiltin("the builtin runs its arguments")
}

// sourceEffect is for source, which runs a file.
func sourceEffect(args []arg) builtinEffect {
	e := unknownBuiltin("a file runs in the shell")
	if len(args) == 0 || !args[0].known || args[0].glob || isStandardStream(args[0].value) || args[0].value == processSubstPath {
		e.changesShell = true
		return e
	}
	e.files = []file{{arg: args[0]}}
	return e
}

// cdEffect is for cd and pushd to a directory that is known.
func cdEffect(args []arg) builtinEffect {
	dir, ok := cdTarget(args)
	if !ok {
		return builtinEffect{unknownEffect("the directory that the line changes to cannot be known"), true}
	}
	if dir == nil {
		return builtinEffect{}
	}
	return builtinEffect{effect: effect{files: []file{{arg: *dir, enters: true}}}}
}

// cdTarget returns the directory that the arguments of cd name, or nil for the home
// directory. It reports false if the directory is not known.
func cdTarget(args []arg) (dir *arg, ok bool) {
	for len(args) > 0 && args[0].known && has("-L -P -e --", args[0].value) {
		args = args[1:]
	}
	if len(args) == 0 {
		return nil, true
	}
	a := args[0]
	if len(args) > 1 || !a.known || a.glob || a.value == "" || strings.ContainsAny(a.value[:1], "-+") {
		return nil, false
	}
	return &a, true
}

// A strippedCommand is a command without the wrappers that allow rules ignore.
type strippedCommand struct {
	args          []arg
	wrapped       bool // at least one wrapper was removed
	notBuiltin    bool // a program starts the command, so it cannot be a builtin
	mustBeBuiltin bool // builtin starts the command, so it must be a builtin
	addsArgs      bool // xargs adds arguments that are not known

	noWildcards bool
	class       Class // of the wrappers
	reason      string
}

// A wrapper runs the command that follows its options.
type wrapper struct {
	// skip returns how many of the arguments after the name belong to the wrapper. It
	// reports false if that is not known.
	skip      func(args []arg) (int, bool)
	isProgram bool // treated as a program, whose command cannot be a builtin
}

// wrappers are the wrappers that allow rules ignore. Claude Code's documentation of
// permission rules fixes the list; the options are those of coreutils 9 and bash 5.2.
var wrappers = map[string]wrapper{
	"timeout": {skipTimeout, true},
	"time":    {skipNone, true},
	"nice":    {skipNice, true},
	"nohup":   {skipNone, true},
	"stdbuf":  {skipStdbuf, true},
	"xargs":   {skipNone, true},
	"command": {skipNone, false},
	"builtin": {skipNone, false},
	"noglob":  {skipNoglob, false},
}

// isWrapper reports whether name is that of a wrapper.
func isWrapper(name string) bool {
	_, ok := wrappers[name]
	return ok
}

// forbidsWildcards reports whether a program starts other programs in a way that no
// wildcard may cover.
func forbidsWildcards(name string) bool {
	switch name {
	case "watch", "setsid", "ionice", "flock":
		return true
	}
	return false
}

// stripWrappers removes wrappers, except those whose options it does not fully
// understand.
func stripWrappers(args []arg) strippedCommand {
	s := strippedCommand{args: args}
	for len(s.args) > 1 {
		name := s.args[0]
		w, ok := wrappers[name.value]
		if !ok || !name.known || name.fromBraces || s.mustBeBuiltin {
			break
		}
		if s.notBuiltin && !w.isProgram {
			break // command and builtin are not programs
		}
		n, ok := w.skip(s.args[1:])
		n++
		if !ok || n >= len(s.args) || s.args[n].fromBraces && s.args[n-1].fromBraces {
			break
		}
		s.args, s.wrapped = s.args[n:], true
		s.notBuiltin = s.notBuiltin || w.isProgram
		s.mustBeBuiltin = name.value == "builtin"
		s.addsArgs = s.addsArgs || name.value == "xargs"
		switch {
		case name.value == "noglob":
			s.class, s.reason = Unknown, "noglob may be any program where the shell does not know the word"
		case name.value == "nohup" && s.class < Mutating:
			s.class, s.reason = Mutating, "nohup may write nohup.out"
		}
	}
	s.noWildcards = len(s.args) > 0 && forbidsWildcards(s.args[0].value)
	return s
}

// withAddedArgs returns the command with the arguments that xargs adds.
func (s strippedCommand) withAddedArgs() []arg {
	if s.addsArgs {
		return append(s.args[:len(s.args):len(s.args)], addedArgs)
	}
	return s.args
}

func skipNone(args []arg) (int, bool) {
	return 0, args[0].known && !strings.HasPrefix(args[0].value, "-")
}

// skipNoglob keeps noglob if an argument is a pattern, because noglob passes it on
// unexpanded.
func skipNoglob(args []arg) (int, bool) {
	if slices.ContainsFunc(args, func(a arg) bool { return a.glob }) {
		return 0, false
	}
	return skipNone(args)
}

func skipTimeout(args []arg) (int, bool) {
	n, ok := skipOptions(args, "sk", "signal kill-after", "v", "foreground preserve-status verbose")
	if !ok || n >= len(args) || !args[n].known || !isDuration(args[n].value) {
		return 0, false
	}
	return n + 1, true
}

func isDuration(text string) bool {
	text = strings.TrimRight(text, "smhd")
	return text != "" && strings.Trim(text, "0123456789.") == "" && text != "."
}

func skipNice(args []arg) (int, bool) {
	if v := args[0].value; args[0].known && len(v) > 1 && v[0] == '-' && strings.Trim(v[1:], "0123456789") == "" {
		return 1, true
	}
	return skipOptions(args, "n", "adjustment", "", "")
}

func skipStdbuf(args []arg) (int, bool) {
	return skipOptions(args, "ioe", "input output error", "", "")
}

// skipOptions counts options. valued and valuedLong are the letters and long names of
// options with a value, bare and bareLong those of options without.
func skipOptions(args []arg, valued, valuedLong, bare, bareLong string) (int, bool) {
	for n := 0; n < len(args); n++ {
		a := args[n]
		if !a.known || a.glob || a.fromBraces {
			return 0, false
		}
		v := a.value
		name, _, attached := strings.Cut(strings.TrimPrefix(v, "--"), "=")
		switch {
		case !strings.HasPrefix(v, "-"):
			return n, true
		case v == "--":
			return n + 1, true
		case strings.HasPrefix(v, "--") && has(valuedLong, name):
			if !attached {
				n++
			}
		case strings.HasPrefix(v, "--") && has(bareLong, name) && !attached:
		case len(v) > 1 && strings.IndexByte(valued, v[1]) >= 0:
			if len(v) == 2 {
				n++
			}
		case len(v) == 2 && strings.IndexByte(bare, v[1]) >= 0:
		default:
			return 0, false
		}
		if n < len(args) && !args[n].known {
			return 0, false
		}
	}
	return 0, false
}
