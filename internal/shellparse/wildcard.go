package shellparse

import (
	"regexp"
	"slices"
	"strings"
)

// A routine is a command that people let run with other arguments every time, such
// as "go test". What it starts is up to the files of the project, and a person who
// allows it knows that. Some of its options make it start something else, read
// other files than those of the project, write where they say, or send something
// elsewhere.
//
// Of its arguments a routine lists those that do no such thing. A command with any
// other is [Command.Exact]: the rule "go test *" covers "go test -run X ./..." and
// does not cover "go test -exec ./other". A rule without a wildcard still covers
// it. That is stricter than the documented meaning of a prefix, under which the
// rule would cover both.
//
// No option before the sub-command is looked at: "go -C dir test" does not begin
// with "go test", and who writes a rule that covers it names the option himself or
// allows all that the program can do.
type routine struct {
	source string
	words  string                    // the sub-command; empty if the program has none
	flags  string                    // see flagKind; of Go, long flags may have one dash
	behind string                    // the flags behind "--", of the program that gets them
	single bool                      // flags of more than one letter may have one dash
	passes bool                      // flags before "--" may go to the program that gets those behind it
	values map[string]*regexp.Regexp // what flags may say, where it matters
	refuse *regexp.Regexp            // operands that no wildcard covers, beside those of outside
}

// exactly says that no wildcard covers a program with these arguments, because of
// what they may make it do besides its routine.
func (r routine) exactly(args []arg) bool {
	if slices.ContainsFunc(args, func(a arg) bool { return !a.exact() || a.many }) {
		return true
	}
	before, behind := args, []arg(nil)
	if i := slices.IndexFunc(args, func(a arg) bool { return a.value == "--" }); i >= 0 {
		before, behind = args[:i], args[i+1:]
	}
	if r.single {
		before = twoDashes(before)
	}
	return r.strange(r.flags, before, r.passes) || r.strange(r.behind, behind, true)
}

// strange reports whether some arguments are not known to be harmless. Passed says
// that another program gets them, to which the value of a flag may be an operand.
func (r routine) strange(flags string, args []arg, passed bool) bool {
	if len(args) == 0 {
		return false
	}
	g := entry{flags: flags, acts: true}.read(args)
	if g.why != "" || slices.ContainsFunc(args, func(a arg) bool { return a.value == "--" }) {
		return true
	}
	for _, f := range g.flags {
		want := r.values[f.name]
		if want != nil && !want.MatchString(f.value.value) || passed && outside(f.value.value) {
			return true
		}
	}
	return slices.ContainsFunc(g.operands, func(a arg) bool {
		return outside(a.value) || r.refuse != nil && r.refuse.MatchString(a.value)
	})
}

// twoDashes writes the flags of Go with two dashes, for which it takes them.
func twoDashes(args []arg) []arg {
	args = slices.Clone(args)
	for i, a := range args {
		if len(a.value) > 1 && a.value[0] == '-' && a.value[1] != '-' {
			args[i].value = "-" + a.value
		}
	}
	return args
}

// outside reports whether an operand may lead out of the project or set something:
// it is a path that is absolute or goes up, an address, an assignment, or a file of
// arguments.
func outside(operand string) bool {
	if operand == "" {
		return false
	}
	if strings.IndexByte(`@~/\`, operand[0]) >= 0 || strings.Contains(operand, "=") || strings.Contains(operand, "://") {
		return true
	}
	if c := lower(operand[0]); 'a' <= c && c <= 'z' && len(operand) > 2 && operand[1] == ':' && isSlash(rune(operand[2])) {
		return true // on a drive
	}
	return strings.Contains(operand, "..") && slices.Contains(strings.FieldsFunc(operand, isSlash), "..")
}

func isSlash(c rune) bool { return c == '/' || c == '\\' }

// routineOf returns the routine that a program, as rules know its name, is called for with arguments, which
// are those behind its sub-command.
func routineOf(name string, args []arg) (routine, []arg, bool) {
	for _, r := range routines[name] {
		if rest, ok := r.after(args); ok {
			return r, rest, true
		}
	}
	return routine{}, nil, false
}

// after returns the arguments behind the sub-command, and reports whether they begin
// with it.
func (r routine) after(args []arg) (rest []arg, ok bool) {
	for word := range strings.FieldsSeq(r.words) {
		if len(args) == 0 || !args[0].exact() || !strings.EqualFold(args[0].value, word) {
			return nil, false
		}
		args = args[1:]
	}
	return args, true
}

// beyondRoutine reports whether a command, its name first, is called for a routine
// with arguments that make more of it. Launchers such as npx lead to the routine of
// the program that they start.
func beyondRoutine(words []arg) bool {
	for len(words) > 0 && words[0].exact() {
		name := program(words[0].value)
		if r, rest, ok := routineOf(name, words[1:]); ok {
			return r.exactly(rest)
		}
		var ok bool
		if words, ok = startedBy(name, words[1:]); !ok {
			return false
		}
	}
	return false
}

// startedBy returns the command that the arguments of a launcher are, behind the
// words which say so.
func startedBy(name string, args []arg) (words []arg, ok bool) {
	if strings.HasPrefix(name, "python") || strings.HasPrefix(name, "pypy") {
		name = "python"
	}
	for _, s := range starters[name] {
		if rest, ok := (routine{words: s}).after(args); ok {
			for len(rest) > 0 && s == "" && strings.Contains(rest[0].value, "=") {
				rest = rest[1:] // a variable of env
			}
			return unversioned(rest), true
		}
	}
	return nil, false
}

// unversioned is a command without the version behind the name of its program, as
// in "jest@29".
func unversioned(words []arg) []arg {
	if len(words) == 0 || strings.LastIndexByte(words[0].value, '@') <= 0 {
		return words
	}
	words = slices.Clone(words)
	words[0].value = words[0].value[:strings.LastIndexByte(words[0].value, '@')]
	return words
}
