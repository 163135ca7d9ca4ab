package shellparse

import (
	"regexp"
	"slices"
	"strings"
)

// A wildcardSpec is a command that people let run with other arguments every time, such
// as "go test". What it starts is up to the files of the project, and a person who
// allows it knows that. Some of its options make it start something else, read
// other files than those of the project, write where they say, or send something
// elsewhere.
//
// Of its arguments a routine lists those that do no such thing. A command with any
// other is [Command.NoWildcards]: the rule "go test *" covers "go test -run X ./..." and
// does not cover "go test -exec ./other". A rule without a wildcard still covers
// it. That is stricter than the documented meaning of a prefix, under which the
// rule would cover both.
//
// No option before the sub-command is looked at: "go -C dir test" does not begin
// with "go test", and who writes a rule that covers it names the option himself or
// allows all that the program can do.
type wildcardSpec struct {
	source         string
	words          string                    // the sub-command; empty if the program has none
	flags          string                    // see flagKind; of Go, long flags may have one dash
	afterDashes    string                    // the flags behind "--", of the program that gets them
	singleDash     bool                      // flags of more than one letter may have one dash
	passesFlags    bool                      // flags before "--" may go to the program that gets those behind it
	values         map[string]*regexp.Regexp // what flags may say, where it matters
	refusedOperand *regexp.Regexp            // operands that no wildcard covers, beside those of outside
}

// exceededBy says that no wildcard covers a program with these arguments, because of
// what they may make it do besides its routine.
func (s wildcardSpec) exceededBy(args []arg) bool {
	if slices.ContainsFunc(args, func(a arg) bool { return !a.isLiteral() || a.maybeSeveral }) {
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

// hasUnlistedArgs reports whether some arguments are not known to be harmless. Passed says
// that another program gets them, to which the value of a flag may be an operand.
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

// withTwoDashes writes the flags of Go with two dashes, for which it takes them.
func withTwoDashes(args []arg) []arg {
	args = slices.Clone(args)
	for i, a := range args {
		if len(a.value) > 1 && a.value[0] == '-' && a.value[1] != '-' {
			args[i].value = "-" + a.value
		}
	}
	return args
}

// mayLeaveProject reports whether an operand may lead out of the project or set something:
// it is a path that is absolute or goes up, an address, an assignment, or a file of
// arguments.
func mayLeaveProject(operand string) bool {
	if operand == "" {
		return false
	}
	if strings.IndexByte(`@~/\`, operand[0]) >= 0 || strings.Contains(operand, "=") || strings.Contains(operand, "://") {
		return true
	}
	if c := lowerByte(operand[0]); 'a' <= c && c <= 'z' && len(operand) > 2 && operand[1] == ':' && isSlash(rune(operand[2])) {
		return true // on a drive
	}
	return strings.Contains(operand, "..") && slices.Contains(strings.FieldsFunc(operand, isSlash), "..")
}

func isSlash(c rune) bool { return c == '/' || c == '\\' }

// wildcardSpecOf returns the routine that a program, as rules know its name, is called for with arguments, which
// are those behind its sub-command.
func wildcardSpecOf(name string, args []arg) (wildcardSpec, []arg, bool) {
	for _, s := range wildcardSpecs[name] {
		if rest, ok := s.argsAfter(args); ok {
			return s, rest, true
		}
	}
	return wildcardSpec{}, nil, false
}

// argsAfter returns the arguments behind the sub-command, and reports whether they begin
// with it.
func (s wildcardSpec) argsAfter(args []arg) (rest []arg, ok bool) {
	for word := range strings.FieldsSeq(s.words) {
		if len(args) == 0 || !args[0].isLiteral() || !strings.EqualFold(args[0].value, word) {
			return nil, false
		}
		args = args[1:]
	}
	return args, true
}

// exceedsWildcard reports whether a command, its name first, is called for a routine
// with arguments that make more of it. Launchers such as npx lead to the routine of
// the program that they start.
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

// startedCommand returns the command that the arguments of a launcher are, behind the
// words which say so.
func startedCommand(name string, args []arg) (words []arg, ok bool) {
	if strings.HasPrefix(name, "python") || strings.HasPrefix(name, "pypy") {
		name = "python"
	}
	for _, s := range projectLaunchers[name] {
		if rest, ok := (wildcardSpec{words: s}).argsAfter(args); ok {
			for len(rest) > 0 && s == "" && strings.Contains(rest[0].value, "=") {
				rest = rest[1:] // a variable of env
			}
			return withoutVersion(rest), true
		}
	}
	return nil, false
}

// withoutVersion is a command without the version behind the name of its program, as
// in "jest@29".
func withoutVersion(words []arg) []arg {
	if len(words) == 0 || strings.LastIndexByte(words[0].value, '@') <= 0 {
		return words
	}
	words = slices.Clone(words)
	words[0].value = words[0].value[:strings.LastIndexByte(words[0].value, '@')]
	return words
}
