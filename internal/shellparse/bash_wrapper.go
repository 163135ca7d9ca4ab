package shellparse

import (
	"slices"
	"strings"
)

// A strippedCommand is a command without the wrappers that allow rules ignore.
type strippedCommand struct {
	args          []arg
	wrapped       bool // at least one wrapper was removed
	notBuiltin    bool // a program starts the command, so it cannot be a builtin
	mustBeBuiltin bool // builtin starts the command, so it must be a builtin
	addsArgs      bool // xargs adds arguments that are not known

	noWildcards bool
	class       Class // of the wrappers
	reason      string
}

// A wrapper runs the command that follows its options.
type wrapper struct {
	// skip returns how many of the arguments after the name belong to the wrapper. It
	// reports false if that is not known.
	skip      func(args []arg) (int, bool)
	isProgram bool // treated as a program, whose command cannot be a builtin
}

// wrappers are the wrappers that allow rules ignore. Claude Code's documentation of
// permission rules fixes the list; the options are those of coreutils 9 and bash 5.2.
var wrappers = map[string]wrapper{
	"timeout": {skipTimeout, true},
	"time":    {skipNone, true},
	"nice":    {skipNice, true},
	"nohup":   {skipNone, true},
	"stdbuf":  {skipStdbuf, true},
	"xargs":   {skipNone, true},
	"command": {skipNone, false},
	"builtin": {skipNone, false},
	"noglob":  {skipNoglob, false},
}

// isWrapper reports whether name is that of a wrapper.
func isWrapper(name string) bool {
	_, ok := wrappers[name]
	return ok
}

// forbidsWildcards reports whether a program starts other programs in a way that no
// wildcard may cover.
func forbidsWildcards(name string) bool {
	switch name {
	case "watch", "setsid", "ionice", "flock":
		return true
	}
	return false
}

// stripWrappers removes wrappers, except those whose options it does not fully
// understand.
func stripWrappers(args []arg) strippedCommand {
	s := strippedCommand{args: args}
	for len(s.args) > 1 {
		name := s.args[0]
		w, ok := wrappers[name.value]
		if !ok || !name.known || name.fromBraces || s.mustBeBuiltin {
			break
		}
		if s.notBuiltin && !w.isProgram {
			break // command and builtin are not programs
		}
		n, ok := w.skip(s.args[1:])
		n++
		if !ok || n >= len(s.args) || s.args[n].fromBraces && s.args[n-1].fromBraces {
			break
		}
		s.args, s.wrapped = s.args[n:], true
		s.notBuiltin = s.notBuiltin || w.isProgram
		s.mustBeBuiltin = name.value == "builtin"
		s.addsArgs = s.addsArgs || name.value == "xargs"
		switch {
		case name.value == "noglob":
			s.class, s.reason = Unknown, "noglob may be any program where the shell does not know the word"
		case name.value == "nohup" && s.class < Mutating:
			s.class, s.reason = Mutating, "nohup may write nohup.out"
		}
	}
	s.noWildcards = len(s.args) > 0 && forbidsWildcards(s.args[0].value)
	return s
}

// withAddedArgs returns the command with the arguments that xargs adds.
func (s strippedCommand) withAddedArgs() []arg {
	if s.addsArgs {
		return append(s.args[:len(s.args):len(s.args)], addedArgs)
	}
	return s.args
}

func skipNone(args []arg) (int, bool) {
	return 0, args[0].known && !strings.HasPrefix(args[0].value, "-")
}

// skipNoglob keeps noglob if an argument is a pattern, because noglob passes it on
// unexpanded.
func skipNoglob(args []arg) (int, bool) {
	if slices.ContainsFunc(args, func(a arg) bool { return a.glob }) {
		return 0, false
	}
	return skipNone(args)
}

func skipTimeout(args []arg) (int, bool) {
	n, ok := skipOptions(args, "sk", "signal kill-after", "v", "foreground preserve-status verbose")
	if !ok || n >= len(args) || !args[n].known || !isDuration(args[n].value) {
		return 0, false
	}
	return n + 1, true
}

func isDuration(text string) bool {
	text = strings.TrimRight(text, "smhd")
	return text != "" && strings.Trim(text, "0123456789.") == "" && text != "."
}

func skipNice(args []arg) (int, bool) {
	if v := args[0].value; args[0].known && len(v) > 1 && v[0] == '-' && strings.Trim(v[1:], "0123456789") == "" {
		return 1, true
	}
	return skipOptions(args, "n", "adjustment", "", "")
}

func skipStdbuf(args []arg) (int, bool) {
	return skipOptions(args, "ioe", "input output error", "", "")
}

// skipOptions counts options. valued and valuedLong are the letters and long names of
// options with a value, bare and bareLong those of options without.
func skipOptions(args []arg, valued, valuedLong, bare, bareLong string) (int, bool) {
	for n := 0; n < len(args); n++ {
		a := args[n]
		if !a.known || a.glob || a.fromBraces {
			return 0, false
		}
		v := a.value
		name, _, attached := strings.Cut(strings.TrimPrefix(v, "--"), "=")
		switch {
		case !strings.HasPrefix(v, "-"):
			return n, true
		case v == "--":
			return n + 1, true
		case strings.HasPrefix(v, "--") && has(valuedLong, name):
			if !attached {
				n++
			}
		case strings.HasPrefix(v, "--") && has(bareLong, name) && !attached:
		case len(v) > 1 && strings.IndexByte(valued, v[1]) >= 0:
			if len(v) == 2 {
				n++
			}
		case len(v) == 2 && strings.IndexByte(bare, v[1]) >= 0:
		default:
			return 0, false
		}
		if n < len(args) && !args[n].known {
			return 0, false
		}
	}
	return 0, false
}
