package shellparse

import "strings"

// A builtin is a command of the shell itself.
type builtin struct {
	effect    func(args []arg) builtinEffect
	isProgram bool // a program of the same name does the same
}

// effectIn returns the effect of a builtin in a shell. Zsh evaluates some arguments as
// expressions that bash reads as plain numbers, and an expression may run commands.
func (b builtin) effectIn(shell Shell, name string, args []arg) builtinEffect {
	e := b.effect(args)
	if shell == Zsh && !e.changesShell && zshCalculates(name, args) {
		return builtinEffect{unknownEffect("zsh may calculate an argument of " + name), true}
	}
	return e
}

// A builtinEffect is the effect of a builtin with given arguments.
type builtinEffect struct {
	effect
	changesShell bool // it changes the meaning of later commands
}

// builtins are the builtins of bash 5.2 as its manual describes them. A command that is
// neither here nor in commandSpecs is unknown.
var builtins = map[string]builtin{
	":":        {noEffect, false},
	"true":     {noEffect, true},
	"false":    {noEffect, true},
	"echo":     {noEffect, true},
	"pwd":      {noEffect, true},
	"exit":     {noEffect, false},
	"return":   {noEffect, false},
	"break":    {noEffect, false},
	"continue": {noEffect, false},
	"times":    {noEffect, false},
	"type":     {noEffect, false},
	"command":  {commandEffect, false},
	"builtin":  {alwaysUnknownEffect, false},
	"test":     {testEffect, true},
	"[":        {bracketEffect, true},
	"printf":   {printfEffect, true},
	"cd":       {cdEffect, false},
	"pushd":    {cdEffect, false},
	"popd":     {noArgumentsEffect, false},
	"dirs":     {noArgumentsEffect, false},
	"umask":    {noArgumentsEffect, false},
	"hash":     {hashEffect, false},
	"shift":    {numbersEffect, false},
	"wait":     {waitEffect, false},
	"jobs":     {jobsEffect, false},
	"read":     {readEffect, false},
	"set":      {setEffect, false},
	"unset":    {unsetEffect, false},
	"exec":     {alwaysUnknownEffect, false},
	"eval":     {evalEffect, false},
	"trap":     {evalEffect, false},
	"source":   {sourceEffect, false},
	".":        {sourceEffect, false},
	"alias":    {shellStateEffect, false},
	"unalias":  {shellStateEffect, false},
	"enable":   {shellStateEffect, false},
	"shopt":    {shellStateEffect, false},
	"bind":     {shellStateEffect, false},
	"complete": {shellStateEffect, false},
	"compgen":  {shellStateEffect, false},
	"compopt":  {shellStateEffect, false},
	"mapfile":  {shellStateEffect, false}, "readarray": {shellStateEffect, false},
	"getopts": {shellStateEffect, false}, "let": {shellStateEffect, false},
	"declare": {shellStateEffect, false}, "typeset": {shellStateEffect, false},
	"export": {shellStateEffect, false}, "readonly": {shellStateEffect, false}, "local": {shellStateEffect, false},
	"ulimit":  {ulimitEffect, false},
	"history": {historyEffect, false}, "fc": {alwaysUnknownEffect, false},
	"setopt": {shellStateEffect, false}, "unsetopt": {shellStateEffect, false}, "emulate": {shellStateEffect, false},
	"zmodload": {shellStateEffect, false}, "autoload": {shellStateEffect, false}, "noglob": {shellStateEffect, false},
	"nocorrect": {shellStateEffect, false}, "repeat": {shellStateEffect, false}, "-": {shellStateEffect, false},
}

// isBuiltin reports whether name is that of a builtin.
func isBuiltin(name string) bool {
	_, ok := builtins[name]
	return ok
}

// IsBuiltin reports whether a shell runs a command of that name itself, so that it looks for
// no program.
func IsBuiltin(name string) bool { return isBuiltin(name) }

func unknownBuiltin(reason string) builtinEffect { return builtinEffect{effect: unknownEffect(reason)} }

// noEffect is for builtins that change nothing, whatever their arguments.
func noEffect([]arg) builtinEffect { return builtinEffect{} }

func noArgumentsEffect(args []arg) builtinEffect {
	if len(args) > 0 {
		return unknownBuiltin("the builtin has arguments that are not known")
	}
	return builtinEffect{}
}

// historyEffect is for history without arguments, which lists what the shell remembers:
// nothing, since it is not interactive.
func historyEffect(args []arg) builtinEffect {
	if len(args) > 0 {
		return alwaysUnknownEffect(args)
	}
	return builtinEffect{}
}

// ulimitEffect is for ulimit that shows limits.
func ulimitEffect(args []arg) builtinEffect {
	for _, a := range args {
		if !a.isLiteral() || len(a.value) < 2 || a.value[0] != '-' || strings.Trim(a.value[1:], "aSHbcdefiklmnpqrstuvxPRT") != "" {
			return unknownBuiltin("ulimit changes limits")
		}
	}
	return builtinEffect{}
}

func alwaysUnknownEffect([]arg) builtinEffect {
	return unknownBuiltin("the builtin may run or change anything")
}

func shellStateEffect([]arg) builtinEffect {
	return builtinEffect{unknownEffect("a builtin changes what later commands mean"), true}
}

func hashEffect(args []arg) builtinEffect {
	if len(args) == 0 {
		return builtinEffect{}
	}
	return shellStateEffect(args)
}

// commandEffect is for command -v. Without -v, command is a wrapper.
func commandEffect(args []arg) builtinEffect {
	if len(args) > 0 && args[0].known && (args[0].value == "-v" || args[0].value == "-V") {
		return builtinEffect{}
	}
	if len(args) == 0 {
		return builtinEffect{}
	}
	return unknownBuiltin("an option of command is not known")
}

// numbersEffect accepts counts and job numbers, which bash does not evaluate as
// expressions.
func numbersEffect(args []arg) builtinEffect {
	for _, a := range args {
		if !a.known || strings.Trim(a.value, "%0123456789") != "" {
			return unknownBuiltin("an argument is no plain number")
		}
	}
	return builtinEffect{}
}

// waitEffect is for wait. With -p it sets a variable, whose index bash evaluates.
func waitEffect(args []arg) builtinEffect {
	e := numbersEffect(args)
	for _, a := range args {
		e.changesShell = e.changesShell || !isJob(a) && (!a.known || strings.Trim(a.value, "%0123456789") != "" && !has("-n -f", a.value))
	}
	return e
}

// isJob reports whether an argument is the number of the last job.
func isJob(a arg) bool { return a.source == "$!" || a.source == `"$!"` }

func jobsEffect(args []arg) builtinEffect {
	for _, a := range args {
		if !a.known || !has("-l -p -n -r -s", a.value) {
			return unknownBuiltin("an option of jobs is not known")
		}
	}
	return builtinEffect{}
}

// printfEffect is for printf without -v, which would set a variable.
func printfEffect(args []arg) builtinEffect {
	if len(args) > 0 && args[0].value == "--" {
		args = args[1:]
	} else if len(args) > 0 && strings.HasPrefix(args[0].value, "-") {
		return builtinEffect{unknownEffect("an option of printf is not known"), true}
	}
	if len(args) > 0 && (!args[0].isLiteral() || !onlyConversions(args[0].value, "diouxXfFeEgGaAcsbqQ")) {
		return builtinEffect{unknownEffect("the format of printf is not known only to print"), true}
	}
	return builtinEffect{}
}

// onlyConversions reports whether every conversion of a format ends in one of letters.
// No caller's letters include n: %n sets a variable.
func onlyConversions(format, letters string) bool {
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

// readEffect is for read into variables that only the line uses.
func readEffect(args []arg) builtinEffect {
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case !a.known:
			return builtinEffect{unknownEffect("the name of a variable is computed"), true}
		case has("-r -s -rs", a.value):
		case a.value == "-d":
			i++
		case !isScriptVariable(a.value):
			return builtinEffect{unknownEffect("the variable " + a.value + " may change what runs"), true}
		}
	}
	return builtinEffect{}
}

// setEffect accepts the options of set that only make a line stop early.
func setEffect(args []arg) builtinEffect {
	if len(args) == 0 {
		return unknownBuiltin("set shows all variables")
	}
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case !a.known:
			return shellStateEffect(args)
		case len(a.value) > 1 && strings.Trim(a.value[1:], "eu") == "" && (a.value[0] == '-' || a.value[0] == '+'):
		case has("-o +o -eo -euo", a.value) && i+1 < len(args) && has("pipefail errexit nounset", args[i+1].value):
			i++
		default:
			return shellStateEffect(args)
		}
	}
	return builtinEffect{}
}

func unsetEffect(args []arg) builtinEffect {
	for _, a := range args {
		if !a.known || !isScriptVariable(a.value) {
			return shellStateEffect(args)
		}
	}
	return builtinEffect{}
}

// evalEffect is for builtins that run their arguments as a line; the walker inspects
// that line.
func evalEffect(args []arg) builtinEffect {
	for _, a := range args {
		if !a.known || a.glob {
			return builtinEffect{unknownEffect("the text that runs is computed"), true}
		}
	}
	return unknownBuiltin("the builtin runs its arguments")
}

// sourceEffect is for source, which runs a file.
func sourceEffect(args []arg) builtinEffect {
	e := unknownBuiltin("a file runs in the shell")
	if len(args) == 0 || !args[0].known || args[0].glob || isStandardStream(args[0].value) || args[0].value == processSubstPath {
		e.changesShell = true
		return e
	}
	e.files = []file{{arg: args[0]}}
	return e
}

// cdEffect is for cd and pushd to a directory that is known.
func cdEffect(args []arg) builtinEffect {
	dir, ok := cdTarget(args)
	if !ok {
		return builtinEffect{unknownEffect("the directory that the line changes to cannot be known"), true}
	}
	if dir == nil {
		return builtinEffect{}
	}
	return builtinEffect{effect: effect{files: []file{{arg: *dir, enters: true}}}}
}

// cdTarget returns the directory that the arguments of cd name, or nil for the home
// directory. It reports false if the directory is not known.
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
