package shell

import (
	"runtime"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/gitrepo"
	"github.com/seed49eaa51d/pegboard/internal/shellparse"
)

// environment returns the environment in which a line runs. HOME is the directory that the
// parser used for ~. CDPATH is empty, since it would make cd enter other directories
// than the parser assumes, and OLDPWD is that of the session, if it has one. Variables
// that give words of the line another meaning, such as exported functions, are removed. A
// command that was decided as read-only also gets settings that keep git from writing,
// asking and connecting, and go from downloading. A line whose commands are all known gets a PATH without open
// directories, unless it runs a program in one that somebody has allowed.
func (r *runner) environment(command string, line *shellparse.Line, c *pegboard.Call) []string {
	o := r.options
	env := inherited(o.Env, o.Withheld)
	r.startupOf(c.Session()).addTo(&env, c.ReadOnly())
	env.remove(func(name string) bool {
		return misleadingVars[name] || strings.HasPrefix(name, "BASH_FUNC_")
	})
	if o.Env == nil {
		env.remove(func(name string) bool { return yieldsToConfig(name, command) })
	}
	env.set("CDPATH", "")
	env.remove(func(name string) bool { return name == "OLDPWD" })
	if last := startDirOf(c.Session()).previous(c); last != "" && !o.FixedDir {
		env.set("OLDPWD", last)
	}
	if home := c.Session().Home(); home != "" && runtime.GOOS != "windows" {
		env.set("HOME", home)
	}
	if isKnown(line) && !asksForPrograms(line) && !runsOpenProgram(c) {
		restrictPath(&env, c.Dirs())
	}
	if c.ReadOnly() {
		env.setAll(gitrepo.Neutral())
		env.set("GOTOOLCHAIN", "local") // the tables rely on it
		if strings.Contains(command, "doc") {
			env.set("GOPROXY", "off")
			env.set("GOVCS", "*:off")
		}
	}
	return env.pairs
}

// isKnown reports whether every command of a line is one that the tables describe, and that
// starts no other program for its work, as git starts its hooks.
func isKnown(line *shellparse.Line) bool {
	return line.Unknown == "" && !slices.ContainsFunc(line.Commands, func(c shellparse.Command) bool {
		name := programOf(c.Text)
		return c.Class == shellparse.Unknown || c.Class == shellparse.Mutating && !c.EditsOnly && !stillPrograms[name] && name != "ln"
	})
}

// asksForPrograms reports whether a line only says where programs are, which is to be true
// of the PATH that other lines have.
func asksForPrograms(line *shellparse.Line) bool {
	for i := range line.Commands {
		text := line.Commands[i].Text
		if name := programOf(text); name != "which" && name != "type" && !strings.HasPrefix(text, "command -v ") && !strings.HasPrefix(text, "command -V ") {
			return false
		}
	}
	return len(line.Commands) > 0
}

// runsOpenProgram reports whether c may run a program in an open directory of PATH: one that
// projects bring, or one that a person, or a rule that spells the command, has allowed. The
// tables are about the program that all others know by the name.
func runsOpenProgram(c *pegboard.Call) bool {
	d := c.Decision()
	known := d.By == pegboard.ByPerson || d.By == pegboard.ByCaller || d.Rule != nil && d.Rule.Pattern != ""
	return slices.ContainsFunc(c.Targets(), func(t pegboard.Target) bool {
		return t.Shell.VerifyProgram != nil && (known || t.Shell.BringsProgram && d.By != pegboard.ByClassifier) && t.Shell.VerifyProgram() != nil
	})
}

// isAllowedAsKnown reports whether c was allowed since all its commands are known, and not
// by a person, a rule, a hook or the mode that allows everything.
func isAllowedAsKnown(line *shellparse.Line, c *pegboard.Call) bool {
	d := c.Decision()
	return isKnown(line) && (d.By == pegboard.ByDefault || d.By == pegboard.ByMode && c.Session().Permissions().Mode() != pegboard.ModeBypass)
}

// isExported reports whether a command that is known to change nothing may have a variable
// in its environment.
func (r *runner) isExported(s *pegboard.Session, name string) bool {
	env := inherited(r.options.Env, r.options.Withheld)
	_, ok := env.get(name)
	return ok || r.startupOf(s).mayExport(name)
}

// searchPath returns where the commands of a session find their programs, as far as that is
// known before one of them is started.
func (r *runner) searchPath(c *pegboard.Call) *searchPath {
	env := variables{pairs: r.options.Env, fold: runtime.GOOS == "windows"}
	path, _ := env.get("PATH")
	if r.options.Env == nil {
		path = ownPath()
	}
	if u := r.startupOf(c.Session()); u != nil {
		env = variables{pairs: []string{"PATH=" + path}}
		u.addTo(&env, true)
		path, _ = env.get("PATH")
	}
	dirs := c.Dirs()
	if last := r.lastPath.Load(); last.is(path, dirs) {
		return last
	}
	now := newSearchPath(path, dirs)
	r.lastPath.Store(now)
	return now
}
