package shell

import (
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/proc"
	"github.com/seed49eaa51d/pegboard/internal/shellparse"
)

// exitMeanings are the programs whose exit code 1 is an answer and not a failure, from
// the documentation of the harness that this tool is compatible with.
var exitMeanings = map[string]string{
	"grep": "nothing matched", "egrep": "nothing matched", "fgrep": "nothing matched", "rg": "nothing matched",
	"find": "some places could not be searched", "diff": "the files differ",
	"test": "the condition is false", "[": "the condition is false",
	"git grep": "nothing matched", "git diff": "there are differences",
}

// powerShellExitMeanings is the table of PowerShell.
var powerShellExitMeanings = map[string]string{
	"grep": "nothing matched", "egrep": "nothing matched", "fgrep": "nothing matched", "rg": "nothing matched",
	"findstr": "nothing matched", "git grep": "nothing matched", "git diff": "there are differences",
}

// windowsExitMeanings counts there if the program printed something.
var windowsExitMeanings = map[string]string{
	"where": "some names were not found", "fc": "the files differ", "diff": "the files differ",
}

// maxRobocopy is the highest exit code with which robocopy says what it did. Higher
// ones are failures.
const maxRobocopy = 7

// exitMeaning says what the exit code of a command means that ended by itself, if it
// is no failure: that is up to its last simple command, also in a pipe, unless the
// code may be that of another one. It is empty for a failure, and for 0.
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

// negation finds a ! before a command, which turns its exit code around.
var negation = regexp.MustCompile(`(^|[;&|({\n]|\b(then|do|else|if|while|until))\s*!\s`)

// setupPrograms are programs before a && whose failure shows in what they print, if they
// fail at all.
var setupPrograms = map[string]bool{"cd": true, "pushd": true, "popd": true, "echo": true, "printf": true, "true": true, ":": true, "set": true, "export": true}

// mayEndEarly reports whether the exit code of the line may be that of a command
// before its last one, which did not fail then, or did not run, or may be turned
// around. A command whose 1 is an answer as well does not count.
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
