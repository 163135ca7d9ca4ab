package shellparse

import (
	"path"
	"regexp"
	"slices"
	"strings"
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
