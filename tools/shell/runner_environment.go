package shell

import (
	"runtime"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/gitrepo"
)

// environment returns the environment in which a line runs. HOME is the directory that the
// parser used for ~. CDPATH is empty, since it would make cd enter other directories
// than the parser assumes, and OLDPWD is that of the session, if it has one. Variables
// that give words of the line another meaning, such as exported functions, are removed. A
// command that was decided as read-only also gets settings that keep git from writing,
// asking and connecting, and a PATH without the project's own programs.
func (r *runner) environment(line string, c *pegboard.Call) []string {
	o := r.options
	env := inherited(o.Env, o.Withheld)
	r.startupOf(c.Session()).addTo(&env, c.ReadOnly())
	env.remove(func(name string) bool {
		return misleadingVars[name] || strings.HasPrefix(name, "BASH_FUNC_")
	})
	if o.Env == nil {
		env.remove(func(name string) bool { return yieldsToConfig(name, line) })
	}
	env.set("CDPATH", "")
	env.remove(func(name string) bool { return name == "OLDPWD" })
	if last := startDirOf(c.Session()).previous(c.Session()); last != "" && !o.FixedDir {
		env.set("OLDPWD", last)
	}
	if home := c.Session().Home(); home != "" && runtime.GOOS != "windows" {
		env.set("HOME", home)
	}
	if c.ReadOnly() {
		restrictPath(&env, c.Session().Dirs())
		env.setAll(gitrepo.Neutral())
	}
	return env.pairs
}
