package shellparse

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/seed49eaa51d/pegboard/internal/shelltable"
)

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
