package shell

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/gitrepo"
	"github.com/seed49eaa51d/pegboard/internal/proc"
)

// misleading are the variables that make bash read a file before the line, or read
// the line in another way than the parser.
var misleading = map[string]bool{"BASH_ENV": true, "ENV": true, "SHELLOPTS": true, "BASHOPTS": true, "POSIXLY_CORRECT": true}

// environment is what a command runs in: without CDPATH, which would lead cd
// elsewhere than the parser thinks, and without what would give its words another
// meaning, such as exported functions. One that was decided as read-only gets what
// keeps git from writing, asking and connecting, and finds no program of the
// project in the place of a system's.
func environment(o Options, c *pegboard.Call) []string {
	env := o.Env
	if env == nil {
		env = proc.Quiet(os.Environ())
	}
	env = slices.DeleteFunc(slices.Clone(env), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return misleading[name] || strings.HasPrefix(name, "BASH_FUNC_")
	})
	env = append(env, "CDPATH=")
	if c.ReadOnly() {
		env = append(env, gitrepo.Neutral()...)
		env = append(env, "PATH="+trusted(lookup(env, "PATH"), c.Session().Dir()))
	}
	return env
}

func lookup(env []string, name string) (value string) {
	for _, pair := range env {
		if v, ok := strings.CutPrefix(pair, name+"="); ok {
			value = v
		}
	}
	return value
}

// trusted returns path without what lies in the working directory, where a program
// could be called like one that only reads.
func trusted(path, dir string) string {
	var kept []string
	for _, entry := range filepath.SplitList(path) {
		if rel, err := filepath.Rel(dir, entry); filepath.IsAbs(entry) && (err != nil || !filepath.IsLocal(rel)) {
			kept = append(kept, entry)
		}
	}
	return strings.Join(kept, string(filepath.ListSeparator))
}
