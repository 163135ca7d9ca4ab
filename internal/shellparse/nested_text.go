package shellparse

import (
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// textPrograms are programs that run a text in a language of their own, in which commands
// may stand. The text is an argument or the standard input.
var textPrograms = wordSet("at batch bc crontab dc ed red emacs ex expect ftp gdb gnuplot gvim lftp lldb m4 mail mailx mariadb mysql nvim psql rview rvim sftp sqlite3" +
	" telnet vi view vim vimdiff")

// runsText reports whether a program runs a text that is no line of a shell.
func runsText(name string) bool {
	_, shell := scriptRunners[name]
	return !shell && (textPrograms[name] || runsAnyCode(name))
}

// startsPrograms matches a text in a programming language that may start a program.
var startsPrograms = regexp.MustCompile("(?i)system|popen|exec|spawn|subprocess|child_process|shell|getoutput|check_output|\\brun\\b|\\bcall\\b|!|\\||`|%x|qx|\\bpipe\\b|fork|process|command|\\bterm|^\\s*(at|batch)\\b|\\be\\b|\\bmake\\b|backquote")

// hidesPrograms matches a text that starts a program which its strings need not name.
var hidesPrograms = regexp.MustCompile(`(?i)\bsystem\b|popen|subprocess|child_process|spawn|\bexec[lv]|exec(File)?Sync|getoutput|check_output|\bqx\b|%x[^0-9a-f]|__import__|\bpty\b|posix_`)

// inspectTexts adds the commands in the arguments and the input of a program that runs
// texts.
func (w *walker) inspectTexts(c *Command, name string, args []arg, depth int) {
	if has("less more most", name) {
		for _, a := range args {
			if text, ok := strings.CutPrefix(a.value, "+"); ok {
				w.addTexts(c, text)
			}
		}
	}
	if !runsText(name) {
		return
	}
	kind := outsideNames
	if textPrograms[name] {
		kind = allNames
	}
	inspect := func(text string, code bool) {
		w.addNamesIn(c, text, kind, Path{Write: textPrograms[name], MayWrite: exceedsProgram(name, []arg{literalArg(text)})})
		if name == "sqlite3" {
			w.addSQLiteFiles(c, text)
		}
		if startsPrograms.MatchString(text) || has("at batch crontab", name) {
			w.addTexts(c, text)
		}
		if code {
			c.RunsUnseen = c.RunsUnseen || hidesPrograms.MatchString(text)
			w.addNamedFiles(c, text)
		}
	}
	for _, a := range args {
		if a.known && strings.ContainsAny(a.value, " \t\n!(|.`;") {
			inspect(strings.TrimPrefix(a.value, "+"), runsAnyCode(name))
		}
		if (file{arg: a}).isProcessSubst() {
			c.RunsUnseen = true
		}
	}
	if depth > 0 || !readsText(name, args) || !w.hasInput && !w.execHasInput {
		return
	}
	texts, whole := w.inputTexts()
	for _, text := range texts {
		if !w.pay(len(text)) {
			return
		}
		inspect(text, runsAnyCode(name))
		c.NoWildcards = c.NoWildcards || textPrograms[name] && exceedsProgram(name, []arg{literalArg(text)})
	}
	c.RunsUnseen = c.RunsUnseen || !whole
}

// addSQLiteFiles adds the files in the commands of sqlite3 that may write them.
func (w *walker) addSQLiteFiles(c *Command, text string) {
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) < 2 || words[0][0] != '.' || sqliteShows[words[0]] {
			continue
		}
		for _, word := range words[1:] {
			c.Paths = w.appendPaths(c.Paths, withoutQuotes(word), Path{Guess: true, Write: true, MayWrite: true})
		}
	}
}

// addNamedFiles adds the files that the strings in a text of a programming language may
// name.
func (w *walker) addNamedFiles(c *Command, text string) {
	writes := writesFiles.MatchString(text)
	like := Path{Guess: true, Write: writes, MayWrite: writes}
	for _, m := range stringLiterals.FindAllStringIndex(text, maxTexts) {
		name := text[m[0]+1 : m[1]-1]
		if name != "" && len(name) < 256 && !strings.ContainsAny(name, " \t\n(){}<>|;,'\"\\`$*?[") {
			c.Paths = w.appendPaths(c.Paths, name, like)
		}
	}
}

// writesFiles matches a text in a programming language that may write a file.
var writesFiles = regexp.MustCompile("(?i)write|['\"][wax]b?\\+?['\"]|append|unlink|remove|rename|mkdir|truncate|save|dump|copy|move|output")

// readsText reports whether a program may take the text that it runs from its input.
func readsText(name string, args []arg) bool {
	if !runsAnyCode(name) {
		return true
	}
	for _, a := range args {
		switch {
		case a.is("-"):
			return true
		case a.known && (!strings.HasPrefix(a.value, "-") || has("-c -m -e -E -p -pe -ne -r --eval --print --check", a.value)):
			return false
		}
	}
	return true
}

// inputTexts returns the texts that the line supplies as input, and whether they are all.
// It ignores which command gets them.
func (w *walker) inputTexts() (texts []string, whole bool) {
	if w.file == nil {
		return nil, false
	}
	if !w.inputFound {
		w.inputTextsFound, w.inputWhole = w.findInputTexts()
		w.inputFound = true
	}
	return w.inputTextsFound, w.inputWhole
}

// findInputTexts is inputTexts without its memory.
func (w *walker) findInputTexts() (texts []string, whole bool) {
	whole = true
	add := func(words ...*syntax.Word) {
		var values []string
		for _, word := range words {
			value, ok := w.verbatim(word)
			values, whole = append(values, value), whole && ok
		}
		texts = append(texts, strings.ReplaceAll(strings.Join(values, " "), `\n`, "\n"))
	}
	syntax.Walk(w.file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Redirect:
			switch n.Op {
			case syntax.Hdoc, syntax.DashHdoc:
				if n.Hdoc != nil {
					text := w.sourceOf(n.Hdoc)
					_, quoted := hereDelimiter(n.Word)
					texts, whole = append(texts, text), whole && (quoted || !strings.ContainsAny(text, "$`"))
				}
			case syntax.WordHdoc:
				add(n.Word)
			case syntax.RdrIn:
				whole = whole && !isProcessSubst(n.Word)
			}
		case *syntax.BinaryCmd:
			if n.Op == syntax.Pipe || n.Op == syntax.PipeAll {
				whole = whole && printsOnly(n.X)
			}
		case *syntax.CallExpr:
			if len(n.Args) > 1 && has("echo printf", n.Args[0].Lit()) {
				add(n.Args[1:]...)
			}
		}
		return true
	})
	return texts, whole
}

// printsOnly reports whether a statement is an echo or printf.
func printsOnly(s *syntax.Stmt) bool {
	call, ok := s.Cmd.(*syntax.CallExpr)
	return ok && len(call.Args) > 0 && has("echo printf", call.Args[0].Lit())
}

// maxTexts limits the pieces of one text that are looked at.
const maxTexts = 24

// addTexts adds the commands that may stand in a text of another language or in the value
// of a variable: the text itself, the text behind a mark that runs a command in some
// language, and the strings in it.
func (w *walker) addTexts(c *Command, text string) {
	for _, piece := range textPieces(text) {
		w.addScript(c, literalArg(piece), false)
	}
}

// textPieces returns the parts of a text that may be command lines.
func textPieces(text string) []string {
	var list []string
	add := func(piece string) {
		piece = strings.Trim(piece, " \t\r\n:!|@+;")
		if piece != "" && len(list) < maxTexts && len(piece) <= maxCharacters && !slices.Contains(list, piece) {
			list = append(list, piece)
		}
	}
	add(text)
	for line := range strings.SplitSeq(text, "\n") {
		for _, m := range commandMarks.FindAllStringIndex(line, maxCommandWords) {
			add(line[m[1]:])
		}
	}
	joined := ""
	for _, m := range stringLiterals.FindAllStringSubmatchIndex(text, maxTexts) {
		body := escapeReplacer.Replace(text[m[0]+1 : m[1]-1])
		add(body)
		if before := strings.TrimRight(text[:m[0]], " \t\n"); joined != "" && (strings.HasSuffix(before, ",") || strings.HasSuffix(before, "[")) {
			joined += " " + body
			add(joined)
			continue
		}
		joined = body
	}
	for _, m := range bracketLiterals.FindAllStringSubmatch(text, maxCommandWords) {
		add(m[1])
	}
	return list
}

var (
	escapeReplacer = strings.NewReplacer(`\"`, `"`, `\'`, `'`, `\n`, "\n")
	// commandMarks match the text before a command in the languages of editors,
	// debuggers and clients, and in configuration.
	commandMarks = regexp.MustCompile(`!|(^|[\s'";:.\\+])(shell|system|sh|term|terminal|exec|pipe|program|source|run|make)[\s=:]\s*|=\s*`)
	// stringLiterals match strings in most languages.
	stringLiterals = regexp.MustCompile("\"(?:[^\"\\\\]|\\\\.)*\"|'(?:[^'\\\\]|\\\\.)*'|`(?:[^`\\\\]|\\\\.)*`")
	// bracketLiterals match the commands of perl and ruby in brackets, and substitutions.
	bracketLiterals = regexp.MustCompile(`(?:qx|%x|qw|q|\$)\s*[({\[</|]([^)}\]>|]*)`)
)

// scriptsOf returns the arguments of a command that are run as a line.
func scriptsOf(name string, args []arg) []arg {
	switch name {
	case "eval":
		return []arg{joinedArg(args)}
	case "watch", "ssh", "parallel", "tmux", "screen":
		var list []arg
		for i, a := range args {
			if a.known && !strings.HasPrefix(a.value, "-") {
				list = append(list, joinedArg(args[i:]))
				if len(list) == 2 {
					break
				}
			}
		}
		return list
	case "trap":
		for _, a := range args {
			if !a.known || a.value == "" || a.value[0] != '-' {
				return []arg{a}
			}
		}
		return nil
	case "alias":
		var list []arg
		for _, a := range args {
			_, text, _ := strings.Cut(a.value, "=")
			list = append(list, arg{value: text, known: a.known})
		}
		return list
	case "env":
		return envSplitStrings(args)
	}
	return scriptsAfterC(args)
}

// joinedArg returns the line that a command makes of its arguments.
func joinedArg(args []arg) arg {
	return arg{value: joinValues(args), known: !slices.ContainsFunc(args, func(a arg) bool { return !a.isLiteral() })}
}

// envSplitStrings returns the first two values of env -S. Later ones are options of the
// program that the first value runs.
func envSplitStrings(args []arg) []arg {
	var list []arg
	for i, a := range args {
		if len(list) == 2 {
			break
		}
		text, ok := strings.CutPrefix(a.value, "--split-string=")
		if !ok && len(a.value) > 1 && a.value[0] == '-' && a.value[1] != '-' {
			_, text, ok = strings.Cut(a.value, "S")
		}
		if ok && text != "" {
			list = append(list, joinedArg(append([]arg{{value: text, known: true}}, args[i+1:]...)))
		} else if (ok || a.value == "--split-string") && i+1 < len(args) {
			list = append(list, joinedArg(args[i+1:]))
		}
	}
	return list
}

// scriptsAfterC returns the arguments that follow -c or a similar option.
func scriptsAfterC(args []arg) []arg {
	var list []arg
	wanted := false
	for _, a := range args {
		v := a.value
		switch {
		case wanted && !a.isAdded() && (!a.known || !strings.HasPrefix(v, "-")):
			list = append(list, a)
			wanted = strings.HasPrefix(v, "+") // an option of the shell follows
		case a.isAdded():
		case strings.HasPrefix(v, "--command="), strings.HasPrefix(v, "--run="):
			_, text, _ := strings.Cut(v, "=")
			list = append(list, arg{value: text, known: true})
		case v == "--command", v == "--run", v == "-C":
			wanted = true
		case len(v) > 1 && v[0] == '-' && v[1] != '-' && strings.Contains(v, "c"):
			wanted = true
			if _, text, _ := strings.Cut(v, "c"); len(text) > 1 {
				list = append(list, arg{value: text, known: true})
			}
		}
	}
	return list
}

// addScript adds the effects of a script that a command runs. certain is set if a shell
// whose language the package reads surely runs it: then unknown parts of the script
// make the line unknown.
func (w *walker) addScript(c *Command, text arg, certain bool) {
	if !text.known {
		if certain {
			w.markUnknown("the text that runs is computed")
		}
		return
	}
	dirs := w.place.dirs
	if len(dirs) == 0 {
		dirs = []string{w.env.Dir}
	}
	for _, dir := range dirs {
		w.addScriptIn(c, text.value, dir, certain)
	}
}

// addScriptIn is addScript in one directory.
func (w *walker) addScriptIn(c *Command, text, dir string, certain bool) {
	env := w.env
	env.Dir = dir
	if w.homeUnknown {
		env.Home = ""
	}
	sub, unknown := w.readScript(text, env)
	if unknown != "" && certain {
		w.markUnknown(unknown)
	}
	first := len(c.Paths)
	c.addLine(sub)
	for i := first; i < len(c.Paths); i++ {
		c.Paths[i].MayWrite = c.Paths[i].MayWrite && certain
	}
	for _, inner := range sub.Commands {
		c.Hosts = append(c.Hosts, inner.Hosts...)
		c.mention(inner.Mentioned...)
	}
}

// stdinShells are the shells that run their standard input if they have no operand.
var stdinShells = map[string]bool{
	"sh": true, "bash": true, "zsh": true, "dash": true, "ksh": true, "ash": true, "mksh": true, "rbash": true,
	"fish": true, "pwsh": true,
}

// readsScriptFromInput reports whether a shell runs commands from its input, or from a
// file that is not known.
func readsScriptFromInput(name string, args []arg) bool {
	if !stdinShells[name] {
		return false
	}
	for i := 0; i < len(args); i++ {
		switch v := args[i].value; {
		case !args[i].known, v == "-", v == "-s", strings.HasPrefix(v, "/dev/"), strings.HasPrefix(v, "/proc/"):
			return true
		case v == "--version", v == "--help", strings.EqualFold(v, "-command"), strings.EqualFold(v, "-file"):
			return false
		case has("-o +o -O +O --rcfile --init-file", v):
			if i++; v[0] == '-' && len(v) > 2 && i < len(args) && (!args[i].known || (file{arg: args[i]}).isProcessSubst()) {
				return true
			}
		case strings.HasPrefix(v, "--"), strings.HasPrefix(v, "+"):
		case !strings.HasPrefix(v, "-"), strings.Contains(v, "c"):
			return false
		case strings.Contains(v, "s"):
			return true
		}
	}
	return true
}

// embeddedScripts returns the commands in programs of sed and awk and in options of pwsh.
func embeddedScripts(c *Command, name string, args []arg) []arg {
	var list []arg
	for i, a := range args {
		if !a.known {
			continue
		}
		var texts []string
		switch name {
		case "sed", "gsed":
			texts = sedScripts(a.value)
		case "awk", "gawk", "mawk", "nawk":
			texts = awkScripts(a.value)
			c.RunsUnseen = c.RunsUnseen || awkRuns.MatchString(a.value) && !awkOnlyReads(a.value)
		case "pwsh":
			if strings.EqualFold(a.value, "-command") && i+1 < len(args) {
				texts = []string{joinedArg(args[i+1:]).value}
			}
		}
		for _, text := range texts {
			list = append(list, literalArg(text))
		}
	}
	return list
}

// sedScripts returns the commands after every letter e that may be the e command of
// sed.
func sedScripts(program string) []string {
	var list []string
	for i := 0; i < len(program) && len(list) < maxCommandWords; i++ {
		if program[i] != 'e' || i > 0 && !strings.ContainsRune("0123456789$/;{}! \t\n", rune(program[i-1])) {
			continue
		}
		text, _, _ := strings.Cut(program[i+1:], "\n")
		if text = strings.TrimSpace(text); text != "" {
			list = append(list, text)
		}
	}
	return list
}

// awkScripts returns the strings of a program of awk that may run something.
func awkScripts(program string) []string {
	if !strings.Contains(program, "system") && !strings.Contains(program, "|") {
		return nil
	}
	var list []string
	for len(list) < maxCommandWords {
		_, rest, ok := strings.Cut(program, `"`)
		if !ok {
			return list
		}
		body, rest, ok := cutDelimited(rest, '"')
		if !ok {
			return list
		}
		list = append(list, strings.ReplaceAll(body, `\"`, `"`))
		program = rest
	}
	return list
}

// inspectVariables adds to a command the commands that programs run because of its variables.
// exported is set if the variables surely reach programs. Otherwise they count, too, since the
// environment may hold them already; only those that scripts use for themselves do not.
func (w *walker) inspectVariables(c *Command, assigns []assignment, exported bool) {
	for i, a := range assigns {
		if !exported && isScriptVariable(a.name) {
			continue
		}
		if kind := variableKindOf(a.name); kind == variableSetting {
			w.addGitVariable(c, assigns, i)
		} else {
			w.addVariable(c, kind, a)
		}
		w.guessVariable(c, a.name, a.value)
	}
}

// addVariable adds the commands that programs surely run because of a variable, or marks
// the line unknown where they cannot be told.
func (w *walker) addVariable(c *Command, kind variableKind, a assignment) {
	if kind == variableHome && strings.Contains(w.src, "git") {
		w.markUnknown("git reads its settings below the directory that the variable " + a.name + " names")
	}
	switch {
	case kind != variableCommand && kind != variableUnseen:
	case a.compound || !a.value.known:
		w.markUnknown("what the variable " + a.name + " makes programs run is computed")
	case runsNothingMore(kind, a.name, a.value.value):
	case kind == variableCommand:
		var e effect
		e.addScript(a.value.value)
		w.addStarted(c, e, 0)
	default:
		w.markUnknown("programs may run what the variable " + a.name + " leads to")
	}
}

// addGitVariable adds the commands that git runs because of a variable that gives it a setting.
// Source: git-config(1), ENVIRONMENT.
func (w *walker) addGitVariable(c *Command, assigns []assignment, at int) {
	var e effect
	a := assigns[at]
	number, isKey := strings.CutPrefix(a.name, "GIT_CONFIG_KEY_")
	switch {
	case isKey:
		s := gitSetting{key: a.value}
		for _, other := range assigns {
			if other.name == "GIT_CONFIG_VALUE_"+number && !other.compound {
				s.value = other.value
			}
		}
		if a.compound {
			s.key = arg{}
		}
		e.addGitSetting(s)
	case strings.HasPrefix(a.name, "GIT_CONFIG_VALUE_"), a.name == "GIT_CONFIG_COUNT", a.name == "GIT_CONFIG_NOSYSTEM":
	case a.compound || !a.value.known:
		e.refuseUnseen("a setting of git is computed")
	case a.name == "GIT_CONFIG_PARAMETERS":
		words, ok := splitGitWords(a.value.value)
		if !ok {
			e.refuseUnseen("the settings in GIT_CONFIG_PARAMETERS cannot be understood")
		}
		for _, word := range words {
			e.addGitSetting(gitSettingOf(literalArg(word)))
		}
	case a.value.value != "" && a.value.value != "/dev/null":
		e.refuseUnseen("git runs what the settings of " + a.name + " name")
	}
	w.addStarted(c, e, 0)
}

// guessVariable adds, for deny rules, the commands that a program may run because of a variable:
// its value may be a command line, the options of a program, or a function.
func (w *walker) guessVariable(c *Command, name string, value arg) {
	kind := variableKindOf(name)
	switch {
	case kind == variableHarmless, value.known && value.value == "":
		return
	case !value.known, (file{arg: value}).isProcessSubst():
		w.addNamesIn(c, expansions.ReplaceAllString(value.source, "."), outsideNames, Path{})
		c.RunsUnseen = c.RunsUnseen || namesProgram(kind, name)
		return
	}
	c.RunsUnseen = c.RunsUnseen || loadsCode(kind, name, value.value)
	if program := optionVariables[name]; program != "" {
		w.addScript(c, literalArg(program+" "+value.value), false)
	}
	if strings.HasPrefix(value.value, "()") {
		w.addScript(c, literalArg("f "+value.value), false)
	}
	w.addTexts(c, value.value)
	w.addNamesIn(c, value.value, allNames, Path{})
}

// expansions matches the expansions of variables in the text of a word. Most that stand before
// a path hold the working directory.
var expansions = regexp.MustCompile(`\$(\w+|\{\w+\})`)

// assignmentOf returns the variable that a word sets for the command behind it, as in
// env NAME=value. A word that is not known sets one if its name is written in the line.
func assignmentOf(program string, word arg) (assignment, bool) {
	name, value, found := strings.Cut(word.value, "=")
	if !word.known {
		name, _, found = strings.Cut(strings.Trim(word.source, `"'`), "=")
	}
	if !found || !isName(name) && (program != "env" || !word.known) {
		return assignment{}, false
	}
	return assignment{name: name, value: word.withValue(value), source: word.source}, true
}

// launchedAssignments returns the variables that the words after a launcher set for its
// command. It ends at the first word that surely is the command; between is as in
// inspectLaunched.
func launchedAssignments(program string, args []arg, between int) []assignment {
	var list []assignment
	option := false // the previous word is an option, whose value this word may be
	for _, a := range args {
		assign, ok := assignmentOf(program, a)
		switch {
		case a.known && strings.HasPrefix(a.value, "-"):
			option = true
		case ok:
			list = append(list, assign)
		case option:
			option = false
		case a.known && between == 0:
			return list
		default:
			between--
		}
	}
	return list
}

// exportedAssignments returns the assignments of an export, in which a name without a
// value stands for those that the line gives it.
func (w *walker) exportedAssignments(assigns []assignment) []assignment {
	var list []assignment
	for _, a := range assigns {
		if a.source != a.name {
			list = append(list, a)
			continue
		}
		values := w.bindings()[a.name]
		if len(values) == 0 && mayAssign(w.src, a.name+"=") {
			values = []arg{{}} // not known
		}
		for _, v := range values {
			list = append(list, assignment{name: a.name, value: v, source: a.source})
		}
	}
	return list
}
