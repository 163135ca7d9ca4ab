package shellparse

import (
	"slices"
	"strings"
)

// A strippedCommand command is one without the wrappers that rules see past.
type strippedCommand struct {
	args          []arg
	wrapped       bool // there was a wrapper
	notBuiltin    bool // the command cannot be a builtin: a program starts it
	mustBeBuiltin bool // the command must be a builtin
	addsArgs      bool // xargs adds arguments that nobody knows

	noWildcards bool
	class       Class // what the wrappers add
	reason      string
}

// A wrapper runs the command that follows its options.
type wrapper struct {
	// skip says how many of the arguments after the name belong to the
	// wrapper, and reports false if that cannot be known.
	skip      func(args []arg) (int, bool)
	isProgram bool
}

// wrappers are what allow rules see past. The list is fixed by the documented
// rules; the options are those of coreutils 9 and bash 5.2.
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

// isWrapper reports whether a name is that of a wrapper.
func isWrapper(name string) bool {
	_, ok := wrappers[name]
	return ok
}

// forbidsWildcards reports whether a program starts others in a way that no wildcard may cover.
func forbidsWildcards(name string) bool {
	switch name {
	case "watch", "setsid", "ionice", "flock":
		return true
	}
	return false
}

// stripWrappers removes wrappers. It leaves what it does not fully understand.
func stripWrappers(args []arg) strippedCommand {
	s := strippedCommand{args: args}
	for len(s.args) > 1 {
		name := s.args[0]
		w, ok := wrappers[name.value]
		if !ok || !name.known || name.fromBraces || s.mustBeBuiltin {
			break
		}
		if s.notBuiltin && !w.isProgram {
			break // command and builtin are no programs
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

// withAddedArgs is the command with what xargs adds to it.
func (s strippedCommand) withAddedArgs() []arg {
	if s.addsArgs {
		return append(s.args[:len(s.args):len(s.args)], addedArgs)
	}
	return s.args
}

func skipNone(args []arg) (int, bool) {
	return 0, args[0].known && !strings.HasPrefix(args[0].value, "-")
}

// skipNoglob leaves noglob if there is a pattern, which it turns into a name.
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

// skipOptions counts options. It knows those that take a value and those that
// take none, each by their letters and their long names.
func skipOptions(args []arg, valued, valuedLong, bare, bareLong string) (int, bool) {
	for n := 0; n < len(args); n++ {
		a := args[n]
		if !a.known || a.glob || a.fromBraces {
			return 0, false
		}
		v := a.value
		name, _, glued := strings.Cut(strings.TrimPrefix(v, "--"), "=")
		switch {
		case !strings.HasPrefix(v, "-"):
			return n, true
		case v == "--":
			return n + 1, true
		case strings.HasPrefix(v, "--") && has(valuedLong, name):
			if !glued {
				n++
			}
		case strings.HasPrefix(v, "--") && has(bareLong, name) && !glued:
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
