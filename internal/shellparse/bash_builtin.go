package shellparse

import (
	"strings"
)

// A builtin is a command of the shell itself.
type builtin struct {
	use     func(args []arg) shellUse
	program bool // there is also a program of that name that does the same
}

// in is what a builtin does in a shell. Zsh calculates some arguments that bash
// takes for plain numbers, and a calculation may run commands.
func (b builtin) in(shell Shell, name string, args []arg) shellUse {
	u := b.use(args)
	if shell == Zsh && !u.shell && zshCalculates(name, args) {
		return shellUse{unknown("zsh may calculate an argument of " + name), true}
	}
	return u
}

// A shellUse is what a builtin does with its arguments.
type shellUse struct {
	use
	shell bool // it changes what later commands mean
}

// builtins are the builtins of bash 5.2 as its manual describes them. All that
// are missing here and in the table of programs are unknown.
var builtins = map[string]builtin{
	":":        {anyway, false},
	"true":     {anyway, true},
	"false":    {anyway, true},
	"echo":     {anyway, true},
	"pwd":      {anyway, true},
	"exit":     {anyway, false},
	"return":   {anyway, false},
	"break":    {anyway, false},
	"continue": {anyway, false},
	"times":    {anyway, false},
	"type":     {anyway, false},
	"command":  {commandUse, false},
	"builtin":  {nothingElse, false},
	"test":     {testUse, true},
	"[":        {bracketUse, true},
	"printf":   {printfUse, true},
	"cd":       {cdUse, false},
	"pushd":    {cdUse, false},
	"popd":     {noArguments, false},
	"dirs":     {noArguments, false},
	"umask":    {noArguments, false},
	"hash":     {hashUse, false},
	"shift":    {numbers, false},
	"wait":     {numbers, false},
	"jobs":     {jobsUse, false},
	"read":     {readUse, false},
	"set":      {setUse, false},
	"unset":    {unsetUse, false},
	"exec":     {nothingElse, false},
	"eval":     {runsText, false},
	"trap":     {runsText, false},
	"source":   {sourceUse, false},
	".":        {sourceUse, false},
	"alias":    {changesShell, false},
	"unalias":  {changesShell, false},
	"enable":   {changesShell, false},
	"shopt":    {changesShell, false},
	"bind":     {changesShell, false},
	"complete": {changesShell, false},
	"compgen":  {changesShell, false},
	"compopt":  {changesShell, false},
	"mapfile":  {changesShell, false}, "readarray": {changesShell, false},
	"getopts": {changesShell, false}, "let": {changesShell, false},
	"declare": {changesShell, false}, "typeset": {changesShell, false},
	"export": {changesShell, false}, "readonly": {changesShell, false}, "local": {changesShell, false},
	"history": {nothingElse, false}, "fc": {nothingElse, false},
	"setopt": {changesShell, false}, "unsetopt": {changesShell, false}, "emulate": {changesShell, false},
	"zmodload": {changesShell, false}, "autoload": {changesShell, false}, "noglob": {changesShell, false},
	"nocorrect": {changesShell, false}, "repeat": {changesShell, false}, "-": {changesShell, false},
}

// isBuiltin reports whether a name is that of a builtin.
func isBuiltin(name string) bool {
	_, ok := builtins[name]
	return ok
}

func no(why string) shellUse { return shellUse{use: unknown(why)} }

// anyway is the use of a builtin that no argument makes do anything.
func anyway([]arg) shellUse { return shellUse{} }

func noArguments(args []arg) shellUse {
	if len(args) > 0 {
		return no("the builtin has arguments that are not known")
	}
	return shellUse{}
}

func nothingElse([]arg) shellUse { return no("the builtin may run or change anything") }

func changesShell([]arg) shellUse {
	return shellUse{unknown("a builtin changes what later commands mean"), true}
}

func hashUse(args []arg) shellUse {
	if len(args) == 0 {
		return shellUse{}
	}
	return changesShell(args)
}

// commandUse is command -v; without it the command is a wrapper.
func commandUse(args []arg) shellUse {
	if len(args) > 0 && args[0].known && (args[0].value == "-v" || args[0].value == "-V") {
		return shellUse{}
	}
	if len(args) == 0 {
		return shellUse{}
	}
	return no("an option of command is not known")
}

// numbers are counts and numbers of jobs, and nothing that bash would calculate.
func numbers(args []arg) shellUse {
	for _, a := range args {
		if !a.known || strings.Trim(a.value, "%0123456789") != "" {
			return no("an argument is no plain number")
		}
	}
	return shellUse{}
}

func jobsUse(args []arg) shellUse {
	for _, a := range args {
		if !a.known || !has("-l -p -n -r -s", a.value) {
			return no("an option of jobs is not known")
		}
	}
	return shellUse{}
}

// printfUse is printf without -v, which sets a variable.
func printfUse(args []arg) shellUse {
	if len(args) > 0 && args[0].value == "--" {
		args = args[1:]
	} else if len(args) > 0 && strings.HasPrefix(args[0].value, "-") {
		return shellUse{unknown("an option of printf is not known"), true}
	}
	if len(args) > 0 && (!args[0].exact() || !formats(args[0].value, "diouxXfFeEgGaAcsbqQ")) {
		return shellUse{unknown("the format of printf is not known only to print"), true}
	}
	return shellUse{}
}

// formats reports whether all conversions of a format end in one of some
// letters. That leaves out %n, which sets a variable.
func formats(format, letters string) bool {
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

// readUse is read into variables that only the line uses.
func readUse(args []arg) shellUse {
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case !a.known:
			return shellUse{unknown("the name of a variable is computed"), true}
		case has("-r -s -rs", a.value):
		case a.value == "-d":
			i++
		case !isPrivate(a.value):
			return shellUse{unknown("the variable " + a.value + " may change what runs"), true}
		}
	}
	return shellUse{}
}

// setUse is set with the options that only stop a line early.
func setUse(args []arg) shellUse {
	if len(args) == 0 {
		return no("set shows all variables")
	}
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case !a.known:
			return changesShell(args)
		case len(a.value) > 1 && strings.Trim(a.value[1:], "eu") == "" && (a.value[0] == '-' || a.value[0] == '+'):
		case has("-o +o -eo -euo", a.value) && i+1 < len(args) && has("pipefail errexit nounset", args[i+1].value):
			i++
		default:
			return changesShell(args)
		}
	}
	return shellUse{}
}

func unsetUse(args []arg) shellUse {
	for _, a := range args {
		if !a.known || !isPrivate(a.value) {
			return changesShell(args)
		}
	}
	return shellUse{}
}

// runsText is a builtin that runs its arguments as a line; the walker reads it.
func runsText(args []arg) shellUse {
	for _, a := range args {
		if !a.known || a.glob {
			return shellUse{unknown("the text that runs is computed"), true}
		}
	}
	return no("the builtin runs its arguments")
}

// sourceUse is source, which runs a file.
func sourceUse(args []arg) shellUse {
	u := no("a file runs in the shell")
	if len(args) == 0 || !args[0].known || args[0].glob || isStream(args[0].value) || args[0].value == processName {
		u.shell = true
		return u
	}
	u.files = []file{{arg: args[0]}}
	return u
}

// cdUse is cd and pushd to a directory that can be known.
func cdUse(args []arg) shellUse {
	dir, ok := cdTarget(args)
	if !ok {
		return shellUse{unknown("the directory that the line changes to cannot be known"), true}
	}
	if dir == nil {
		return shellUse{}
	}
	return shellUse{use: use{files: []file{{arg: *dir}}}}
}

// cdTarget is the directory that the arguments of cd name, or nil for the home
// directory. It reports false if it cannot be known.
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
