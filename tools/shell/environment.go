package shell

import (
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/proc"
)

// misleadingVars are the variables that make bash read a file before the line, or
// interpret the line in another way than the parser.
var misleadingVars = map[string]bool{"BASH_ENV": true, "ENV": true, "SHELLOPTS": true, "BASHOPTS": true, "POSIXLY_CORRECT": true}

// inherited returns the environment that a host has set, or that of this process without
// the withheld variables, with the settings that keep programs from waiting for a person.
// What the host has set itself stays as it is.
func inherited(set, withheld []string) variables {
	env := variables{pairs: slices.Clone(set), fold: runtime.GOOS == "windows"}
	if set != nil {
		env.setMissing(proc.QuietSettings())
		return env
	}
	env.pairs = os.Environ()
	env.remove(func(name string) bool { return isWithheld(withheld, name) })
	env.setAll(proc.QuietSettings())
	return env
}

// yieldsToConfig reports whether a variable would override the editor that a line sets for
// git with -c.
func yieldsToConfig(name, line string) bool {
	line = strings.ToLower(line)
	return name == "GIT_EDITOR" && strings.Contains(line, "core.editor") ||
		name == "GIT_SEQUENCE_EDITOR" && strings.Contains(line, "sequence.editor")
}
