package shellparse

import (
	"regexp"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/shelltable"
)

// exceedsSpec reports whether some arguments may make the program do more than the spec
// allows, so that no wildcard covers them.
func exceedsSpec(s shelltable.WildcardSpec, args []arg) bool {
	if slices.ContainsFunc(args, func(a arg) bool { return !a.isLiteral() || a.anyNumber }) {
		return true
	}
	if s.RefusedArg != nil && slices.ContainsFunc(args, func(a arg) bool { return s.RefusedArg.MatchString(a.value) }) {
		return true
	}
	before, behind := args, []arg(nil)
	if i := slices.IndexFunc(args, func(a arg) bool { return a.value == "--" }); i >= 0 {
		before, behind = args[:i], args[i+1:]
	}
	if s.SingleDash {
		before = withTwoDashes(s.Flags, before)
	}
	if s.EndsAtOperand {
		before, behind = untilOperand(s.Flags, args), nil
	}
	return hasUnlistedArgs(s, s.Flags, before, s.PassesFlags) || hasUnlistedArgs(s, s.AfterDashes, behind, true)
}

// hasUnlistedArgs reports whether an argument is not known to be harmless. passed is
// set if another program receives the arguments, for which the value of a flag may be
// an operand.
func hasUnlistedArgs(s shelltable.WildcardSpec, flags string, args []arg, passed bool) bool {
	if len(args) == 0 {
		return false
	}
	p := commandSpec{flags: flags, hasUnsafeFlags: true}.parseArgs(args)
	if p.reason != "" || slices.ContainsFunc(args, func(a arg) bool { return a.value == "--" }) {
		return true
	}
	for _, f := range p.flags {
		want := s.Values[f.name]
		if want != nil && !want.MatchString(f.value.value) || passed && mayLeaveProject(f.value.value) {
			return true
		}
	}
	return slices.ContainsFunc(p.operands, func(a arg) bool {
		return mayLeaveProject(a.value) && (!s.ScopedNames || !scopedName.MatchString(a.value)) || s.RefusedOperand != nil && s.RefusedOperand.MatchString(a.value)
	})
}

// scopedName matches the name of a package with a scope, and perhaps a version.
var scopedName = regexp.MustCompile(`^@[\w.-]+/[\w.-]+(@[\w.^~-]*)?$`)

// withTwoDashes returns the arguments with two dashes before each listed flag that is
// written with one.
func withTwoDashes(flags string, args []arg) []arg {
	args = slices.Clone(args)
	for i, a := range args {
		name, _, _ := strings.Cut(a.value, "=")
		if len(name) > 1 && name[0] == '-' && name[1] != '-' && isListedFlag(flags, "-"+name) {
			args[i].value = "-" + a.value
		}
	}
	return args
}

// untilOperand returns the arguments up to the first operand.
func untilOperand(flags string, args []arg) []arg {
	p := commandSpec{flags: flags, flagsEndAtOperand: true, hasUnsafeFlags: true}.parseArgs(withTwoDashes(flags, args))
	return withTwoDashes(flags, args[:len(args)-max(len(p.operands)-1, 0)])
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
func wildcardSpecOf(name string, args []arg) (shelltable.WildcardSpec, []arg, bool) {
	for _, s := range shelltable.WildcardSpecs[name] {
		if rest, ok := argsAfter(s.Words, args); ok {
			return s, rest, true
		}
	}
	return shelltable.WildcardSpec{}, nil, false
}

// argsAfter returns the arguments after the words of a subcommand. It reports false if
// args do not begin with them.
func argsAfter(words string, args []arg) (rest []arg, ok bool) {
	for word := range strings.FieldsSeq(words) {
		if len(args) == 0 || !args[0].isLiteral() || !strings.EqualFold(args[0].value, word) {
			return nil, false
		}
		args = args[1:]
	}
	return args, true
}

// exceedsWildcard reports whether a [shelltable.WildcardSpec] applies to a command, whose name comes
// first, and some argument exceeds it. It looks behind launchers such as npx.
func exceedsWildcard(words []arg) bool {
	s, rest, ok := specBehindLaunchers(words)
	return ok && exceedsSpec(s, rest)
}

// specBehindLaunchers returns the spec for a command, or for that which launchers such as
// npx start, and the arguments after its subcommand.
func specBehindLaunchers(words []arg) (s shelltable.WildcardSpec, rest []arg, ok bool) {
	for len(words) > 0 && words[0].isLiteral() {
		name := programName(words[0].value)
		if s, rest, ok = wildcardSpecOf(name, words[1:]); ok {
			return s, rest, true
		}
		if words, ok = startedCommand(name, words[1:]); !ok {
			break
		}
	}
	return shelltable.WildcardSpec{}, nil, false
}

// forbidsWildcard reports whether no rule with a wildcard covers a command because of its
// arguments, whatever the files are called that it is started with.
func forbidsWildcard(words []arg) bool {
	exceeds := func(words []arg) bool { return exceedsWildcard(words) || exceedsOptions(words) }
	if variants, ok := onFoundNames(words); ok {
		return slices.ContainsFunc(variants, exceeds)
	}
	return exceeds(words)
}

// startedCommand returns the command in the arguments of a launcher, after the words
// that introduce it.
func startedCommand(name string, args []arg) (words []arg, ok bool) {
	if strings.HasPrefix(name, "python") || strings.HasPrefix(name, "pypy") {
		name = "python"
	}
	for _, s := range projectLaunchers[name] {
		if rest, ok := argsAfter(s, args); ok {
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

// projectLaunchers are launchers that start a program of a project, with the words that
// precede its name. A launcher's own options are not skipped: a rule that covers them
// names them.
var projectLaunchers = map[string][]string{
	"python": {"-m"}, "py": {"-m"}, "coverage": {"run -m"},
	"uv": {"run", "tool run"}, "uvx": {""}, "poetry": {"run"}, "pdm": {"run"}, "pipenv": {"run"}, "hatch": {"run"}, "rye": {"run"}, "pipx": {"run"},
	"npx": {""}, "bunx": {""}, "npm": {"exec --", "exec", "x --", "x"}, "pnpm": {"exec", "dlx", ""}, "yarn": {"exec", "dlx", ""},
	"bun": {"x"}, "bundle": {"exec"}, "env": {""}, "cross-env": {""}, "direnv": {"exec ."}, "mise": {"exec --", "x --"}, "devbox": {"run"},
}
