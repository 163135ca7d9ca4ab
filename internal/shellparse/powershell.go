package shellparse

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A pwshWalker collects the effects of the commands of a PowerShell line.
type pwshWalker struct {
	lineBuilder
	windows    bool // the working directory is a Windows path
	dirUnknown bool // the line may have changed the directory
}

// parsePowerShell is parse for PowerShell. It understands plain lines only.
func parsePowerShell(line string, env Env, scripts int, state *parserState) Line {
	w := pwshWalker{lineBuilder: lineBuilder{env: env, scriptDepth: scripts, state: state}}
	w.windows = drivePath.MatchString(env.Dir) || strings.HasPrefix(env.Dir, `\\`)
	reason := textProblem(line)
	var pipelines [][]pwshCommand
	if reason == "" {
		var err error
		if pipelines, err = lexPwsh(line); err != nil {
			reason = err.Error()
		}
	}
	if reason != "" {
		w.markUnknown(reason)
		w.listUnparsed(line)
		return w.line
	}
	for _, p := range pipelines {
		for i, c := range p {
			if !w.command(c, p[i+1:], i > 0) {
				return w.line
			}
		}
	}
	return w.line
}

// addCommand lists a command and reports whether the budget allows more.
func (w *pwshWalker) addCommand(c Command) bool {
	if !w.takeCommand() {
		return false
	}
	c.EditsOnly = c.EditsOnly && c.Class == Mutating
	c.removeDuplicates()
	w.line.Commands = append(w.line.Commands, c)
	return true
}

// command lists a command. behind are the commands that read its output; hasInput is set if
// it reads the output of another command itself.
func (w *pwshWalker) command(pc pwshCommand, behind []pwshCommand, hasInput bool) bool {
	name := pc.words[0].value
	c := Command{Text: joinArgs(pc.words, sourceText), ReadsInput: hasInput}
	cmdlet, sure := w.cmdletOf(name)
	table, listed := cmdlets[cmdlet]
	switch {
	case sure && listed:
		w.applyCmdlet(&c, cmdlet, table.bind(pc.words[1:]), hasInput, behind)
	case sure:
		c.worsen(Unknown, "nobody here knows what "+cmdlet+" does")
	default:
		w.nativeProgram(&c, pc.words)
	}
	if sure || cmdlet != "" && !w.windows && c.Class == ReadOnly {
		c.Text = strings.TrimSuffix(cmdlet+" "+joinArgs(pc.words[1:], sourceText), " ")
	}
	w.inspectNested(&c, pc.words, 0)
	for _, target := range pc.targets {
		w.checkNames(&c, target)
		if name, _, ok := w.resolvePath(target.value, true); ok {
			w.line.Paths = append(w.line.Paths, Path{Name: name, Write: true})
		}
	}
	if c.Class == Unknown {
		w.addGuesses(&c, pc.words)
	}
	if pwshDirCmdlets[cmdlet] || cmdlet == "" && (strings.ContainsAny(name, `:/\-`) || strings.HasSuffix(name, "..")) {
		w.dirUnknown = true // scripts and functions may change the directory, as C: and cd.. do
		w.markEntered(&c, name, pwshDirCmdlets[cmdlet])
	}
	return w.addCommand(c)
}

// markEntered marks the directories that a command changes to. A function such as cd.. has
// the directory in its name.
func (w *pwshWalker) markEntered(c *Command, name string, cmdlet bool) {
	for i := range c.Paths {
		c.Paths[i].Enters = c.Paths[i].Enters || cmdlet && !c.Paths[i].Write
	}
	if strings.HasSuffix(name, "..") {
		w.addPath(c, "..", true, Path{Guess: true, Enters: true})
	}
}

// applyCmdlet adds the effect of a cmdlet to a command.
func (w *pwshWalker) applyCmdlet(c *Command, name string, b boundParams, hasInput bool, behind []pwshCommand) {
	table := cmdlets[name]
	if table.changes != "" {
		c.worsen(Mutating, name+" "+table.changes)
		c.EditsOnly = !b.quoted && w.isOrdinaryEdit(name, b)
	}
	if b.reason != "" {
		c.worsen(Unknown, b.reason)
	}
	tree := b.reason != "" || b.hasParam("recurse") || b.hasParam("depth") || // an unknown word may abbreviate -Recurse
		name == "Get-ChildItem" && w.pipesToSelectString(behind)
	switch {
	case len(b.files) > 0 || !table.takesFiles():
	case hasInput && name != "Select-String":
		w.markUnknown(name + " gets its files through a pipe")
	case name == "Get-ChildItem":
		b.files = []pwshFile{{arg: literalArg(".")}}
	case name != "Set-Location" && !hasInput:
		c.worsen(Unknown, name+" asks for a file")
	}
	for _, f := range b.files {
		w.addFile(c, f, Path{Write: table.changes != "", Tree: tree})
	}
}

// pipesToSelectString reports whether one of the following commands is Select-String,
// which reads the files that come through the pipe.
func (w *pwshWalker) pipesToSelectString(behind []pwshCommand) bool {
	for _, pc := range behind {
		if name, _ := w.cmdletOf(pc.words[0].value); name == "Select-String" {
			return true
		}
	}
	return false
}

// addFile adds a file of a cmdlet. A wildcard stands for everything below the directory
// before it: unlike in other shells it matches names that begin with a dot, and ignores
// case.
func (w *pwshWalker) addFile(c *Command, f pwshFile, like Path) {
	switch {
	case f.anyNumber:
		w.markUnknown("a list of files is not understood")
		return
	case !startsWithQuote(f.source) && pwshNumber.MatchString(f.value):
		w.markUnknown(f.source + " may be a number")
		return
	}
	w.addPath(c, f.value, f.literal, like)
}

// addPath adds a file whose name is known.
func (w *pwshWalker) addPath(c *Command, file string, literal bool, like Path) {
	name, wild, ok := w.resolvePath(file, literal)
	if ok {
		like.Name, like.Tree = name, like.Tree || wild
		c.Paths = append(c.Paths, like)
	}
}

// nativeProgram adds the effect of a program that is not a cmdlet. PowerShell passes
// plain words on unchanged.
func (w *pwshWalker) nativeProgram(c *Command, words []arg) {
	name := words[0].value
	c.NoWildcards = w.exceedsWildcard(words)
	if w.windows {
		name = asciiLower(name)
		if !has(pwshPrograms, name) {
			c.worsen(Unknown, "nobody here knows what "+name+" does")
			return
		}
	}
	if strings.ContainsAny(name, `/\`) {
		c.worsen(Unknown, "a program given by its path may be any program")
		return
	}
	for _, word := range words[1:] {
		if !w.passesVerbatim(word) {
			c.worsen(Unknown, "programs may get "+word.source+" in another form")
		}
	}
	e := effectOf(name, words[1:])
	c.worsen(e.class, e.reason)
	c.NoWildcards, c.AskReason, c.Hosts = c.NoWildcards || e.noWildcards, e.askReason, e.hosts
	if c.AskReason == "" {
		c.AskReason = removalReason(name, e.files, w.env.Dir, w.env.Home)
	}
	for _, f := range e.files {
		if f.inHome {
			f.value = joinDir(w.env.Home, f.value)
		}
		if f.known && f.value != "" && !isStandardStream(f.value) {
			w.addPath(c, f.value, !f.glob, Path{Write: f.write, Tree: f.tree, Guess: f.guess})
		}
	}
	w.addStarted(c, e)
	switch {
	case e.git == nil:
	case w.dirUnknown || w.env.Dir == "":
		c.worsen(Unknown, "git in a directory that is not known")
	case e.git.Dir == "":
		c.Git = &Git{Dir: w.env.Dir}
	default:
		dir, _, _ := w.resolvePath(e.git.Dir, true)
		c.Git = &Git{Dir: dir}
	}
}

// addStarted adds the commands that an effect starts.
func (w *pwshWalker) addStarted(c *Command, e effect) {
	runs := e.runs
	if e.alias != nil {
		found := w.aliasEffect(e.alias, []string{w.env.Dir})
		runs = append(runs, found.runs...)
		c.NoWildcards = c.NoWildcards || found.noWildcards
		if e.lineUnknown == "" {
			e.lineUnknown = found.lineUnknown
		}
	}
	for _, s := range e.aliases {
		w.addAliasDefinition(s)
	}
	if e.lineUnknown != "" {
		w.markUnknown(e.lineUnknown)
	}
	for _, run := range runs {
		w.inspectNested(c, run, 1)
	}
}

// exceedsWildcard is [exceedsWildcard] for words that a program may receive in another
// form.
func (w *pwshWalker) exceedsWildcard(words []arg) bool {
	words = slices.Clone(words)
	for i, word := range words[1:] {
		words[i+1].anyNumber = !w.passesVerbatim(word)
	}
	return exceedsWildcard(words) || exceedsOptions(words)
}

// passesVerbatim reports whether a program receives a word unchanged from every version
// of PowerShell on every system.
func (w *pwshWalker) passesVerbatim(word arg) bool {
	split := isParameter(word) && word.value[1] != '-' && strings.ContainsAny(word.value, ".:")
	return word.value != "" && !word.anyNumber && !split && !strings.ContainsAny(word.value, `"`) && !strings.HasSuffix(word.value, `\`) &&
		!strings.HasPrefix(word.value, "~") && (w.windows || !strings.Contains(word.value, `\`))
}

var (
	// drivePath matches an absolute Windows path.
	drivePath = regexp.MustCompile(`^[A-Za-z]:[/\\]`)
	// pwshNumber matches a bare word that PowerShell may read as a number.
	pwshNumber = regexp.MustCompile(`(?i)^[-+]?(0x[0-9a-f]+|0b[01]+|\d*\.?\d+(e[-+]?\d+)?)(u?[ysln]|d)?([kmgtp]b)?$`)
)

// resolvePath returns the absolute name of a file, or of the directory before its first
// wildcard. It reports false if it is not known which file is meant.
func (w *pwshWalker) resolvePath(file string, literal bool) (name string, wild, ok bool) {
	name = withSlashes(file)
	if i := strings.IndexAny(name, "*?["); i >= 0 && !literal {
		behind := strings.Split(name[i:], "/")[1:]
		if name, wild = name[:strings.LastIndexByte(name[:i], '/')+1]+".", true; slices.Contains(behind, "..") {
			w.markUnknown(file + " leads out of a directory that a wildcard stands for")
			name += strings.Repeat("/..", len(behind)) // at least as far
		}
	}
	drive := drivePath.MatchString(name)
	rest := name
	if drive {
		rest = name[2:]
	}
	switch {
	case strings.TrimSpace(name) != name || name == "":
		w.markUnknown("the name of a file is not plain")
		return name, wild, false
	case strings.Contains(rest, ":") || drive && !w.windows:
		w.markUnknown(file + " may be on a drive of another kind")
		return name, wild, false
	case name == "~" || strings.HasPrefix(name, "~/"):
		if w.env.Home == "" {
			w.markUnknown("the home directory is not known")
			return name, wild, false
		}
		name = w.env.Home + name[1:]
	case !drive && name[0] != '/':
		if w.dirUnknown || w.env.Dir == "" {
			w.markUnknown("the directory is not known when the line names the file " + file)
			return name, wild, true
		}
		name = joinDir(withSlashes(w.env.Dir), name)
	}
	if w.windows {
		name = strings.ReplaceAll(name, "/", `\`)
	}
	return name, wild, true
}

// isOrdinaryEdit reports whether a mode that accepts edits may cover a cmdlet: it does
// not remove the working directory or a directory above it.
func (w *pwshWalker) isOrdinaryEdit(name string, b boundParams) bool {
	for _, f := range b.files {
		if name == "Remove-Item" && w.env.Dir != "" && contains(w.foldPath(f.value), strings.ToLower(withSlashes(w.env.Dir))) {
			return false
		}
	}
	return true
}

// foldPath returns the spelling by which removals are judged: absolute, cleaned, with
// slashes, in lower case.
func (w *pwshWalker) foldPath(name string) string {
	name = strings.ToLower(withSlashes(name))
	name = strings.TrimPrefix(strings.TrimPrefix(name, "//?/"), "//./")
	for _, home := range []string{"~", "$home", "$env:userprofile"} {
		if w.env.Home != "" && (name == home || strings.HasPrefix(name, home+"/")) {
			name = strings.ToLower(withSlashes(w.env.Home)) + name[len(home):]
		}
	}
	for _, root := range []string{"$env:systemdrive", "$env:systemroot", "$env:windir"} {
		if strings.HasPrefix(name, root) {
			name = "c:/" + name[len(root):]
		}
	}
	switch {
	case len(name) > 1 && name[1] == ':':
		return name[:2] + path.Clean("/"+name[2:])
	case !strings.HasPrefix(name, "/") && (strings.HasPrefix(withSlashes(w.env.Dir), "/") || w.windows):
		return w.foldPath(w.env.Dir + "/" + name)
	}
	return path.Clean(name)
}

func withSlashes(name string) string { return strings.ReplaceAll(name, `\`, "/") }

// A pwshCommand is one command of a pipeline. A word that is a comma-separated list has
// anyNumber set.
type pwshCommand struct {
	words   []arg
	targets []arg // files that redirections write
}

// A pwshLexer splits the plain subset of PowerShell: bare words, strings without
// expansions, separators of commands, and redirections to files. It returns an error
// for anything else.
type pwshLexer struct {
	src       string // unread rest of the line
	pipelines [][]pwshCommand
	pipeline  []pwshCommand
	command   pwshCommand
	open      bool // a command must follow the last separator
}

var errNotComplete = errors.New("the line is not complete or not valid")

// lexPwsh returns the pipelines of a line. PowerShell treats typographic quotes, dashes
// and blanks like those of ASCII, so a line with such a character is an error.
func lexPwsh(line string) ([][]pwshCommand, error) {
	for _, r := range line {
		if r >= utf8.RuneSelf && !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) {
			return nil, fmt.Errorf("PowerShell may take the character %U for a quote, dash or blank", r)
		}
	}
	l := pwshLexer{src: line}
	for {
		l.blanks()
		if l.src == "" {
			return l.pipelines, l.end(false)
		}
		if err := l.next(); err != nil {
			return nil, err
		}
	}
}

func (l *pwshLexer) blanks() { l.src = strings.TrimLeft(l.src, " \t") }

// take removes a prefix of the rest of the line, if it is there.
func (l *pwshLexer) take(prefix string) bool {
	rest, ok := strings.CutPrefix(l.src, prefix)
	l.src = rest
	return ok
}

// atEnd reports whether a word ends here.
func (l *pwshLexer) atEnd() bool {
	return l.src == "" || strings.IndexByte(" \t\n;|", l.src[0]) >= 0 || strings.HasPrefix(l.src, "&&")
}

// next reads a separator, a redirection or a word.
func (l *pwshLexer) next() error {
	first := len(l.command.words) == 0
	switch {
	case l.take("&&"), l.take("||"):
		return l.end(true)
	case l.open && first && l.take("\n"):
		return nil
	case l.take("\n"), l.take(";"):
		return l.end(false)
	case l.take("|"):
		return l.pipe()
	case l.src[0] == '&':
		return errors.New("& runs what it is given, or starts a job")
	}
	if op := redirectOperator.FindString(l.src); op != "" {
		l.src = l.src[len(op):]
		return l.redirect()
	}
	word, err := l.word()
	if err == nil && first {
		err = pwshNameProblem(word)
	}
	l.command.words = append(l.command.words, word)
	return err
}

// pipe ends a command whose output another command reads.
func (l *pwshLexer) pipe() error {
	if len(l.command.words) == 0 {
		return errNotComplete
	}
	l.pipeline = append(l.pipeline, l.command)
	l.command, l.open = pwshCommand{}, true
	return nil
}

// end ends a pipeline. open is set if another one must follow.
func (l *pwshLexer) end(open bool) error {
	if len(l.command.words) == 0 {
		if open || l.open || len(l.command.targets) > 0 {
			return errNotComplete
		}
		return nil
	}
	l.pipelines = append(l.pipelines, append(l.pipeline, l.command))
	l.pipeline, l.command, l.open = nil, pwshCommand{}, open
	return nil
}

// redirectOperator matches the operator of an output redirection.
var redirectOperator = regexp.MustCompile(`^[1-6*]?>>?`)

// redirect reads the target of a redirection: another stream, $null or a file.
func (l *pwshLexer) redirect() error {
	if l.take("&1") || l.take("&2") {
		if !l.atEnd() {
			return errNotComplete
		}
		return nil
	}
	l.blanks()
	if len(l.src) >= len("$null") && strings.EqualFold(l.src[:len("$null")], "$null") {
		l.src = l.src[len("$null"):]
		if !l.atEnd() {
			return errors.New("a redirection leads to what a variable holds")
		}
		return nil
	}
	if l.atEnd() {
		return errNotComplete
	}
	word, err := l.word()
	if word.anyNumber || strings.ContainsAny(word.value, "*?[") || strings.HasPrefix(word.source, "-") {
		return errors.New("the target of a redirection cannot be known")
	}
	l.command.targets = append(l.command.targets, word)
	return err
}

// isBareByte reports whether a byte has no special meaning in a bare word.
func isBareByte(c byte) bool {
	return c >= utf8.RuneSelf || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' ||
		strings.IndexByte(`_-./\:=+~^%?*!`, c) >= 0
}

// beforeString matches the part of a word that may precede a string.
var beforeString = regexp.MustCompile(`^-[^,]*[=:]$`)

// startsWithQuote reports whether a word begins with a string.
func startsWithQuote(source string) bool {
	return source != "" && (source[0] == '\'' || source[0] == '"')
}

// word reads a word: a string, or bare characters. A string may follow these only as in
// --name="a b" and -Name:"a b".
func (l *pwshLexer) word() (w arg, err error) {
	whole := l.src
	quoted := startsWithQuote(whole)
	for !quoted && l.src != "" {
		switch c := l.src[0]; {
		case isBareByte(c):
			w.value += l.src[:1]
			l.src = l.src[1:]
			continue
		case c == ',':
			w.value += ","
			w.anyNumber = true
			l.src = l.src[1:]
			l.blanks() // the list continues
			if l.src == "" || !isBareByte(l.src[0]) || len(w.value) == 1 {
				return w, errors.New("a list is not plain")
			}
			continue
		}
		break
	}
	w.known, w.glob = !w.anyNumber, !quoted && strings.ContainsAny(w.value, "*?")
	if startsWithQuote(l.src) {
		if !quoted && !beforeString.MatchString(w.value) {
			return w, errors.New("a quote stands within a word")
		}
		var text string
		if text, err = l.text(); err != nil {
			return w, err
		}
		w.value += text
	}
	w.source = whole[:len(whole)-len(l.src)]
	switch {
	case !l.atEnd():
		return w, fmt.Errorf("the line holds %q where it is not plain", l.src[0])
	case w.source == "--%":
		return w, errors.New("--% ends the reading of the line")
	}
	return w, nil
}

// text reads a string without expansions.
func (l *pwshLexer) text() (string, error) {
	quote := l.src[:1]
	l.src = l.src[1:]
	var b strings.Builder
	for {
		text, rest, ok := strings.Cut(l.src, quote)
		if !ok {
			return "", errNotComplete
		}
		if quote == `"` && strings.ContainsAny(text, "$`") {
			return "", errors.New("a string holds what PowerShell replaces")
		}
		b.WriteString(text)
		l.src = rest
		if !l.take(quote) {
			return b.String(), nil
		}
		b.WriteString(quote)
	}
}

// pwshKeywords begin a statement that is not a command.
const pwshKeywords = " begin break catch class clean configuration continue data define do dynamicparam else elseif" +
	" end enum exit filter finally for foreach from function if in inlinescript parallel param" +
	" return sequence switch throw trap try until using var while workflow "

// pwshNameProblem returns why a word cannot be the name of a plain command.
func pwshNameProblem(word arg) error {
	switch c := word.value[:min(1, len(word.value))]; {
	case startsWithQuote(word.source):
		return errors.New("an expression stands where a command is expected")
	case word.source == "%" || word.source == "?":
		return nil
	case word.source == ".":
		return errors.New("a script that is read changes what follows")
	case word.anyNumber || word.glob || startsWithQuote(word.source[len(word.source)-1:]) || c[0] < utf8.RuneSelf && !isNameStart(c[0]):
		return errors.New("an expression stands where a command is expected")
	case strings.Contains(pwshKeywords, " "+strings.ToLower(word.value)+" "):
		return errors.New("the line holds a statement that is no command")
	}
	return nil
}

func isNameStart(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || strings.IndexByte(`_./\~`, c) >= 0
}

// splitParameter splits a word such as -Path or -Path:a that names a parameter. If the
// colon ends the word, the value is the next word.
func splitParameter(word arg) (name, value string, ok bool) {
	if startsWithQuote(word.source) || len(word.value) < 2 || word.value[0] != '-' || strings.IndexByte(".0123456789", word.value[1]) >= 0 {
		return "", "", false
	}
	name, value, _ = strings.Cut(word.value[1:], ":")
	return name, value, true
}
