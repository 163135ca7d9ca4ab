package shellparse

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// A pwshWalker collects what the commands of a PowerShell line do.
type pwshWalker struct {
	env         Env
	line        Line
	scriptDepth int
	state       *parserState
	windows     bool // the working directory is on a drive
	dirUnknown  bool // the line may have changed the directory
}

// parsePowerShell is [Parse] for PowerShell. It understands plain lines only.
func parsePowerShell(line string, env Env, scripts int, state *parserState) Line {
	w := pwshWalker{env: env, scriptDepth: scripts, state: state, windows: drivePath.MatchString(env.Dir) || strings.HasPrefix(env.Dir, `\\`)}
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

// markUnknown makes the line unknown. The first reason stays.
func (w *pwshWalker) markUnknown(reason string) {
	if w.line.Unknown == "" {
		w.line.Unknown = reason
	}
}

// addCommand lists a command and reports whether there is room for more.
func (w *pwshWalker) addCommand(c Command) bool {
	if w.state.commandsLeft <= 0 {
		w.markUnknown("the line holds too many commands")
		return false
	}
	w.state.commandsLeft--
	c.EditsOnly = c.EditsOnly && c.Class == Mutating
	c.removeDuplicates()
	w.line.Commands = append(w.line.Commands, c)
	return true
}

// command lists a command, given those that read its output and whether it reads
// that of another one.
func (w *pwshWalker) command(pc pwshCommand, behind []pwshCommand, fed bool) bool {
	name := pc.words[0].value
	c := Command{Text: joinArgs(pc.words, sourceText), ReadsInput: fed}
	cmdlet, sure := w.cmdletOf(name)
	table, listed := cmdlets[cmdlet]
	switch {
	case sure && listed:
		w.applyCmdlet(&c, cmdlet, table.bind(pc.words[1:]), fed, behind)
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
		w.dirUnknown = true // scripts and functions change the directory for all, and so do C: and cd..
	}
	return w.addCommand(c)
}

// applyCmdlet adds what a cmdlet does to a command.
func (w *pwshWalker) applyCmdlet(c *Command, name string, b boundParams, fed bool, behind []pwshCommand) {
	table := cmdlets[name]
	if table.changes != "" {
		c.worsen(Mutating, name+" "+table.changes)
		c.EditsOnly = !b.quoted && w.isOrdinaryEdit(name, b)
	}
	if b.reason != "" {
		c.worsen(Unknown, b.reason)
	}
	tree := b.reason != "" || b.hasParam("recurse") || b.hasParam("depth") || // a word nobody knows may be short for -Recurse
		name == "Get-ChildItem" && w.pipesToSelectString(behind)
	switch {
	case len(b.files) > 0 || !table.takesFiles():
	case fed && name != "Select-String":
		w.markUnknown(name + " gets its files through a pipe")
	case name == "Get-ChildItem":
		b.files = []pwshFile{{arg: literalArg(".")}}
	case name != "Set-Location" && !fed:
		c.worsen(Unknown, name+" asks for a file")
	}
	for _, f := range b.files {
		w.addFile(c, f, Path{Write: table.changes != "", Tree: tree})
	}
}

// pipesToSelectString reports whether one of the commands behind a pipe reads the files that
// come through it.
func (w *pwshWalker) pipesToSelectString(behind []pwshCommand) bool {
	for _, pc := range behind {
		if name, _ := w.cmdletOf(pc.words[0].value); name == "Select-String" {
			return true
		}
	}
	return false
}

// addFile adds a file of a cmdlet. A wildcard stands for all that is below the
// directory before it: unlike that of other shells it matches names that start
// with a dot, in any letter case.
func (w *pwshWalker) addFile(c *Command, f pwshFile, like Path) {
	switch {
	case f.maybeSeveral:
		w.markUnknown("a list of files is not understood")
		return
	case !startsWithQuote(f.source) && pwshNumber.MatchString(f.value):
		w.markUnknown(f.source + " may be a number")
		return
	}
	w.addPath(c, f.value, f.literal, like)
}

// addPath adds a file that is known by its name.
func (w *pwshWalker) addPath(c *Command, file string, literal bool, like Path) {
	name, wild, ok := w.resolvePath(file, literal)
	if ok {
		like.Name, like.Tree = name, like.Tree || wild
		c.Paths = append(c.Paths, like)
	}
}

// nativeProgram adds what a program does that is no cmdlet. PowerShell passes words on
// as they are, if they are plain enough.
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
		if f.known && f.value != "" && !isStandardStream(f.value) {
			w.addPath(c, f.value, !f.glob, Path{Write: f.write, Tree: f.tree, Guess: f.guess})
		}
	}
	for _, run := range e.runs {
		w.inspectNested(c, run, 1)
	}
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

// exceedsWildcard is [exceedsWildcard] for words that programs may get in another form.
func (w *pwshWalker) exceedsWildcard(words []arg) bool {
	words = slices.Clone(words)
	for i, word := range words[1:] {
		words[i+1].maybeSeveral = !w.passesVerbatim(word)
	}
	return exceedsWildcard(words)
}

// passesVerbatim reports whether a program gets a word as it stands, whichever version of
// PowerShell passes it and on whatever system.
func (w *pwshWalker) passesVerbatim(word arg) bool {
	split := isParameter(word) && word.value[1] != '-' && strings.ContainsAny(word.value, ".:")
	return word.value != "" && !word.maybeSeveral && !split && !strings.ContainsAny(word.value, `"`) && !strings.HasSuffix(word.value, `\`) &&
		!strings.HasPrefix(word.value, "~") && (w.windows || !strings.Contains(word.value, `\`))
}

var (
	// drivePath is an absolute path of Windows.
	drivePath = regexp.MustCompile(`^[A-Za-z]:[/\\]`)
	// pwshNumber is a bare word that PowerShell may read as a number.
	pwshNumber = regexp.MustCompile(`(?i)^[-+]?(0x[0-9a-f]+|0b[01]+|\d*\.?\d+(e[-+]?\d+)?)(u?[ysln]|d)?([kmgtp]b)?$`)
)

// resolvePath returns the absolute name of a file, or the directory before the first
// wildcard in it. It is not ok if nobody knows which file it is.
func (w *pwshWalker) resolvePath(file string, literal bool) (name string, wild, ok bool) {
	name = withSlashes(file)
	if i := strings.IndexAny(name, "*?["); i >= 0 && !literal {
		name, wild = name[:strings.LastIndexByte(name[:i], '/')+1]+".", true
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

// isOrdinaryEdit reports whether a mode for edits may cover what a cmdlet does: whether
// it removes neither the working directory nor one that holds it.
func (w *pwshWalker) isOrdinaryEdit(name string, b boundParams) bool {
	for _, f := range b.files {
		if name == "Remove-Item" && w.env.Dir != "" && contains(w.foldPath(f.value), strings.ToLower(withSlashes(w.env.Dir))) {
			return false
		}
	}
	return true
}

// foldPath is the one spelling of a file that removals are judged by: absolute,
// clean, with slashes, in lower case.
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
