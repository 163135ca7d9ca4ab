package shell

import (
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/proc"
	"github.com/seed49eaa51d/pegboard/internal/shellparse"
)

// exitMeanings are the programs whose exit code 1 is an answer and not a failure,
// from the documentation of Claude Code.
var exitMeanings = map[string]string{
	"grep": "nothing matched", "egrep": "nothing matched", "fgrep": "nothing matched", "rg": "nothing matched",
	"find": "some places could not be searched", "diff": "the files differ",
	"test": "the condition is false", "[": "the condition is false",
	"git grep": "nothing matched", "git diff": "there are differences",
}

// powerShellExitMeanings is the same table for PowerShell.
var powerShellExitMeanings = map[string]string{
	"grep": "nothing matched", "egrep": "nothing matched", "fgrep": "nothing matched", "rg": "nothing matched",
	"findstr": "nothing matched", "git grep": "nothing matched", "git diff": "there are differences",
}

// windowsExitMeanings holds on Windows if the program printed something.
var windowsExitMeanings = map[string]string{
	"where": "some names were not found", "fc": "the files differ", "diff": "the files differ",
}

// maxRobocopy is the highest exit code of robocopy that is not a failure.
const maxRobocopy = 7

// exitMeaning returns the meaning of the command's exit code if the code is not a
// failure. The meaning is that of the last simple command of the line, also in a
// pipe. It is empty for a failure, for 0, and if the code may come from another
// simple command.
func (k *command) exitMeaning(exit proc.Exit) string {
	if exit.Err != nil || exit.Signal != "" || exit.Code <= 0 || len(k.line.Commands) == 0 || k.mayEndEarly() {
		return ""
	}
	name := subcommandOf(k.line.Commands[len(k.line.Commands)-1].Text)
	if k.inspector.shell != shellparse.PowerShell {
		if exit.Code == 1 {
			return exitMeanings[name]
		}
		return ""
	}
	name = strings.ToLower(name)
	switch {
	case name == "robocopy" && exit.Code <= maxRobocopy:
		return "robocopy says what it copied and what it found besides"
	case exit.Code != 1:
		return ""
	case powerShellExitMeanings[name] != "":
		return powerShellExitMeanings[name]
	case runtime.GOOS == "windows" && exit.Output.Total > 0:
		return windowsExitMeanings[name]
	}
	return ""
}

// negation matches a ! before a command, which inverts its exit code.
var negation = regexp.MustCompile(`(^|[;&|({\n]|\b(then|do|else|if|while|until))\s*!\s`)

// setupPrograms are programs before a && that print a message if they fail, or never
// fail.
var setupPrograms = map[string]bool{"cd": true, "pushd": true, "popd": true, "echo": true, "printf": true, "true": true, ":": true, "set": true, "export": true}

// mayEndEarly reports whether the exit code of the line may come from a command
// before the last one or may be inverted. A command whose exit code 1 is an answer as
// well does not count.
func (k *command) mayEndEarly() bool {
	if k.inspector.shell == shellparse.PowerShell {
		return false
	}
	if negation.MatchString(k.in.Command) {
		return true
	}
	before := k.line.Commands[:len(k.line.Commands)-1]
	depends := strings.Contains(k.in.Command, "&&")
	for i := range before {
		switch programOf(before[i].Text) {
		case "exit", "return", "exec", "trap", "set":
			depends = true
		}
	}
	return depends && slices.ContainsFunc(before, func(c shellparse.Command) bool {
		return !setupPrograms[programOf(c.Text)] && exitMeanings[subcommandOf(c.Text)] == ""
	})
}
