package shell

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/gitrepo"
	"github.com/seed49eaa51d/pegboard/internal/proc"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// misleadingVars are the variables that make bash read a file before the line, or
// interpret the line in another way than the parser.
var misleadingVars = map[string]bool{"BASH_ENV": true, "ENV": true, "SHELLOPTS": true, "BASHOPTS": true, "POSIXLY_CORRECT": true}

// environment returns the environment of a command. HOME is the directory that the
// parser used for ~. CDPATH is empty, since it would make cd enter other directories
// than the parser assumes. Variables that give words of the line another meaning,
// such as exported functions, are removed. A command that was decided as read-only
// also gets settings that keep git from writing, asking and connecting, and a PATH
// without the project's own programs.
func environment(o Options, c *pegboard.Call) []string {
	env := o.Env
	if env == nil {
		env = proc.Quiet(os.Environ())
	}
	env = slices.DeleteFunc(slices.Clone(env), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return misleadingVars[name] || strings.HasPrefix(name, "BASH_FUNC_")
	})
	env = append(env, "CDPATH=")
	if home := c.Session().Home(); home != "" && runtime.GOOS != "windows" {
		env = append(env, "HOME="+home)
	}
	if c.ReadOnly() {
		env = append(env, gitrepo.Neutral()...)
		env = append(env, "PATH="+trustedPath(lookupVar(env, "PATH"), c.Session().Dirs()))
	}
	return env
}

func lookupVar(env []string, name string) (value string) {
	for _, pair := range env {
		if v, ok := strings.CutPrefix(pair, name+"="); ok {
			value = v
		}
	}
	return value
}

// systemDirs are directories that stay in PATH even if the session works in the root
// directory.
var systemDirs = map[string]bool{"/bin": true, "/sbin": true, "/usr/bin": true, "/usr/sbin": true, "/usr/local/bin": true, "/usr/local/sbin": true}

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
