package shellparse

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
)

// A pwshWalker collects the effects of a PowerShell line.
type pwshWalker struct {
	lineBuilder
	windows bool // the working directory is a Windows path
}

// parsePowerShell is parse for PowerShell. It understands one plain command. Any other line is
// unknown, and deny rules look at everything in it that could be a command or a file.
func parsePowerShell(line string, env Env, scripts int, state *parserState) Line {
	w := pwshWalker{lineBuilder: lineBuilder{env: env, scriptDepth: scripts, state: state}}
	w.windows = drivePath.MatchString(env.Dir) || strings.HasPrefix(env.Dir, `\\`)
	line = strings.Trim(line, " \t\n")
	if reason := textProblem(line); reason != "" {
		w.markUnknown(reason)
	} else if !plainPwsh.MatchString(line) || endOfWords.MatchString(line) {
		w.markUnknown("the line is not one plain command")
	}
	line = line[:min(len(line), maxUnparsed)]
	if w.line.Unknown != "" || !w.command(plainWords(line)) {
		w.listUnparsed(line)
	}
	if len(w.line.Commands) > 0 {
		w.checkLine(&w.line.Commands[0], line)
	}
	return w.line
}

// The words of a plain line. PowerShell takes typographic quotes, dashes and blanks for those of
// ASCII, so beyond ASCII only letters and digits are plain, and those in quotes. A text in quotes
// holds no quotes and nothing that PowerShell replaces.
const (
	pwshName = `[A-Za-z_./\\~][\w./\\:~+-]*`
	pwshBare = `[\w./\\:=+~^%?*!-]`
	pwshText = `[ !#%&(-_a-~\pL\pN\pM]*`
	pwshWord = `(?:(?:-` + pwshBare + `*[=:])?(?:'` + pwshText + `'|"` + pwshText + `")|` + pwshBare + `+)`
)

var (
	plainPwsh  = regexp.MustCompile(`^` + pwshName + `(?:[ \t]+` + pwshWord + `)*$`)
	plainPart  = regexp.MustCompile(pwshWord)
	endOfWords = regexp.MustCompile(`[ \t]--%([ \t]|$)`) // what follows is for cmd
	pwshQuotes = strings.NewReplacer("'", "", `"`, "")
)

func plainWords(line string) []arg {
	var words []arg
	for _, source := range plainPart.FindAllString(line, -1) {
		a := arg{value: pwshQuotes.Replace(source), source: source, known: true}
		a.glob = a.value == source && strings.ContainsAny(source, "*?")
		words = append(words, a)
	}
	return words
}

// listUnparsed lists everything in a line that is not plain that could be a command.
func (w *pwshWalker) listUnparsed(line string) {
	line = strings.NewReplacer("`", "", ">", " > ").Replace(line)
	for _, piece := range unparsedPieces(line) {
		c := Command{Text: strings.Join(piece, " "), Class: Unknown, Reason: w.line.Unknown}
		var words, files []arg
		for i, word := range piece {
			words = append(words, literalArg(pwshQuotes.Replace(word)))
			if i > 0 && !isParameter(words[i]) {
				files = append(files, words[i])
			}
		}
		w.addAliases(&c, []string{joinValues(words)})
		for i := range words[:min(len(words), maxCommandWords)] {
			c.Nested = append(c.Nested, joinValues(words[i:]))
		}
		cmdlet, _ := w.cmdletOf(programStem(words[0].value))
		writes := !has(pwshReaders, cmdlet) || strings.Contains(c.Text, ">")
		w.addFiles(&c, files, Path{Guess: true, Write: writes, MayWrite: writes})
		if !w.addCommand(c) {
			return
		}
	}
}

func (w *pwshWalker) addCommand(c Command) bool {
	if !w.takeCommand() {
		return false
	}
	c.removeDuplicates()
	w.line.Commands = append(w.line.Commands, c)
	return true
}

// notPlain are words that begin another statement than a command, and commands that run what
// their words say or change what others mean.
const notPlain = ". begin break catch class clean configuration continue data define do dynamicparam else elseif end enum exit" +
	" filter finally for foreach from function if in inlinescript parallel param return sequence switch throw trap try until using var" +
	" while workflow cmd conhost forfiles gsudo import-alias import-module invoke-command invoke-expression invoke-history new-alias" +
	" new-module new-psdrive powershell pwsh runas set-alias start-job start-process wsl"

// command lists the command of a plain line. It returns false if it is none after all.
func (w *pwshWalker) command(words []arg) bool {
	stem := programStem(words[0].value)
	cmdlet, sure := w.cmdletOf(stem)
	if has(notPlain, stem) || has(notPlain, strings.ToLower(cmdlet)) {
		w.markUnknown(words[0].value + " is no plain command")
		return false
	}
	if sure = sure && len(stem) == len(words[0].value); sure {
		words[0] = literalArg(cmdlet)
	}
	c := Command{Text: joinArgs(words, sourceText), Class: Unknown, Reason: "nobody here knows what " + words[0].value + " does"}
	if sure {
		w.addCmdlet(&c, cmdlet, words[1:])
	} else {
		w.addProgram(&c, words)
	}
	w.addAliases(&c, slices.Concat(c.Nested, []string{c.Text, joinValues(words)}))
	return w.addCommand(c)
}

// addAliases adds the texts of commands under all names of their programs and cmdlets.
func (w *pwshWalker) addAliases(c *Command, texts []string) {
	for _, text := range texts {
		name, rest, _ := strings.Cut(text, " ")
		stem := programStem(name)
		cmdlet, _ := w.cmdletOf(stem)
		if cmdlet == "" {
			cmdlet, _ = w.cmdletOf("get-" + stem) // PowerShell also tries this name
		}
		for _, name := range append([]string{path.Base(withSlashes(name)), stem, cmdlet}, strings.Fields(pwshAliases[cmdlet])...) {
			if name != "" {
				c.Nested = append(c.Nested, strings.TrimSpace(name+" "+rest))
			}
		}
	}
}

var programEnding = regexp.MustCompile(`\.(exe|cmd|bat|com|ps1)$`)

// programStem returns the name of a program without its directory and its ending, in lower case.
func programStem(name string) string {
	return programEnding.ReplaceAllString(strings.ToLower(path.Base(withSlashes(name))), "")
}

const (
	// pwshReaders are cmdlets that only read, and pwshParams the parameters with which they
	// still do. Every other word counts as a file that is read.
	pwshReaders = "Get-ChildItem Get-Content Get-Date Get-FileHash Get-Item Get-Location Get-Process Resolve-Path Select-String Test-Path Write-Output"
	pwshParams  = "algorithm allmatches casesensitive context depth directory encoding exclude file filter first force format head hidden id include" +
		" last list literalpath name notmatch path pathtype pattern quiet raw readonly recurse relative simplematch tail totalcount"
)

// addCmdlet adds the effect of a cmdlet: what it reads, or the files that it may write. A
// wildcard stands for everything below the directory before it, since it matches names that begin
// with a dot.
func (w *pwshWalker) addCmdlet(c *Command, cmdlet string, words []arg) {
	reader, removes := has(pwshReaders, cmdlet), cmdlet == "Remove-Item"
	reads, tree, files := reader, removes, []arg(nil)
	for _, word := range words {
		name := word.value
		if isParameter(word) {
			param, value, attached := strings.Cut(strings.ToLower(name[1:]), ":")
			reads = reads && !attached && has(pwshParams, param)
			tree = tree || has("depth recurse", param)
			name = name[len(name)-len(value):]
		}
		if name = withSlashes(name); name == "" {
			continue
		}
		if i := strings.IndexAny(name, "*?["); i >= 0 {
			if slices.Contains(strings.Split(name[i:], "/"), "..") {
				w.markUnknown(word.source + " leads out of a directory that a wildcard stands for")
			}
			name, tree = name[:strings.LastIndexByte(name[:i], '/')+1]+".", true
		}
		rest := name
		if w.windows && drivePath.MatchString(name) {
			rest = name[2:]
		}
		if strings.TrimSpace(name) != name || pwshDrive.MatchString(rest) {
			w.markUnknown("it is not known which file " + word.source + " is")
		}
		files = append(files, literalArg(name))
	}
	if reader && len(files) == 0 {
		files = []arg{literalArg(".")}
	}
	like := Path{Tree: tree, Write: removes}
	if reads {
		c.Class, c.Reason = ReadOnly, ""
	} else if !removes {
		like = Path{Guess: true, Tree: tree || reader, Write: !reader, MayWrite: !reader}
	}
	w.addFiles(c, files, like)
}

// addFiles adds files to a command.
func (w *pwshWalker) addFiles(c *Command, files []arg, like Path) {
	line := w.read(append([]arg{literalArg("cat"), literalArg("--")}, files...))
	if !like.Guess {
		w.markUnknown(line.Unknown)
	}
	for _, read := range line.Commands {
		for _, p := range read.Paths {
			like.Name = p.Name
			c.Paths = append(c.Paths, like)
		}
	}
}

// pwshPrograms are programs that are the same on Windows as elsewhere. Other programs
// there share only the name with the known ones.
const pwshPrograms = "docker gh git go gofmt java javac jq node npm npx php pip python rg ruby tsc"

// addProgram adds the effect of a program that is no cmdlet: that of the same words in bash.
func (w *pwshWalker) addProgram(c *Command, words []arg) {
	words = slices.Clone(words)
	known := !isBuiltin(words[0].value)
	if w.windows {
		words[0].value = strings.ToLower(words[0].value)
		known = has(pwshPrograms, words[0].value)
	}
	for i, word := range words {
		if i > 0 && !w.passesVerbatim(word) {
			words[i].anyNumber, known = true, false
		}
	}
	line := w.read(words)
	if w.markUnknown(line.Unknown); len(line.Commands) != 1 {
		w.markUnknown(c.Reason)
		return
	}
	got := line.Commands[0]
	if !known {
		got.worsen(Unknown, c.Reason)
	}
	got.Text, got.EditsOnly = c.Text, false
	got.NoWildcards = got.NoWildcards || exceedsWildcard(words) || exceedsOptions(words)
	*c = got
}

// passesVerbatim reports whether a program receives a word unchanged from every version
// of PowerShell on every system.
func (w *pwshWalker) passesVerbatim(word arg) bool {
	split := isParameter(word) && word.value[1] != '-' && strings.ContainsAny(word.value, ".:")
	return word.value != "" && !split && !strings.HasSuffix(word.value, `\`) && !strings.HasPrefix(word.value, "~") &&
		(w.windows || !strings.Contains(word.value, `\`))
}

// isParameter reports whether a word names a parameter, as -Path or -Path:a.
func isParameter(word arg) bool {
	return len(word.source) > 1 && word.source[0] == '-' && strings.IndexByte(".0123456789", word.source[1]) < 0
}

// read returns the effects of words as a line of bash, for which a drive is a directory in the root.
func (w *pwshWalker) read(words []arg) Line {
	env := w.env
	env.Shell = Bash
	if w.windows {
		env.Dir, env.Home = unixName(env.Dir), unixName(env.Home)
		if env.GitAliases != nil {
			env.GitAliases = func(dir, home, name string) ([]string, error) {
				return w.env.GitAliases(windowsName(dir), windowsName(home), name)
			}
		}
	}
	var b strings.Builder
	for _, word := range words {
		name := unixName(word.value)
		if rest, ok := strings.CutPrefix(name, "~/"); ok {
			b.WriteString("~/")
			name = rest
		}
		if name != "~" && (w.windows || !word.glob) {
			name = "'" + strings.ReplaceAll(name, "'", "") + "'"
		}
		b.WriteString(name + " ")
	}
	line, unknown := w.readScript(b.String(), env)
	line.Unknown = unknown
	if !w.windows {
		return line
	}
	for _, c := range line.Commands {
		if c.Git != nil {
			c.Git.Dir = windowsName(c.Git.Dir)
		}
		for k := range c.Paths {
			c.Paths[k].Name = windowsName(c.Paths[k].Name)
		}
	}
	return line
}

var (
	// drivePath matches an absolute Windows path.
	drivePath = regexp.MustCompile(`^[A-Za-z]:[/\\]`)
	// pwshDrive matches a name, with slashes, that may be on a drive without files, and no URL or
	// sentence.
	pwshDrive = regexp.MustCompile(`:($|[^/ ]|/($|[^/]))`)
)

func withSlashes(name string) string { return strings.ReplaceAll(name, `\`, "/") }

func unixName(name string) string {
	if drivePath.MatchString(name) {
		name = "/" + name
	}
	return withSlashes(name)
}

// windowsName undoes [unixName].
func windowsName(name string) string {
	if rest, ok := strings.CutPrefix(name, "/"); ok && drivePath.MatchString(rest) {
		name = rest
	}
	return strings.ReplaceAll(name, "/", `\`)
}

// pwshAliases are the aliases of cmdlets, from InitialSessionState.cs of PowerShell
// 7.5, and some cmdlets without aliases.
var pwshAliases = map[string]string{
	"Add-Content": "ac", "Clear-Content": "clc", "Clear-Item": "cli", "Clear-Host": "cls clear", "Compare-Object": "compare diff",
	"Copy-Item": "cpi copy cp", "ForEach-Object": "foreach %", "Format-Custom": "fc", "Format-List": "fl", "Format-Table": "ft",
	"Get-Alias": "gal", "Get-ChildItem": "gci dir ls", "Get-Command": "gcm", "Get-Content": "gc type cat", "Get-History": "ghy h history",
	"Get-Item": "gi", "Get-ItemProperty": "gp", "Get-Location": "gl pwd", "Get-Member": "gm", "Get-Process": "gps ps", "Get-Service": "gsv",
	"Group-Object": "group", "Import-Alias": "ipal", "Import-Module": "ipmo", "Invoke-Command": "icm", "Invoke-Expression": "iex",
	"Invoke-History": "ihy r", "Invoke-Item": "ii", "Invoke-RestMethod": "irm", "Invoke-WebRequest": "iwr curl wget",
	"Measure-Object": "measure", "Move-Item": "mi move mv", "New-Alias": "nal", "New-Item": "ni", "New-Module": "nmo",
	"New-PSDrive": "ndr mount", "New-Variable": "nv", "Pop-Location": "popd", "Push-Location": "pushd",
	"Remove-Item": "ri del erase rd rm rmdir", "Remove-ItemProperty": "rp", "Rename-Item": "rni ren", "Resolve-Path": "rvpa",
	"Select-Object": "select", "Select-String": "sls", "Set-Alias": "sal", "Set-Content": "sc", "Set-Item": "si", "Set-ItemProperty": "sp",
	"Set-Location": "cd chdir sl", "Set-Variable": "sv set", "Sort-Object": "sort", "Start-Job": "sajb", "Start-Process": "saps start",
	"Start-Sleep": "sleep", "Stop-Process": "spps kill", "Tee-Object": "tee", "Where-Object": "where ?", "Write-Output": "echo write",
	"Get-Date": "", "Get-FileHash": "", "Join-Path": "", "Out-File": "", "Out-String": "", "Split-Path": "", "Test-Path": "", "Write-Host": "",
}

// The aliases that only some systems or versions have. Elsewhere a program may have the
// name.
const (
	pwshOnlyWindows = "ac cat clear compare cp diff gsv kill ls mount mv ps rm rmdir sleep sort start tee write"
	pwshOnlyOld     = "curl sc wget"
)

// cmdletOf returns the cmdlet that a name in lower case means or may mean, and whether it surely
// does.
func (w *pwshWalker) cmdletOf(name string) (cmdlet string, sure bool) {
	for cmdlet, aliases := range pwshAliases {
		if name == strings.ToLower(cmdlet) {
			return cmdlet, true
		}
		if has(aliases, name) {
			return cmdlet, !has(pwshOnlyOld, name) && (w.windows || !has(pwshOnlyWindows, name))
		}
	}
	return "", false
}

var (
	// otherMachine matches a name that begins with two slashes, and not a URL.
	otherMachine = regexp.MustCompile(`(^|[\s'"=,(;|&]|::|-\w+:)[\\/]{2}[^\\/\s]`)
	// pwshRemoval matches Remove-Item and the words behind it.
	pwshRemoval = regexp.MustCompile(`(?i)(?:(?:^|[;|&(){}=\n])\s*(?:\.\s)?|\bcmd\b[^;|&\n]*?(/[ckr])` +
		`|\b(?:gsudo|iex|invoke-expression|powershell|pwsh|return|saps|start|start-process|sudo|wsl)\s(?:[^;|&\n]*?\s)?)` +
		`\s*["']?(?:[\w.]+\\)?(?:remove-item|ri|rm|del|erase|rd|rmdir)["']?[ \t]+([^;|&(){}\n]*)`)
	// pwshTexts match what is no code unless something runs a text, as pwshRunners do.
	pwshTexts   = regexp.MustCompile(`'[^']*'|"[^"$]*"`)
	pwshRunners = regexp.MustCompile(`(?i)\b(cmd|icm|iex|invoke-(command|expression)|powershell|pwsh|saps|start(-process|-job)?|wsl)\b`)
	removalWord = regexp.MustCompile(`'[^']*'|"[^"]*"|[^\s,]+`)
	removalFlag = regexp.MustCompile(`(?i)-(exclude|filter|include)[\s:]+\S+|-\w+:?`)
)

// checkLine sets AskReason if a line names a file on another machine, and DenyReason if Remove-Item
// would remove a part of the system, or everything in a directory. It looks at the text only.
func (w *pwshWalker) checkLine(c *Command, line string) {
	text := strings.ReplaceAll(line, "`", "")
	if !pwshRunners.MatchString(text) {
		text = pwshTexts.ReplaceAllStringFunc(text, strings.NewReplacer(";", " ", "|", " ", "&", " ", "(", " ", "{", " ", "=", " ").Replace)
	}
	for _, m := range pwshRemoval.FindAllStringSubmatch(text, -1) {
		for _, word := range removalWord.FindAllString(removalFlag.ReplaceAllString(m[2], " "), -1) {
			isFlag := m[1] != "" && len(word) == 2 && word[0] == '/'
			if what := w.systemLocation(strings.Trim(word, `'"`)); what != "" && !isFlag {
				c.addReasons("Remove-Item would remove "+what, "Remove-Item would remove "+what)
			}
		}
	}
	if otherMachine.MatchString(line) {
		c.addReasons("it names a file on another machine, which gets to know who asks", "")
	}
}

// pwshSystemDirs are the directories in a drive or in the root that belong to the
// system with everything below them.
const pwshSystemDirs = "windows bin boot etc lib lib64 proc sbin sys"

var (
	pwshHome = regexp.MustCompile(`^(~|\$home|\$env:userprofile)(/|$)`)
	pwshRoot = regexp.MustCompile(`^\$env:(systemdrive|systemroot|windir)`)
)

// systemLocation describes a location that must not be removed. It returns an empty
// string for any other.
func (w *pwshWalker) systemLocation(name string) string {
	fold := func(name string) string { return strings.ToLower(withSlashes(name)) }
	home, here, drive := fold(w.env.Home), cmp.Or(fold(w.env.Dir), "/?"), "" // the question mark is a directory that is not known
	name = strings.TrimPrefix(strings.TrimPrefix(fold(name), "//?/"), "//./")
	if home != "" {
		name = pwshHome.ReplaceAllLiteralString(name, home+"/")
	}
	name = pwshRoot.ReplaceAllString(name, "c:/")
	if !strings.HasPrefix(name, "/") && !strings.Contains(name[:min(2, len(name))], ":") {
		name = here + "/" + name
	}
	if len(name) > 1 && name[1] == ':' {
		drive, name = name[:2], name[2:]
	}
	name = path.Clean("/" + name)
	top, _, below := strings.Cut(name[1:], "/")
	switch {
	case strings.Trim(path.Base(name), "*?.[]") == "":
		return "all that is in a directory"
	case !below && (top == "" || !contains(drive+name, here)):
		return "a drive or the root of the file system, or what lies directly in it"
	case has(pwshSystemDirs, top) || strings.HasPrefix(top, "program files"):
		return "a part of the system"
	case home != "" && contains(drive+name, path.Clean(home)):
		return "the home directory"
	}
	return ""
}
