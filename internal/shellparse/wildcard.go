package shellparse

import (
	"regexp"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/shelltable"
)

// exceedsSpec reports whether some arguments may make the program do more than the spec
// allows, so that no wildcard covers them.
func exceedsSpec(s shelltable.WildcardSpec, args []arg) bool {
	if slices.ContainsFunc(args, func(a arg) bool { return !a.isLiteral() || a.anyNumber }) {
		return true
	}
	if s.RefusedArg != nil && slices.ContainsFunc(args, func(a arg) bool { return s.RefusedArg.MatchString(a.value) }) {
		return true
	}
	before, behind := args, []arg(nil)
	if i := slices.IndexFunc(args, func(a arg) bool { return a.value == "--" }); i >= 0 {
		before, behind = args[:i], args[i+1:]
	}
	if s.SingleDash {
		before = withTwoDashes(s.Flags, before)
	}
	if s.EndsAtOperand {
		before, behind = untilOperand(s.Flags, args), nil
	}
	return hasUnlistedArgs(s, s.Flags, before, s.PassesFlags) || hasUnlistedArgs(s, s.AfterDashes, behind, true)
}

// hasUnlistedArgs reports whether an argument is not known to be harmless. passed is
// set if another program receives the arguments, for which the value of a flag may be
// an operand.
func hasUnlistedArgs(s shelltable.WildcardSpec, flags string, args []arg, passed bool) bool {
	if len(args) == 0 {
		return false
	}
	p := commandSpec{flags: flags, hasUnsafeFlags: true}.parseArgs(args)
	if p.reason != "" || slices.ContainsFunc(args, func(a arg) bool { return a.value == "--" }) {
		return true
	}
	for _, f := range p.flags {
		want := s.Values[f.name]
		if want != nil && !want.MatchString(f.value.value) || passed && mayLeaveProject(f.value.value) {
			return true
		}
	}
	return slices.ContainsFunc(p.operands, func(a arg) bool {
		return mayLeaveProject(a.value) && (!s.ScopedNames || !scopedName.MatchString(a.value)) || s.RefusedOperand != nil && s.RefusedOperand.MatchString(a.value)
	})
}

// scopedName matches the name of a package with a scope, and perhaps a version.
var scopedName = regexp.MustCompile(`^@[\w.-]+/[\w.-]+(@[\w.^~-]*)?$`)

// withTwoDashes returns the arguments with two dashes before each listed flag that is
// written with one.
func withTwoDashes(flags string, args []arg) []arg {
	args = slices.Clone(args)
	for i, a := range args {
		name, _, _ := strings.Cut(a.value, "=")
		if len(name) > 1 && name[0] == '-' && name[1] != '-' && isListedFlag(flags, "-"+name) {
			args[i].value = "-" + a.value
		}
	}
	return args
}

// untilOperand returns the arguments up to the first operand.
func untilOperand(flags string, args []arg) []arg {
	p := commandSpec{flags: flags, flagsEndAtOperand: true, hasUnsafeFlags: true}.parseArgs(withTwoDashes(flags, args))
	return withTwoDashes(flags, args[:len(args)-max(len(p.operands)-1, 0)])
}

// mayLeaveProject reports whether an operand may lead out of the project or set
// something: it is an absolute path or one with two dots, a URL, an assignment, or a
// file of arguments.
func mayLeaveProject(operand string) bool {
	if operand == "" {
		return false
	}
	if strings.IndexByte(`@~/\`, operand[0]) >= 0 || strings.Contains(operand, "=") || strings.Contains(operand, "://") {
		return true
	}
	if c := lowerByte(operand[0]); 'a' <= c && c <= 'z' && len(operand) > 2 && operand[1] == ':' && isSlash(rune(operand[2])) {
		return true // on a Windows drive
	}
	return strings.Contains(operand, "..") && slices.Contains(strings.FieldsFunc(operand, isSlash), "..")
}

func isSlash(c rune) bool { return c == '/' || c == '\\' }

// wildcardSpecOf returns the spec for a program and its subcommand, and the arguments
// after the subcommand. name is as programName returns it.
func wildcardSpecOf(name string, args []arg) (shelltable.WildcardSpec, []arg, bool) {
	for _, s := range shelltable.WildcardSpecs[name] {
		if rest, ok := argsAfter(s.Words, args); ok {
			return s, rest, true
		}
	}
	return shelltable.WildcardSpec{}, nil, false
}

// argsAfter returns the arguments after the words of a subcommand. It reports false if
// args do not begin with them.
func argsAfter(words string, args []arg) (rest []arg, ok bool) {
	for word := range strings.FieldsSeq(words) {
		if len(args) == 0 || !args[0].isLiteral() || !strings.EqualFold(args[0].value, word) {
			return nil, false
		}
		args = args[1:]
	}
	return args, true
}

// exceedsWildcard reports whether a [shelltable.WildcardSpec] applies to a command, whose name comes
// first, and some argument exceeds it. It looks behind launchers such as npx.
func exceedsWildcard(words []arg) bool {
	s, rest, ok := specBehindLaunchers(words)
	return ok && exceedsSpec(s, rest)
}

// specBehindLaunchers returns the spec for a command, or for that which launchers such as
// npx start, and the arguments after its subcommand.
func specBehindLaunchers(words []arg) (s shelltable.WildcardSpec, rest []arg, ok bool) {
	for len(words) > 0 && words[0].isLiteral() {
		name := programName(words[0].value)
		if s, rest, ok = wildcardSpecOf(name, words[1:]); ok {
			return s, rest, true
		}
		if words, ok = startedCommand(name, words[1:]); !ok {
			break
		}
	}
	return shelltable.WildcardSpec{}, nil, false
}

// forbidsWildcard reports whether no rule with a wildcard covers a command because of its
// arguments, whatever the files are called that it is started with.
func forbidsWildcard(words []arg) bool {
	exceeds := func(words []arg) bool { return exceedsWildcard(words) || exceedsOptions(words) }
	if variants, ok := onFoundNames(words); ok {
		return slices.ContainsFunc(variants, exceeds)
	}
	return exceeds(words)
}

// maxExceeding limits the words among which the one that exceeds is looked for.
const maxExceeding = 100

// exceedingArg returns the argument because of which forbidsWildcard is true, as it is written,
// or "". Up to it, the words do not exceed.
func exceedingArg(words []arg) string {
	for n := min(len(words), maxExceeding) - 1; n > 0; n-- {
		if !forbidsWildcard(words[:n]) {
			return words[n].source
		}
	}
	return ""
}

// startedCommand returns the command in the arguments of a launcher, after the words
// that introduce it.
func startedCommand(name string, args []arg) (words []arg, ok bool) {
	if strings.HasPrefix(name, "python") || strings.HasPrefix(name, "pypy") {
		name = "python"
	}
	for _, s := range projectLaunchers[name] {
		if rest, ok := argsAfter(s, args); ok {
			for len(rest) > 0 && s == "" && strings.Contains(rest[0].value, "=") {
				rest = rest[1:] // a variable set by env
			}
			return withoutVersion(rest), true
		}
	}
	return nil, false
}

// withoutVersion removes the version after the program's name, as in "jest@29".
func withoutVersion(words []arg) []arg {
	if len(words) == 0 || strings.LastIndexByte(words[0].value, '@') <= 0 {
		return words
	}
	words = slices.Clone(words)
	words[0].value = words[0].value[:strings.LastIndexByte(words[0].value, '@')]
	return words
}

// projectLaunchers are launchers that start a program of a project, with the words that
// precede its name. A launcher's own options are not skipped: a rule that covers them
// names them.
var projectLaunchers = map[string][]string{
	"python": {"-m"}, "py": {"-m"}, "coverage": {"run -m"},
	"uv": {"run", "tool run"}, "uvx": {""}, "poetry": {"run"}, "pdm": {"run"}, "pipenv": {"run"}, "hatch": {"run"}, "rye": {"run"}, "pipx": {"run"},
	"npx": {""}, "bunx": {""}, "npm": {"exec --", "exec", "x --", "x"}, "pnpm": {"exec", "dlx", ""}, "yarn": {"exec", "dlx", ""},
	"bun": {"x"}, "bundle": {"exec"}, "env": {""}, "cross-env": {""}, "direnv": {"exec ."}, "mise": {"exec --", "x --"}, "devbox": {"run"},
}

// maxFoundWords limits the words that are tried in the place of one that is not known.
const maxFoundWords = 16

// anyRest stands for the rest of a name behind a beginning that several names share. It occurs
// in no name, and no pattern for values matches it. So a word that passes with it passes with
// any rest.
const anyRest = "\x00"

// onFoundNames returns the command, whose name comes first, with words in the place of those
// that stand for names of files. It reports false if there are no such words, if no
// [shelltable.WildcardSpec] applies, or if a name could be more than an operand: it begins
// like an option, leads out of the project, or sets something.
//
// All names of a tree or of a pattern have the same beginning, which ends at a slash. So the line,
// and not the name of a file, decides how a program understands a word.
func onFoundNames(words []arg) (variants [][]arg, ok bool) {
	if len(words) == 0 || !slices.ContainsFunc(words[1:], func(a arg) bool { return !a.isLiteral() }) {
		return nil, false
	}
	spec, _, ok := specBehindLaunchers(words)
	if !ok {
		return nil, false
	}
	found := make([][]arg, len(words))
	for i, a := range words {
		if a.isLiteral() {
			continue
		}
		if found[i], ok = a.foundWords(spec); !ok {
			return nil, false
		}
	}
	variants = withWords(words, found)
	var none []arg // the command if nothing is found
	for i, a := range variants[0] {
		if found[i] == nil || !words[i].mayBeSeveral() {
			none = append(none, a)
		}
	}
	return append(variants, none), true
}

// withWords returns the words with each of those found in their places at least once. Each
// decides for itself, so that not every combination counts.
func withWords(words []arg, found [][]arg) (variants [][]arg) {
	most := 0
	for _, list := range found {
		most = max(most, len(list))
	}
	for k := range most {
		variant := slices.Clone(words)
		for i, list := range found {
			if len(list) > 0 {
				variant[i] = list[k%len(list)]
			}
		}
		variants = append(variants, variant)
	}
	return variants
}

// foundWords returns the words that an argument which is not literal stands for: names, or
// beginnings of names with anyRest behind them. It reports false if a name could be more than an
// operand.
func (a arg) foundWords(s shelltable.WildcardSpec) (list []arg, ok bool) {
	names := foundNames{plain: true, values: []arg{a}}
	if !a.known {
		if a.found == nil {
			return nil, false
		}
		names = *a.found
	}
	if !names.plain || names.bare || names.read {
		return nil, false
	}
	for _, v := range names.values {
		if !v.glob {
			list = append(list, v)
			continue
		}
		beginning, ok := beginningOf(v.value)
		if !ok || !v.known || refusesNames(s) {
			return nil, false
		}
		list = append(list, literalArg(beginning+anyRest))
	}
	for _, v := range slices.Concat(names.trees, names.starts) {
		if v.glob || refusesNames(s) {
			return nil, false
		}
		list = append(list, v, v.withValue(strings.TrimSuffix(v.value, "/")+"/"+anyRest))
	}
	ok = len(list) > 0 && len(list) <= maxFoundWords && !slices.ContainsFunc(list, arg.mayBeMore)
	return list, ok
}

// mayBeMore reports whether a program could take a word for something else than an operand.
func (a arg) mayBeMore() bool {
	return !a.known || !startsWithPlainByte(a.value) || mayLeaveProject(a.value) || strings.ContainsAny(a.value, " \t\n'\"\\")
}

// refusesNames reports whether a spec refuses words by their text, so that it cannot be said
// of all names with one beginning.
func refusesNames(s shelltable.WildcardSpec) bool {
	return s.RefusedOperand != nil && !wholeWords.MatchString(s.RefusedOperand.String()) || s.RefusedArg != nil && !strings.HasPrefix(s.RefusedArg.String(), "^-")
}

// wholeWords matches the text of an expression for some words, of which none has a slash.
var wholeWords = regexp.MustCompile(`^\(\?i\)\^\([a-z|]+\)\$$`)

// beginningOf returns the directory, with its slash, in which all matches of a pattern lie. It
// reports false if that may be missing: the beginning of a name could be that of a variable.
func beginningOf(pattern string) (beginning string, ok bool) {
	odd := func(r rune) bool {
		return !strings.ContainsRune("_-./*?", r) && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}
	if strings.ContainsFunc(pattern, odd) || mayLeaveProject(pattern) {
		return "", false
	}
	for segment := range strings.SplitSeq(pattern, "/") {
		if strings.HasPrefix(segment, ".") && strings.ContainsAny(segment, "*?") { // two dots may match
			return "", false
		}
	}
	fixed := pattern[:strings.IndexAny(pattern+"*", "*?")]
	beginning = fixed[:strings.LastIndexByte(fixed, '/')+1]
	return beginning, beginning != ""
}

// addStarts notes the commands that a command starts with names of files, if a rule with a
// wildcard may be about them.
func (w *walker) addStarts(c *Command, s strippedCommand, e effect) {
	started := e.acts
	if c.Class != ReadOnly && len(s.args) > 0 && s.args[0].is("xargs") {
		command, ok := w.xargsCommand(s.args[1:])
		if !ok {
			return
		}
		started = [][]arg{command}
	}
	var texts []string
	for _, words := range started {
		if _, ok := onFoundNames(words); !ok || forbidsWildcard(words) {
			return
		}
		texts = append(texts, joinArgs(words, sourceText)+shelltable.AddedArgsMark)
	}
	if c.Starts = texts; len(texts) > 0 {
		c.OnFound = true
	}
	if in := w.input(); c.OnFound && s.args[0].is("xargs") && !in.nul {
		w.addNames(c, in)
	}
}

// addFound is for a command that gets names of files and may do more than read. It adds the
// command with each of the names that are known, for deny rules. It reports whether nothing else
// of the command is computed.
func (w *walker) addFound(c *Command, s strippedCommand, assigns []assignment) bool {
	if c.NoWildcards || len(s.args) == 0 {
		return false
	}
	words := w.withAddedArgs(s)
	if _, ok := onFoundNames(words); !ok {
		return false
	}
	c.OnFound = true
	found := make([][]arg, len(words))
	for i, a := range words {
		if !a.known {
			found[i] = slices.Concat(a.found.values, a.found.trees)
		}
	}
	for _, words := range withWords(words, found) {
		for i, a := range words {
			words[i].source = a.value
		}
		c.Nested = append(c.Nested, joinValues(words))
		c.addSpellings(words, programName(words[0].value))
		c.addMentioned(words[0].value, words, assigns)
		w.addGuesses(c, words)
	}
	return true
}

// A riskyOption is an option of a command that a [shelltable.OptionSpec] lists.
type riskyOption struct {
	mark  byte // as in the table; 0 for an option without a value
	value arg  // known and empty if the option has none
}

// exact reports whether the option keeps a rule with a wildcard from covering its command.
func (o riskyOption) exact() bool {
	switch {
	case o.mark != '~' && o.mark != '>':
		return true
	case !o.value.isLiteral():
		return true
	}
	return mayLeaveProject(o.value.value) || o.mark == '>' && hasHiddenName(o.value.value)
}

// runs reports whether the value of the option is a command line.
func (o riskyOption) runs() bool { return o.mark == '!' }

// riskyOptions returns the listed options of a command. program is the name as it is
// written.
func riskyOptions(program string, args []arg) []riskyOption {
	name := programName(program)
	spec, ok := optionSpecOf(name, args)
	if strings.Contains(program, "/") && shelltable.OptionSpecs[name] == nil {
		return nil // a script of the project: no table knows its options
	}
	if !ok || len(args) == 0 {
		return nil
	}
	var list []riskyOption
	known := commandSpecs[name]
	for i, a := range args {
		switch {
		case a.is("--"), spec.EndsAtOperand && a.isLiteral() && !strings.HasPrefix(a.value, "-"):
			return list
		case !a.known || len(a.value) < 2 || a.value[0] != '-':
			continue
		}
		var next arg
		if i+1 < len(args) {
			next = args[i+1]
		}
		if o, ok := matchOption(&spec, &known, a, next); ok {
			list = append(list, o)
		}
	}
	return list
}

// optionSpecOf returns the spec for a program and its subcommand. Programs that no table
// knows have one in common.
func optionSpecOf(name string, args []arg) (shelltable.OptionSpec, bool) {
	list, ok := shelltable.OptionSpecs[name]
	if !ok {
		return shelltable.GenericOptions, isUnlisted(name) && !runsAnyCode(name)
	}
	for _, s := range list {
		if _, ok := argsAfter(s.Words, args); ok {
			return s, true
		}
	}
	return shelltable.OptionSpec{}, false
}

// runsAnyCode reports whether a program is an interpreter, which a rule with a wildcard
// allows to run any code.
func runsAnyCode(name string) bool {
	return anyCode[strings.TrimRight(name, ".0123456789")]
}

var anyCode = wordSet("ash bash bun csh dash deno elixir erl fish ghci groovy guile irb ipython java jruby julia jython ksh lua luajit mksh node nodejs" +
	" ocaml octave osascript perl php powershell pwsh pypy python r racket rscript ruby scala scheme sh swift tclsh ts-node tsx zsh")

// matchOption looks an argument that begins with a dash up in a spec. next is the
// argument behind it.
func matchOption(spec *shelltable.OptionSpec, known *commandSpec, a, next arg) (riskyOption, bool) {
	if !strings.HasPrefix(a.value, "--") && !spec.SingleDash {
		return matchLetters(spec, known, a, next)
	}
	name, value, attached := strings.Cut(a.value, "=")
	if spec.SingleDash {
		if o, ok := matchJoined(spec, a, next); ok {
			return o, true
		}
	}
	for text := range strings.FieldsSeq(spec.Options) {
		option := strings.TrimRight(text, "!=~>")
		if !nameMatches(spec, known, option, name) {
			continue
		}
		return newRiskyOption(text, option, a.withValue(value), next, attached), true
	}
	return riskyOption{}, false
}

// nameMatches reports whether a program may read name as an option.
func nameMatches(spec *shelltable.OptionSpec, known *commandSpec, option, name string) bool {
	if end, ok := strings.CutPrefix(option, "*"); ok {
		return strings.HasPrefix(name, "--") && strings.HasSuffix(name, end)
	}
	if spec.SingleDash {
		return strings.TrimLeft(option, "-") == strings.TrimLeft(name, "-")
	}
	if option == name {
		return true
	}
	if !spec.Abbreviates || len(name) < len("--x") || !strings.HasPrefix(option, name) || !strings.HasPrefix(option, "--") {
		return false
	}
	_, whole := known.kindOf(name)
	return !whole
}

// matchJoined is for a value that follows a single letter without a blank, in a program
// whose other options have several letters behind one dash.
func matchJoined(spec *shelltable.OptionSpec, a, next arg) (riskyOption, bool) {
	for text := range strings.FieldsSeq(spec.Options) {
		option := strings.TrimRight(text, "!=~>")
		if len(option) != 2 || option == text || len(a.value) <= 2 || a.value[:2] != option || strings.IndexByte("/.@~=:$!", a.value[2]) < 0 {
			continue
		}
		return newRiskyOption(text, option, a.withValue(a.value[2:]), next, true), true
	}
	return riskyOption{}, false
}

// matchLetters is for short options, which may share a word.
func matchLetters(spec *shelltable.OptionSpec, known *commandSpec, a, next arg) (riskyOption, bool) {
	letters := a.value[1:]
	for i := range len(letters) {
		for text := range strings.FieldsSeq(spec.Options) {
			option := strings.TrimRight(text, "!=~>")
			if strings.HasPrefix(option, "--") || option[0] != '-' || !strings.HasPrefix(letters[i:], option[1:]) {
				continue
			}
			value := letters[i+len(option)-1:]
			return newRiskyOption(text, option, a.withValue(value), next, value != ""), true
		}
		kind, listed := known.kindOf("-" + letters[i:i+1])
		if strings.IndexByte(spec.Valued, letters[i]) >= 0 || listed && kind != noValue {
			break
		}
	}
	return riskyOption{}, false
}

// newRiskyOption returns the option for an entry of a spec. The value is the attached
// one, or else the next argument.
func newRiskyOption(entry, option string, value, next arg, attached bool) riskyOption {
	if entry == option {
		return riskyOption{value: literalArg("")}
	}
	if !attached {
		value = next
	}
	return riskyOption{mark: entry[len(option)], value: value}
}

// exceedsOptions reports whether an option of a command, whose name comes first, keeps
// rules with a wildcard from covering it, or may be there unseen. It looks behind
// launchers such as npx.
func exceedsOptions(words []arg) bool {
	for len(words) > 0 && words[0].isLiteral() {
		name, args := programName(words[0].value), words[1:]
		if slices.ContainsFunc(riskyOptions(words[0].value, args), riskyOption.exact) || exceedsProgram(name, args) {
			return true
		}
		if _, listed := shelltable.OptionSpecs[name]; listed && mayHideOption(args) {
			return true
		}
		var ok bool
		if words, ok = startedCommand(name, args); !ok {
			return false
		}
	}
	return false
}

// mayHideOption reports whether an unknown argument may be an option.
func mayHideOption(args []arg) bool {
	for _, a := range args {
		switch {
		case a.is("--"):
			return false
		case !a.known && a.mayBeFlag():
			return true
		}
	}
	return false
}

// exceedsProgram reports whether the arguments of a program that people allow for looking
// make it run something, load code or write a file, in a way that no table of options can
// tell. name is as programName returns it.
func exceedsProgram(name string, args []arg) bool {
	switch strings.TrimRight(name, ".0123456789") {
	case "awk", "gawk", "mawk", "nawk":
		return awkMayAct(args)
	case "sed", "gsed":
		return sedLoadsScript(args)
	case "bash", "sh", "zsh", "dash", "ksh", "ash", "mksh", "rbash", "node", "nodejs", "ruby", "php", "perl":
		return checkMayRun(name, args)
	case "sqlite":
		return slices.ContainsFunc(args, sqliteActs)
	case "python":
		return moduleWrites(args)
	case "cargo":
		return len(args) > 0 && args[0].is("fmt") && slices.ContainsFunc(args, func(a arg) bool {
			return strings.HasPrefix(a.value, "--config") || strings.HasPrefix(a.value, "--emit")
		})
	case "psql", "mysql", "mariadb":
		return slices.ContainsFunc(args, func(a arg) bool { return clientActs.MatchString(a.value) })
	case "curl":
		return curlFormatActs(args)
	case "vim", "vi", "view", "ex", "nvim", "rvim", "rview", "gvim", "vimdiff", "less", "more", "most":
		return slices.ContainsFunc(args, func(a arg) bool { return strings.HasPrefix(a.value, "+") && !pagerStart.MatchString(a.value) })
	}
	compiler := compilers[strings.TrimRight(name, "-.0123456789")]
	if compiler && slices.ContainsFunc(args, func(a arg) bool { return strings.HasPrefix(a.value, "@") }) {
		return true
	}
	return (compiler || isUnlisted(name)) && writesHidden(args)
}

// compilers write the file behind -o, and take options from the one behind an @.
var compilers = wordSet("as c++ cc clang clang++ cpp csc g++ gcc gfortran javac kotlinc ld rustc tsc")

// pagerStart matches operands with which a pager or an editor only goes to a line.
var pagerStart = regexp.MustCompile(`^\+([0-9]+g?|[FGg])?$`)

// sqliteShows are the commands of sqlite3 that only show something or change how it is
// shown.
var sqliteShows = wordSet(".bail .changes .columns .databases .dbinfo .dump .echo .eqp .exit .explain .fullschema .header .headers .help .indexes .indices .limit .lint .mode .nullvalue" +
	" .print .progress .quit .schema .separator .sha3sum .show .stats .tables .timeout .timer .version .width")

// sqliteFiles matches a text with a function or statement that names another file.
var sqliteFiles = regexp.MustCompile(`(?i)load_extension|writefile|readfile|edit\s*\(|attach\s|vacuum\s+into`)

// sqliteActs reports whether a text may make sqlite3 do more than read and change its
// database.
func sqliteActs(a arg) bool {
	for line := range strings.Lines(a.value) {
		if words := strings.Fields(line); len(words) > 0 && len(words[0]) > 1 && words[0][0] == '.' && words[0][1] != '/' && words[0][1] != '.' && !sqliteShows[words[0]] {
			return true
		}
	}
	return sqliteFiles.MatchString(a.value)
}

// clientActs matches a text in which a client of a database runs a command or names a
// file.
var clientActs = regexp.MustCompile("(?i)\\\\!|\\\\[ogwi]|\\\\copy|\\\\ex|\\bsystem\\s|\\bsource\\s|\\btee\\s|\\bpager\\s|\\bprogram\\b|\\boutfile\\b|\\bdumpfile\\b|`")

// awkFlags are flags of awks that neither load code nor write a file.
const awkFlags = "-F= -v= -P -k -n -b -c -S -r -s -t -M -N -O -V -h --posix --csv --characters-as-bytes --traditional --sandbox --re-interval" +
	" --no-optimize --bignum --use-lc-numeric --non-decimal-data --field-separator= --assign= --version --help"

// awkMayAct reports whether an awk may run a command, load code or write a file.
func awkMayAct(args []arg) bool {
	p := commandSpec{flags: awkFlags, flagsEndAtOperand: true, hasUnsafeFlags: true}.parseArgs(args)
	if p.reason != "" {
		return true
	}
	if len(p.operands) == 0 {
		return false
	}
	program := p.operands[0]
	if !program.isLiteral() {
		return true
	}
	rest := awkOutput.ReplaceAllStringFunc(program.value, func(output string) string {
		kind, text, _ := strings.Cut(output, `"`)
		if command := strings.Fields(strings.TrimSuffix(text, `"`)); strings.Contains(kind, "|") && !onlyPrints(command) {
			return output
		}
		return ""
	})
	return awkActs.MatchString(rest) && !awkOnlyReads(rest)
}

// awkOutput matches a file or a command that a program names by one plain string, as the
// whole of an output. The file is a target of its own.
var awkOutput = regexp.MustCompile(`(>>?|\|)\s*"[^"\\;&|<>$` + "`" + `()]*"`)

// onlyPrints reports whether the words are a command that only reads.
func onlyPrints(words []string) bool {
	if len(words) == 0 || strings.ContainsAny(strings.Join(words, " "), "'*?[{~#!\n") {
		return false
	}
	args := make([]arg, 0, len(words))
	for _, word := range words[1:] {
		args = append(args, literalArg(word))
	}
	e := effectOf(words[0], args)
	return e.class == ReadOnly && len(e.files) == 0 && !isBuiltin(words[0])
}

// awkActs matches every awk program that runs a command, loads code, reads a file by name
// or writes one, and others.
var awkActs = regexp.MustCompile(`system|getline|[|@>]`)

// awkRuns matches every awk program that runs a command, and others.
var awkRuns = regexp.MustCompile(`system|[|]`)

// sedLoadsScript reports whether sed may take its program from a file.
func sedLoadsScript(args []arg) bool {
	for _, a := range args {
		v := a.value
		switch {
		case a.is("--"):
			return false
		case !a.known || len(v) < 2 || v[0] != '-':
		case strings.HasPrefix(v, "--"):
			name, _, _ := strings.Cut(v, "=")
			if len(name) > len("--x") && strings.HasPrefix("--file", name) {
				return true
			}
		default:
			letters := strings.TrimLeft(v[1:], "nrEsuzb")
			if strings.HasPrefix(letters, "f") {
				return true
			}
		}
	}
	return false
}

// checkFlags are the flags with which an interpreter only checks a file, and those that
// may stand beside them. With any other flag it may run code. Perl is not listed: it
// always runs parts of the code that it checks.
var checkFlags = map[string]struct{ check, beside string }{
	"node": {"-c --check", "--no-warnings"}, "nodejs": {"-c --check", "--no-warnings"},
	"ruby": {"-c -wc -cw", "-w"},
	"php":  {"-l --syntax-check", "-n"},
}

// checkMayRun reports whether an interpreter is told to check a file and may run code
// nevertheless. A rule such as "bash -n *" was not meant for that.
func checkMayRun(name string, args []arg) bool {
	var flags []arg
	for _, a := range args {
		if a.is("--") || a.known && !strings.HasPrefix(a.value, "-") && !strings.HasPrefix(a.value, "+") {
			break
		}
		flags = append(flags, a)
	}
	if name == "perl" {
		return slices.ContainsFunc(flags, func(a arg) bool { return perlChecks.MatchString(a.value) })
	}
	spec, ok := checkFlags[name]
	if !ok {
		return slices.ContainsFunc(flags, func(a arg) bool { return shellChecks.MatchString(a.value) }) &&
			slices.ContainsFunc(flags, func(a arg) bool { return !shellStaysChecking.MatchString(a.value) })
	}
	check, beside := spec.check, spec.beside
	flags = slices.DeleteFunc(slices.Clone(args), func(a arg) bool { return a.known && !strings.HasPrefix(a.value, "-") })
	isCheck := func(a arg) bool { return a.known && has(check, a.value) }
	return slices.ContainsFunc(flags, isCheck) && slices.ContainsFunc(flags, func(a arg) bool { return !isCheck(a) && (!a.known || !has(beside, a.value)) })
}

var (
	// shellChecks matches the flags of a shell that hold -n.
	shellChecks = regexp.MustCompile(`^-[A-Za-z]*n`)
	// shellStaysChecking matches the flags with which -n stays in force.
	shellStaysChecking = regexp.MustCompile(`^(-[nvxue]+|--posix|--norc|--noprofile)$`)
)

// perlChecks matches the flags of perl that hold -c.
var perlChecks = regexp.MustCompile(`^-[aglnpsStTuUvwWX]*c`)

// curlFormatActs reports whether the format of curl -w may write a file, or comes from
// one.
func curlFormatActs(args []arg) bool {
	p := commandSpec{flags: curlOptions}.parseArgs(expandLongFlags(curlOptions, args))
	for _, v := range p.flagValues("-w", "--write-out") {
		if strings.HasPrefix(v.value, "@") || strings.Contains(v.value, "%output") {
			return true
		}
	}
	return false
}

// writesHidden reports whether an option may make a program write a hidden file, or one
// that leads out of the project. Other programs trust some hidden files.
func writesHidden(args []arg) bool {
	inPlace := writesInPlace(args)
	for i, a := range args {
		named := a.namesOutput() || i > 0 && args[i-1].is("-o", "--output", "--out")
		if !inPlace && !named {
			continue
		}
		var room [2]string
		for _, name := range guessNames(a.value, room[:0]) {
			if mayLeaveProject(name) || hasHiddenName(name) {
				return true
			}
		}
	}
	return false
}

// hasHiddenName reports whether a name in a path begins with a dot.
func hasHiddenName(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if len(part) > 1 && part[0] == '.' && part != ".." {
			return true
		}
	}
	return false
}

// moduleWrites reports whether python is to write a hidden file, or one that leads out of
// the project, by a module that people allow for looking: the second operand of
// json.tool, and the files that the compilers write beside their operands.
func moduleWrites(args []arg) bool {
	if len(args) < 2 || !args[0].is("-m") || !args[1].is("json.tool", "py_compile", "compileall") {
		return false
	}
	p := commandSpec{flags: "--indent= --tab --no-indent --compact --sort-keys --no-ensure-ascii --json-lines -q -f -l -x= -j= -r="}.parseArgs(args[2:])
	written := p.operands
	if args[1].value == "json.tool" {
		written = p.operands[min(1, len(p.operands)):]
	}
	return p.reason != "" || slices.ContainsFunc(written, func(a arg) bool { return !a.isLiteral() || mayLeaveProject(a.value) || hasHiddenName(a.value) })
}
