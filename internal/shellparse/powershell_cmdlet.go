package shellparse

import (
	"slices"
	"strings"
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
