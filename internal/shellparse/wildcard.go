package shellparse

import (
	"regexp"
	"slices"
	"strings"
)

// A wildcardSpec says which arguments of a command a rule with a wildcard covers. It is
// for commands that people allow with any arguments, such as "go test". The files of
// the project decide what such a command starts, and a person who allows it knows that.
// But some of its options make it start another program, read files outside the
// project, write to a given place, or send something elsewhere.
//
// The spec lists the arguments that do none of this. Any other argument sets
// [Command.NoWildcards]: the rule "go test *" covers "go test -run X ./..." but not "go
// test -exec ./other". A rule without a wildcard still covers it. This is stricter than
// the documented meaning of a prefix, under which the rule covers both.
//
// Options before the subcommand are not examined: "go -C dir test" does not begin with
// "go test". A rule that covers it either names the option or allows everything the
// program can do.
type wildcardSpec struct {
	source         string
	words          string                    // the subcommand; empty if the program has none
	flags          string                    // see flagKind; with singleDash, long flags may have one dash
	afterDashes    string                    // flags after "--", for the program that receives them
	singleDash     bool                      // flags of more than one letter may have one dash
	passesFlags    bool                      // flags before "--" may be passed on as those after it are
	values         map[string]*regexp.Regexp // patterns that the values of some flags must match
	refusedOperand *regexp.Regexp            // operands that no wildcard covers, in addition to those that mayLeaveProject reports
}

// exceededBy reports whether some arguments may make the program do more than the spec
// allows, so that no wildcard covers them.
func (s wildcardSpec) exceededBy(args []arg) bool {
	if slices.ContainsFunc(args, func(a arg) bool { return !a.isLiteral() || a.anyNumber }) {
		return true
	}
	before, behind := args, []arg(nil)
	if i := slices.IndexFunc(args, func(a arg) bool { return a.value == "--" }); i >= 0 {
		before, behind = args[:i], args[i+1:]
	}
	if s.singleDash {
		before = withTwoDashes(before)
	}
	return s.hasUnlistedArgs(s.flags, before, s.passesFlags) || s.hasUnlistedArgs(s.afterDashes, behind, true)
}

// hasUnlistedArgs reports whether an argument is not known to be harmless. passed is
// set if another program receives the arguments, for which the value of a flag may be
// an operand.
func (s wildcardSpec) hasUnlistedArgs(flags string, args []arg, passed bool) bool {
	if len(args) == 0 {
		return false
	}
	p := commandSpec{flags: flags, hasUnsafeFlags: true}.parseArgs(args)
	if p.reason != "" || slices.ContainsFunc(args, func(a arg) bool { return a.value == "--" }) {
		return true
	}
	for _, f := range p.flags {
		want := s.values[f.name]
		if want != nil && !want.MatchString(f.value.value) || passed && mayLeaveProject(f.value.value) {
			return true
		}
	}
	return slices.ContainsFunc(p.operands, func(a arg) bool {
		return mayLeaveProject(a.value) || s.refusedOperand != nil && s.refusedOperand.MatchString(a.value)
	})
}

// withTwoDashes returns the arguments with two dashes before each flag, which Go
// accepts with one.
func withTwoDashes(args []arg) []arg {
	args = slices.Clone(args)
	for i, a := range args {
		if len(a.value) > 1 && a.value[0] == '-' && a.value[1] != '-' {
			args[i].value = "-" + a.value
		}
	}
	return args
}

// mayLeaveProject reports whether an operand may lead out of the project or set
// something: it is an absolute path or one with two dots, a URL, an assignment, or a
// file of arguments.
func mayLeaveProject(operand string) bool {
	if operand == "" {
		return false
	}
	if strings.IndexByte(`@~/\`, operand[0]) >= 0 || strings.Contains(operand, "=") || strings.Contains(operand, "://") {
		return true
	}
	if c := lowerByte(operand[0]); 'a' <= c && c <= 'z' && len(operand) > 2 && operand[1] == ':' && isSlash(rune(operand[2])) {
		return true // on a Windows drive
	}
	return strings.Contains(operand, "..") && slices.Contains(strings.FieldsFunc(operand, isSlash), "..")
}

func isSlash(c rune) bool { return c == '/' || c == '\\' }

// wildcardSpecOf returns the spec for a program and its subcommand, and the arguments
// after the subcommand. name is as programName returns it.
func wildcardSpecOf(name string, args []arg) (wildcardSpec, []arg, bool) {
	for _, s := range wildcardSpecs[name] {
		if rest, ok := s.argsAfter(args); ok {
			return s, rest, true
		}
	}
	return wildcardSpec{}, nil, false
}

// argsAfter returns the arguments after the subcommand. It reports false if args do not
// begin with it.
func (s wildcardSpec) argsAfter(args []arg) (rest []arg, ok bool) {
	for word := range strings.FieldsSeq(s.words) {
		if len(args) == 0 || !args[0].isLiteral() || !strings.EqualFold(args[0].value, word) {
			return nil, false
		}
		args = args[1:]
	}
	return args, true
}

// exceedsWildcard reports whether a wildcardSpec applies to a command, whose name comes
// first, and some argument exceeds it. It looks behind launchers such as npx.
func exceedsWildcard(words []arg) bool {
	for len(words) > 0 && words[0].isLiteral() {
		name := programName(words[0].value)
		if s, rest, ok := wildcardSpecOf(name, words[1:]); ok {
			return s.exceededBy(rest)
		}
		var ok bool
		if words, ok = startedCommand(name, words[1:]); !ok {
			return false
		}
	}
	return false
}

// startedCommand returns the command in the arguments of a launcher, after the words
// that introduce it.
func startedCommand(name string, args []arg) (words []arg, ok bool) {
	if strings.HasPrefix(name, "python") || strings.HasPrefix(name, "pypy") {
		name = "python"
	}
	for _, s := range projectLaunchers[name] {
		if rest, ok := (wildcardSpec{words: s}).argsAfter(args); ok {
			for len(rest) > 0 && s == "" && strings.Contains(rest[0].value, "=") {
				rest = rest[1:] // a variable set by env
			}
			return withoutVersion(rest), true
		}
	}
	return nil, false
}

// withoutVersion removes the version after the program's name, as in "jest@29".
func withoutVersion(words []arg) []arg {
	if len(words) == 0 || strings.LastIndexByte(words[0].value, '@') <= 0 {
		return words
	}
	words = slices.Clone(words)
	words[0].value = words[0].value[:strings.LastIndexByte(words[0].value, '@')]
	return words
}
