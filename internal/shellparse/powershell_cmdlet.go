package shellparse

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/seed49eaa51d/pegboard/internal/shelltable"
)

// A cmdletSpec lists the parameters of a cmdlet and their effects. Any other parameter,
// including an abbreviation that PowerShell accepts, makes the command unknown.
type cmdletSpec struct {
	source string // the manual that the parameters were taken from
	// params are the parameters in lower case, each with a mark for its value: none for
	// a switch, = for text, < for files, ! for files without wildcards, ? for a pattern
	// that stays in its directory.
	params string
	// positional are the parameters that receive words without a parameter name, in
	// order. A plus lets the last one receive all remaining words.
	positional string
	changes    string // its change, such as "writes files"; empty for cmdlets that only read
}

// Parameters that many cmdlets share.
const (
	pwshCommonParams = " verbose erroraction="
	pwshFileParams   = " path< literalpath!"
	pwshFilterParams = " filter? include? exclude? force"
)

const (
	pwshManagement = "Microsoft.PowerShell.Management 7.5 reference"
	pwshUtility    = "Microsoft.PowerShell.Utility 7.5 reference"
)

// cmdlets are the known cmdlets. They take precedence over programs.
var cmdlets = map[string]cmdletSpec{
	"Compare-Object": {source: pwshUtility, positional: "referenceobject differenceobject",
		params: "referenceobject= differenceobject= property= syncwindow= casesensitive excludedifferent includeequal passthru"},
	"Format-List": {source: pwshUtility, positional: "property", params: "property= groupby= force"},
	"Format-Table": {source: pwshUtility, positional: "property",
		params: "property= groupby= autosize force hidetableheaders repeatheader wrap"},
	"Get-ChildItem": {source: pwshManagement, positional: "path filter",
		params: "attributes= depth= directory file hidden name readonly recurse system" + pwshFileParams + pwshFilterParams},
	"Get-Content": {source: pwshManagement, positional: "path",
		params: "asbytestream delimiter= encoding= first= head= last= raw readcount= tail= totalcount=" + pwshFileParams + pwshFilterParams},
	"Get-Date":     {source: pwshUtility, positional: "date", params: "asutc date= displayhint= format= uformat="},
	"Get-FileHash": {source: pwshUtility, positional: "path", params: "algorithm=" + pwshFileParams},
	"Get-Item":     {source: pwshManagement, positional: "path", params: pwshFileParams + pwshFilterParams},
	"Get-Location": {source: pwshManagement},
	"Get-Process":  {source: pwshManagement, positional: "name", params: "id= name="},
	"Join-Path": {source: pwshManagement, positional: "path childpath additionalchildpath+",
		params: "additionalchildpath= childpath= path="},
	"Measure-Object": {source: pwshUtility, positional: "property",
		params: "allstats average character ignorewhitespace line maximum minimum property= standarddeviation sum word"},
	"Out-String":   {source: pwshUtility, params: "nonewline stream width="},
	"Resolve-Path": {source: pwshManagement, positional: "path", params: "force relative" + pwshFileParams},
	"Select-Object": {source: pwshUtility, positional: "property",
		params: "excludeproperty= expandproperty= first= index= last= property= skip= skiplast= unique wait"},
	"Select-String": {source: pwshUtility, positional: "pattern path",
		params: "allmatches casesensitive context= encoding= exclude? include? list noemphasis notmatch pattern= quiet raw simplematch" + pwshFileParams},
	"Set-Location": {source: pwshManagement, positional: "path", params: "passthru" + pwshFileParams},
	"Sort-Object": {source: pwshUtility, positional: "property",
		params: "bottom= casesensitive descending property= stable top= unique"},
	"Split-Path": {source: pwshManagement, positional: "path",
		params: "extension isabsolute leaf leafbase literalpath= noqualifier parent path= qualifier"},
	"Test-Path": {source: pwshManagement, positional: "path", params: "exclude? filter? include? isvalid pathtype=" + pwshFileParams},
	"Where-Object": {source: "Microsoft.PowerShell.Core 7.5 reference", positional: "property value",
		params: "property= value= eq ne gt ge lt le like notlike match notmatch contains notcontains in notin is isnot not" +
			" ceq cne cgt cge clt cle clike cnotlike cmatch cnotmatch ccontains cnotcontains cin cnotin"},
	"Write-Output": {source: pwshUtility, positional: "inputobject+", params: "inputobject= noenumerate"},

	"Add-Content": {source: pwshManagement, positional: "path value", changes: "writes files",
		params: "asbytestream encoding= force nonewline passthru value=" + pwshFileParams},
	"Clear-Content": {source: pwshManagement, positional: "path", changes: "empties files", params: "force" + pwshFileParams},
	"Remove-Item":   {source: pwshManagement, positional: "path", changes: "removes files", params: "recurse" + pwshFileParams + pwshFilterParams},
	"Set-Content": {source: pwshManagement, positional: "path value", changes: "writes files",
		params: "asbytestream encoding= force nonewline passthru value=" + pwshFileParams},
}

// takesFiles reports whether a cmdlet takes files.
func (t cmdletSpec) takesFiles() bool { return strings.Contains(t.params, "<") }

// kindOf looks up a parameter, whose name is in lower case.
func (t cmdletSpec) kindOf(name string) (mark string, ok bool) {
	if name == "" || strings.ContainsAny(name, "=<!? ") {
		return "", false
	}
	return markOf(t.params+pwshCommonParams, name, "=<!?")
}

// A pwshFile is a word that names a file.
type pwshFile struct {
	arg
	literal bool // wildcards have no special meaning
}

// boundParams are the words of a cmdlet, assigned to its parameters.
type boundParams struct {
	params []string // of the parameters
	files  []pwshFile
	quoted bool   // a positional word contains a quote
	reason string // why the effect of the cmdlet is not known; empty if it is known
}

func (b boundParams) hasParam(name string) bool { return slices.Contains(b.params, name) }

// refuse records why the effect of the cmdlet is not known. The first reason is kept.
func (b *boundParams) refuse(reason string) {
	if b.reason == "" {
		b.reason = reason
	}
}

// bind assigns words to the parameters of a cmdlet. A word that fits none is taken as a
// file if the cmdlet takes files.
func (t cmdletSpec) bind(words []arg) boundParams {
	var b boundParams
	var loose []arg
	for i := 0; i < len(words); i++ {
		word := words[i]
		name, value, ok := splitParameter(word)
		if !ok {
			loose = append(loose, word)
			continue
		}
		mark, known := t.kindOf(asciiLower(name))
		attached := strings.Contains(word.value, ":")
		if !known || attached && mark == "" {
			b.refuse("the parameter -" + name + " is not known")
			if value != "" && t.takesFiles() {
				b.files = append(b.files, pwshFile{arg: arg{value: value, source: word.source}})
			}
			continue
		}
		b.params = append(b.params, asciiLower(name))
		if mark == "" {
			continue
		}
		of := arg{value: value, source: word.source, anyNumber: word.anyNumber}
		if value == "" {
			if i+1 == len(words) || isParameter(words[i+1]) {
				b.refuse("the parameter -" + name + " has no value")
				continue
			}
			i++
			of = words[i]
		}
		b.assign(mark, of)
	}
	t.placeWords(&b, loose)
	return b
}

func isParameter(word arg) bool {
	_, _, ok := splitParameter(word)
	return ok
}

// assign gives a word to a parameter of the given kind.
func (b *boundParams) assign(mark string, word arg) {
	switch mark {
	case "<", "!":
		b.files = append(b.files, pwshFile{arg: word, literal: mark == "!"})
	case "?":
		if word.anyNumber || strings.ContainsAny(word.value, `/\:`) || strings.Contains(word.value, "..") {
			b.refuse("the pattern " + word.source + " may lead elsewhere")
		}
	}
}

// placeWords assigns words without a parameter name to the remaining positional
// parameters.
func (t cmdletSpec) placeWords(b *boundParams, words []arg) {
	places := strings.Fields(t.positional)
	for _, word := range words {
		b.quoted = b.quoted || strings.ContainsAny(word.source, `'"`)
		for len(places) > 0 && (b.hasParam(places[0]) || places[0] == "path" && b.hasParam("literalpath")) {
			places = places[1:]
		}
		if len(places) == 0 {
			b.refuse(word.source + " is one word too many")
			if t.takesFiles() {
				b.assign("<", word)
			}
			continue
		}
		name, all := strings.CutSuffix(places[0], "+")
		mark, _ := t.kindOf(name)
		b.assign(mark, word)
		if !all {
			places = places[1:]
		}
	}
}

// asciiLower returns text in lower case as PowerShell compares names: only ASCII
// letters change.
func asciiLower(text string) string {
	b := []byte(text)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] += 'a' - 'A'
		}
	}
	return string(b)
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

// cmdletOf returns the cmdlet that a name means or may mean, and whether it surely
// does.
func (w *pwshWalker) cmdletOf(name string) (cmdlet string, sure bool) {
	name = asciiLower(name)
	for cmdlet, aliases := range pwshAliases {
		if name == asciiLower(cmdlet) {
			return cmdlet, true
		}
		if has(aliases, name) {
			return cmdlet, !has(pwshOnlyOld, name) && (w.windows || !has(pwshOnlyWindows, name))
		}
	}
	return "", false
}

// pwshPrograms are programs that are the same on Windows as elsewhere. Other programs
// there share only the name with the known ones.
const pwshPrograms = "docker gh git go gofmt java javac jq node npm npx php pip python rg ruby tsc"

// pwshDirCmdlets are the cmdlets that change the directory.
var pwshDirCmdlets = map[string]bool{"Set-Location": true, "Push-Location": true, "Pop-Location": true}

// pwshStateCmdlets are the cmdlets that change the meaning of later commands.
var pwshStateCmdlets = map[string]bool{
	"Import-Alias": true, "Import-Module": true, "Invoke-Expression": true, "Invoke-History": true, "New-Alias": true,
	"New-Module": true, "New-PSDrive": true, "Set-Alias": true,
}

// listUnparsed lists everything that could be a command in a line that is not plain, so
// that deny rules can match it.
func (w *pwshWalker) listUnparsed(line string) {
	line = line[:min(len(line), maxUnparsed)]
	line = strings.NewReplacer("‘", "", "’", "", "‚", "", "‛", "", "“", "", "”", "", "„", "", "'", "", `"`, "",
		"–", "-", "—", "-", "―", "-", "`\n", " ", "`", "").Replace(line)
	for _, words := range splitPieces(line) {
		for len(words) > 1 && (words[0].value == "." || strings.ContainsAny(words[0].value[:1], "$=[<>") || strings.Contains(pwshKeywords, " "+asciiLower(words[0].value)+" ")) {
			words = words[1:] // as in $x = command
		}
		c := Command{Text: joinArgs(words, sourceText), Class: Unknown, Reason: "the line cannot be parsed"}
		w.inspectNested(&c, words, 0)
		w.addGuesses(&c, words)
		if !w.addCommand(c) {
			return
		}
	}
}

// splitPieces returns the words between everything that could separate commands.
func splitPieces(text string) [][]arg {
	var pieces [][]arg
	for _, piece := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(";&|(){}\n\r", r) }) {
		var words []arg
		for _, field := range strings.Fields(piece) {
			words = append(words, literalArg(field))
		}
		if len(words) > 0 {
			pieces = append(pieces, words)
		}
	}
	return pieces
}

// inspectNested adds to a command the texts that deny rules look at: its own, under all
// names of its cmdlet, and those of the commands that it runs.
func (w *pwshWalker) inspectNested(c *Command, words []arg, depth int) {
	if depth > maxScriptDepth || len(c.Nested) > maxNested {
		w.state.giveUp(tooDeep)
		return
	}
	if depth > 0 && !w.pay(len(joinValues(words))) {
		return
	}
	name := words[0].value
	base := path.Base(withSlashes(name))
	stem := asciiLower(base)
	for _, ending := range []string{".exe", ".cmd", ".bat", ".com", ".ps1"} {
		stem = strings.TrimSuffix(stem, ending)
	}
	cmdlet, _ := w.cmdletOf(stem)
	if cmdlet == "" {
		cmdlet, _ = w.cmdletOf("Get-" + stem) // PowerShell also tries this name
	}
	from := len(c.Nested)
	names := append([]string{name, base, stem, cmdlet}, strings.Fields(pwshAliases[cmdlet])...)
	for _, name := range names {
		for _, as := range []func(arg) string{sourceText, func(a arg) string { return a.value }} {
			text := strings.TrimSuffix(name+" "+joinArgs(words[1:], as), " ")
			if name != "" && !slices.Contains(c.Nested[from:], text) {
				c.Nested = append(c.Nested, text)
			}
		}
	}
	for _, word := range words {
		w.checkNames(c, word)
	}
	if pwshStateCmdlets[cmdlet] {
		w.markUnknown(cmdlet + " may change what other commands mean")
	}
	if cmdlet == "Remove-Item" {
		w.checkRemoval(c, words[1:], depth > 0)
	}
	w.inspectStarted(c, stem, cmdlet, words[1:], depth)
}

// inspectStarted inspects the commands that a command runs.
func (w *pwshWalker) inspectStarted(c *Command, name, cmdlet string, words []arg, depth int) {
	if cmdlet != "" {
		name = asciiLower(cmdlet)
	}
	_, launches := launchers[name]
	switch {
	case name == "powershell" || name == "pwsh" || name == "invoke-expression":
		w.inspectShell(c, words)
	case name == "cmd":
		text := strings.NewReplacer("^", "", `"`, "").Replace(joinArgs(words, unquotedText))
		for _, flag := range []string{"/c", "/k", "/r"} {
			if i := strings.Index(asciiLower(text), flag); i >= 0 {
				for _, piece := range splitPieces(text[i+len(flag):]) {
					w.inspectNested(c, piece, depth+1)
				}
			}
		}
	case scriptRunners[name]:
		for _, text := range scriptsOf(name, words) {
			w.addScript(c, text.value, Bash)
			for _, piece := range splitPieces(text.value) {
				w.inspectNested(c, piece, depth+1)
			}
		}
	case launches || has("start-process start-job invoke-command wsl runas gsudo conhost forfiles", name):
		var rest []arg
		for _, word := range words {
			for _, field := range strings.FieldsFunc(word.value, func(r rune) bool { return r == ',' || unicode.IsSpace(r) }) {
				rest = append(rest, literalArg(field))
			}
		}
		for i := range rest[:min(len(rest), 20)] {
			if !isParameter(rest[i]) {
				w.inspectNested(c, rest[i:], depth+1)
			}
		}
	}
}

// inspectShell inspects the text that another PowerShell runs: the words after -Command
// or one of its abbreviations, or from the first word on that is not a parameter.
func (w *pwshWalker) inspectShell(c *Command, words []arg) {
	for i, word := range words {
		flag := strings.TrimLeft(asciiLower(word.value), "-/")
		flag, _, _ = strings.Cut(flag, ":")
		isFlag := flag != asciiLower(word.value) && flag != ""
		switch {
		case isFlag && (strings.HasPrefix("encodedcommand", flag) || strings.HasPrefix("encodedarguments", flag) || flag == "ec"):
			w.markUnknown("a command runs a text that is encoded")
		case isFlag && !strings.HasPrefix("commandwithargs", flag) && flag != "cwa":
		case isFlag && i+1 < len(words):
			w.addScript(c, joinArgs(words[i+1:], unquotedText), PowerShell)
			return
		case !isFlag && (i == 0 || isParameter(words[i-1])):
			w.addScript(c, joinArgs(words[i:], unquotedText), PowerShell)
		}
	}
}

// addScript adds the effects of a text that a command passes to a shell.
func (w *pwshWalker) addScript(c *Command, text string, shell Shell) {
	env := w.env
	env.Shell = shell
	sub, unknown := w.readScript(text, env)
	if unknown != "" {
		w.markUnknown(unknown)
	}
	c.addLine(sub)
}

// possibleNames returns the file names that a word may hold.
func possibleNames(word arg) []string {
	text := word.value
	switch i := strings.IndexAny(text, ":="); {
	case isParameter(word):
		text = text[i+1:]
		if i < 0 {
			return nil
		}
	case i >= 0 && text[i] == '=':
		text += "," + text[i+1:]
	}
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' })
}

// checkNames sets AskReason if a word names a file on another machine, and marks the
// line unknown if it names an item of PowerShell itself, such as a variable or an
// alias.
func (w *pwshWalker) checkNames(c *Command, word arg) {
	for _, value := range possibleNames(word) {
		value = strings.TrimSpace(withSlashes(value))
		provider, name, ok := strings.Cut(value, "::")
		if !ok {
			name = value
		}
		if len(name) > 2 && strings.HasPrefix(name, "//") {
			c.addReasons(word.source+" is on another machine, which gets to know who asks", "")
		}
		drive, _, isDrive := strings.Cut(asciiLower(value), ":")
		if isDrive && has(shelltable.PowerShellDrives, drive) || ok && strings.Contains(provider, "/") {
			w.markUnknown(word.source + " is on a drive of another kind")
		}
	}
}

// addGuesses adds the words of an unknown command that look like paths. words starts
// with the name of the command.
func (w *pwshWalker) addGuesses(c *Command, words []arg) {
	silent := *w
	silent.line.Unknown = "a guess doubts nothing"
	for _, word := range words[1:] {
		for _, value := range possibleNames(word) {
			if strings.ContainsAny(value, "\n\x00") || strings.Contains(value, "://") {
				continue
			}
			if name, _, ok := silent.resolvePath(value, true); ok {
				c.Paths = append(c.Paths, Path{Name: name, Guess: true})
			}
		}
	}
}

// pwshSystemDirs are the directories in a drive or in the root that belong to the
// system with everything below them.
const pwshSystemDirs = "windows bin boot etc lib lib64 proc sbin sys"

// checkRemoval sets AskReason and DenyReason if Remove-Item would remove a part of the
// system, or everything in a directory. It looks at the text only.
func (w *pwshWalker) checkRemoval(c *Command, words []arg, inner bool) {
	for _, f := range cmdlets["Remove-Item"].bind(words).files {
		for name := range strings.SplitSeq(f.value, ",") {
			if name == "" || inner && len(name) == 2 && name[0] == '/' {
				continue // the second condition is for flags of cmd
			}
			if what := w.systemLocation(name); what != "" {
				reason := "Remove-Item would remove " + what
				c.addReasons(reason, reason)
			}
		}
	}
}

// systemLocation describes a location that must not be removed. It returns an empty
// string for any other.
func (w *pwshWalker) systemLocation(name string) string {
	name = w.foldPath(name)
	below := name
	if len(name) > 1 && name[1] == ':' {
		below = name[2:]
	}
	parts := strings.Split(strings.Trim(below, "/"), "/")
	home := strings.ToLower(withSlashes(w.env.Home))
	switch {
	case strings.Trim(path.Base(name), "*?.[]") == "":
		return "all that is in a directory"
	case strings.HasPrefix(below, "/") && len(parts) < 2 && (parts[0] == "" || !contains(name, w.foldPath("."))):
		return "a drive or the root of the file system, or what lies directly in it"
	case strings.HasPrefix(below, "/") && (has(pwshSystemDirs, parts[0]) || strings.HasPrefix(parts[0], "program files")):
		return "a part of the system"
	case home != "" && contains(name, path.Clean(home)):
		return "the home directory"
	}
	return ""
}
