package shellparse

import (
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/shelltable"
)

// A riskyOption is an option of a command that a [shelltable.OptionSpec] lists.
type riskyOption struct {
	mark  byte // as in the table; 0 for an option without a value
	value arg  // known and empty if the option has none
}

// exact reports whether the option keeps a rule with a wildcard from covering its command.
func (o riskyOption) exact() bool {
	switch {
	case o.mark != '~' && o.mark != '>':
		return true
	case !o.value.isLiteral():
		return true
	}
	return mayLeaveProject(o.value.value) || o.mark == '>' && hasHiddenName(o.value.value)
}

// runs reports whether the value of the option is a command line.
func (o riskyOption) runs() bool { return o.mark == '!' }

// riskyOptions returns the listed options of a command. program is the name as it is
// written.
func riskyOptions(program string, args []arg) []riskyOption {
	name := programName(program)
	spec, ok := optionSpecOf(name, args)
	if strings.Contains(program, "/") && shelltable.OptionSpecs[name] == nil {
		return nil // a script of the project, whose options nobody can know
	}
	if !ok || len(args) == 0 {
		return nil
	}
	var list []riskyOption
	known := commandSpecs[name]
	for i, a := range args {
		switch {
		case a.is("--"), spec.EndsAtOperand && a.isLiteral() && !strings.HasPrefix(a.value, "-"):
			return list
		case !a.known || len(a.value) < 2 || a.value[0] != '-':
			continue
		}
		var next arg
		if i+1 < len(args) {
			next = args[i+1]
		}
		if o, ok := matchOption(&spec, &known, a, next); ok {
			list = append(list, o)
		}
	}
	return list
}

// optionSpecOf returns the spec for a program and its subcommand. Programs that no table
// knows have one in common.
func optionSpecOf(name string, args []arg) (shelltable.OptionSpec, bool) {
	list, ok := shelltable.OptionSpecs[name]
	if !ok {
		return shelltable.GenericOptions, isUnlisted(name) && !runsAnyCode(name)
	}
	for _, s := range list {
		if _, ok := argsAfter(s.Words, args); ok {
			return s, true
		}
	}
	return shelltable.OptionSpec{}, false
}

// runsAnyCode reports whether a program is an interpreter, which a rule with a wildcard
// allows to run any code.
func runsAnyCode(name string) bool {
	return anyCode[strings.TrimRight(name, ".0123456789")]
}

var anyCode = wordSet("ash bash bun csh dash deno elixir erl fish ghci groovy guile irb ipython java jruby julia jython ksh lua luajit mksh node nodejs" +
	" ocaml octave osascript perl php powershell pwsh pypy python r racket rscript ruby scala scheme sh swift tclsh ts-node tsx zsh")

// matchOption looks an argument that begins with a dash up in a spec. next is the
// argument behind it.
func matchOption(spec *shelltable.OptionSpec, known *commandSpec, a, next arg) (riskyOption, bool) {
	if !strings.HasPrefix(a.value, "--") && !spec.SingleDash {
		return matchLetters(spec, known, a, next)
	}
	name, value, attached := strings.Cut(a.value, "=")
	if spec.SingleDash {
		if o, ok := matchJoined(spec, a, next); ok {
			return o, true
		}
	}
	for text := range strings.FieldsSeq(spec.Options) {
		option := strings.TrimRight(text, "!=~>")
		if !nameMatches(spec, known, option, name) {
			continue
		}
		return newRiskyOption(text, option, a.withValue(value), next, attached), true
	}
	return riskyOption{}, false
}

// nameMatches reports whether a program may read name as an option.
func nameMatches(spec *shelltable.OptionSpec, known *commandSpec, option, name string) bool {
	if end, ok := strings.CutPrefix(option, "*"); ok {
		return strings.HasPrefix(name, "--") && strings.HasSuffix(name, end)
	}
	if spec.SingleDash {
		return strings.TrimLeft(option, "-") == strings.TrimLeft(name, "-")
	}
	if option == name {
		return true
	}
	if !spec.Abbreviates || len(name) < len("--x") || !strings.HasPrefix(option, name) || !strings.HasPrefix(option, "--") {
		return false
	}
	_, whole := known.kindOf(name)
	return !whole
}

// matchJoined is for a value that follows a single letter without a blank, in a program
// whose other options have several letters behind one dash.
func matchJoined(spec *shelltable.OptionSpec, a, next arg) (riskyOption, bool) {
	for text := range strings.FieldsSeq(spec.Options) {
		option := strings.TrimRight(text, "!=~>")
		if len(option) != 2 || option == text || len(a.value) <= 2 || a.value[:2] != option || strings.IndexByte("/.@~=:$!", a.value[2]) < 0 {
			continue
		}
		return newRiskyOption(text, option, a.withValue(a.value[2:]), next, true), true
	}
	return riskyOption{}, false
}

// matchLetters is for short options, which may share a word.
func matchLetters(spec *shelltable.OptionSpec, known *commandSpec, a, next arg) (riskyOption, bool) {
	letters := a.value[1:]
	for i := range len(letters) {
		for text := range strings.FieldsSeq(spec.Options) {
			option := strings.TrimRight(text, "!=~>")
			if strings.HasPrefix(option, "--") || option[0] != '-' || !strings.HasPrefix(letters[i:], option[1:]) {
				continue
			}
			value := letters[i+len(option)-1:]
			return newRiskyOption(text, option, a.withValue(value), next, value != ""), true
		}
		kind, listed := known.kindOf("-" + letters[i:i+1])
		if strings.IndexByte(spec.Valued, letters[i]) >= 0 || listed && kind != noValue {
			break
		}
	}
	return riskyOption{}, false
}

// newRiskyOption returns the option for an entry of a spec. The value is the attached
// one, or else the next argument.
func newRiskyOption(entry, option string, value, next arg, attached bool) riskyOption {
	if entry == option {
		return riskyOption{value: literalArg("")}
	}
	if !attached {
		value = next
	}
	return riskyOption{mark: entry[len(option)], value: value}
}

// exceedsOptions reports whether an option of a command, whose name comes first, keeps
// rules with a wildcard from covering it, or may be there unseen. It looks behind
// launchers such as npx.
func exceedsOptions(words []arg) bool {
	for len(words) > 0 && words[0].isLiteral() {
		name, args := programName(words[0].value), words[1:]
		if slices.ContainsFunc(riskyOptions(words[0].value, args), riskyOption.exact) || exceedsProgram(name, args) {
			return true
		}
		if _, listed := shelltable.OptionSpecs[name]; listed && mayHideOption(args) {
			return true
		}
		var ok bool
		if words, ok = startedCommand(name, args); !ok {
			return false
		}
	}
	return false
}

// mayHideOption reports whether an unknown argument may be an option.
func mayHideOption(args []arg) bool {
	for _, a := range args {
		switch {
		case a.is("--"):
			return false
		case !a.known && a.mayBeFlag():
			return true
		}
	}
	return false
}
