package shellparse

import (
	"slices"
	"strings"
)

// writtenArgs returns which arguments of a command whose effect is not known may name a file
// that the command writes, by their index behind the name, which comes first in words. A table
// that knows the program says that none does, except for the values of options.
func writtenArgs(name string, words []arg) func(at int) bool {
	args, none := words[1:], func(int) bool { return false }
	if onlyReadsArgs(words) {
		return none
	}
	spec, tabled := specOf(name)
	if _, version := versionSpecs[name]; version {
		tabled = false
	}
	_, launcher := launcherWords(name)
	switch {
	case name == "ssh":
		return func(at int) bool { return at > 0 && args[at-1].is("-E") }
	case name == "git", isBuiltin(name), tabled && !spec.hasUnsafeFlags && spec.custom == nil:
		return none
	case name == "curl", name == "wget":
		return func(at int) bool { return isValue(args, at) && namesPlace(args, at) }
	case startsElsewhere(name, args):
		end := elsewhere(args)
		return func(at int) bool { return at < end && isValue(args, at) }
	case name == "script", name == "patch", len(args) > 0 && has(projectManagers, name) && !has("run exec x tool", args[0].value):
	case launcher, tabled && !mountPrograms[name]:
		return func(at int) bool { return isValue(args, at) }
	case runsAnyCode(name):
		script := slices.IndexFunc(args, func(a arg) bool { return !strings.HasPrefix(a.value, "-") })
		return func(at int) bool { return at != script }
	}
	return func(int) bool { return true }
}

// projectManagers are launchers with other subcommands, which may write what they are given.
const projectManagers = "uv poetry pipenv bundle conda pipx mise devbox"

// onlyReadsArgs reports whether a table says that a command writes none of its arguments: one
// that a rule with a wildcard covers with any files of the project.
func onlyReadsArgs(words []arg) bool {
	spec, rest, ok := specBehindLaunchers(words)
	return ok && !exceedsSpec(spec, rest) && !writesInPlace(words[1:])
}

// isValue reports whether an argument is an option with its value, or may be the value of the
// option before it.
func isValue(args []arg, at int) bool {
	return strings.HasPrefix(args[at].value, "-") || at > 0 && len(args[at-1].value) > 1 && args[at-1].value[0] == '-' && !strings.Contains(args[at-1].value, "=")
}

// namesPlace reports whether the option of an argument is called as those are that say where
// something is written.
func namesPlace(args []arg, at int) bool {
	option := args[at].value
	if !strings.HasPrefix(option, "-") {
		option = args[at-1].value
	}
	option, _, _ = strings.Cut(option, "=")
	return slices.ContainsFunc([]string{"out", "file", "dir", "log", "trace", "hsts", "etag-save", "dump"}, func(part string) bool {
		return strings.HasPrefix(option, "--") && strings.Contains(option, part)
	})
}

// startsElsewhere reports whether a subcommand starts a command in a container, where the names
// of files are others.
func startsElsewhere(name string, args []arg) bool {
	return subcommandLaunchers[name] != nil && (mountPrograms[name] || name == "kubectl") && len(args) > 1 &&
		(has("exec run create", args[0].value) || args[0].is("compose") && slices.ContainsFunc(args[1:], func(a arg) bool { return a.is("exec", "run") }))
}

// elsewhere returns the index of the first argument that the command in a container gets: the
// one behind two that are no options.
func elsewhere(args []arg) int {
	for i := 2; i < len(args); i++ {
		if !isValue(args, i) && !isValue(args, i-1) {
			return i
		}
	}
	return len(args)
}
