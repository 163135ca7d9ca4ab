package shell

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/proc"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
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

// systemDirs are directories that stay in PATH even if the session works in the root
// directory.
var systemDirs = map[string]bool{"/bin": true, "/sbin": true, "/usr/bin": true, "/usr/sbin": true, "/usr/local/bin": true, "/usr/local/sbin": true}

// restrictPath removes directories of the project from PATH, however its name is spelled.
func restrictPath(env *variables, dirs []string) {
	path, _ := env.get("PATH")
	env.set("PATH", trustedPath(path, dirs))
}

// trustedPath returns path without the entries that lie in a working directory, under
// any name: a program there could have the name of one that only reads.
func trustedPath(path string, dirs []string) string {
	roots := make([]string, len(dirs))
	for i, dir := range dirs {
		roots[i] = realpath.Resolve(dir)
	}
	var kept []string
	for _, entry := range filepath.SplitList(path) {
		inside := func(root string) bool {
			rel, err := filepath.Rel(root, realpath.Resolve(entry))
			return err == nil && filepath.IsLocal(rel)
		}
		if filepath.IsAbs(entry) && (systemDirs[filepath.Clean(entry)] || !slices.ContainsFunc(roots, inside)) {
			kept = append(kept, entry)
		}
	}
	if len(kept) == 0 {
		return os.DevNull // it contains no programs; an empty PATH would mean the command's directory
	}
	return strings.Join(kept, string(filepath.ListSeparator))
}
