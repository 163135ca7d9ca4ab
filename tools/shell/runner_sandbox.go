package shell

import (
	"slices"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/pattern"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/internal/shellparse"
)

// sandboxes reports whether a command runs in the sandbox.
func (r *runner) sandboxes(in commandInput, line *shellparse.Line) bool {
	return r.options.Sandbox != nil && !in.outside && !r.isExcluded(line)
}

// isExcluded reports whether the host lets a line run without the sandbox because of one
// of its commands.
func (r *runner) isExcluded(line *shellparse.Line) bool {
	return slices.ContainsFunc(r.options.SandboxExcluded, func(text string) bool {
		spec, err := pattern.Parse("Bash", text)
		return err == nil && slices.ContainsFunc(line.Commands, func(c shellparse.Command) bool {
			return spec.Touches(pattern.Subject{Kind: pattern.Command, Names: []string{c.Text}, Nested: c.Nested, NoWildcards: c.NoWildcards})
		})
	})
}

// inspect returns the traits of a call. A sandbox keeps a command from the files of deny
// and ask rules only if it can know them.
func (r *runner) inspect(in commandInput, c *pegboard.Call) pegboard.Traits {
	tr, line := r.inspector.inspect(in, c)
	if s := c.Session(); s != nil && !r.options.SandboxAsks && r.sandboxes(in, &line) {
		tr.Sandboxed = !slices.ContainsFunc(s.Permissions().Rules(), func(rule pegboard.Rule) bool {
			_, exact := rule.Places()
			return isAboutFiles(rule) && !exact
		})
	}
	return tr
}

// isAboutFiles reports whether a rule keeps calls from files.
func isAboutFiles(r pegboard.Rule) bool {
	return r.Behavior != pegboard.Allow && r.Pattern != "" && (r.Tool == "Read" || r.Tool == "Edit")
}

// sandboxCommand returns what a command that starts in dir may do.
func (r *runner) sandboxCommand(c *pegboard.Call, line, dir string) (sc SandboxCommand, err error) {
	s := c.Session()
	sc = SandboxCommand{Line: line, Dir: realpath.Resolve(dir), Home: s.Home(), Targets: c.Targets(), Decision: c.Decision()}
	for _, dir := range c.Dirs() {
		if dir = realpath.Resolve(dir); isDir(dir) {
			sc.WorkDirs = append(sc.WorkDirs, dir)
		}
	}
	if sc.Temp, err = sandboxTempOf(s); err != nil {
		return sc, err
	}
	if !c.ReadOnly() {
		sc.openWorkDirs()
	}
	for i := range sc.Targets {
		sc.open(&sc.Targets[i], c.ReadOnly())
	}
	for _, rule := range s.Permissions().Rules() {
		if isAboutFiles(rule) {
			sc.close(rule)
		}
	}
	return sc, nil
}
