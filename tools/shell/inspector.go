package shell

import (
	"path/filepath"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	lines "github.com/seed49eaa51d/pegboard/policy/shell"
)

// An inspector finds out from a command line which targets it has.
type inspector struct {
	shell      lines.Shell
	reader     *lines.Reader
	isPublic   func(name string) bool               // nil if the host names no public variables
	isExported func(*pegboard.Session, string) bool // nil if any variable may be in the environment
	searchPath func(*pegboard.Call) *searchPath     // nil if the programs of a line are not looked for
}

func newInspector(o Options) inspector {
	i := inspector{shell: lines.Bash}
	if len(o.Shell) > 0 {
		switch strings.TrimSuffix(filepath.Base(o.Shell[0]), ".exe") {
		case "zsh":
			i.shell = lines.Zsh
		case "pwsh", "powershell":
			i.shell = lines.PowerShell
		}
	}
	if len(o.Public) > 0 {
		i.isPublic = func(name string) bool { return matchesLast(o.Public, name) }
	}
	return i
}

// inspect returns the traits of a call, and its line.
func (i inspector) inspect(in commandInput, c *pegboard.Call) (pegboard.Traits, lines.Line) {
	env := lines.Env{Shell: i.shell, IsPublic: i.isPublic}
	if s := c.Session(); s != nil {
		env = i.env(s, c.Cwd())
	}
	if i.searchPath != nil && c.Session() != nil {
		programs := &programCheck{from: env.Dir, find: i.searchPath, call: c}
		env.Program = programs.of
	}
	line := i.reader.Read(in.Command, env)
	tr := pegboard.Traits{Concurrency: pegboard.Exclusive, ReadOnly: line.Facts.ReadOnly, OpenWorld: line.Facts.OpenWorld, Targets: line.Targets}
	if tr.Kind = pegboard.KindRun; tr.ReadOnly {
		tr.Kind = kindOf(&line)
	}
	if tr.ReadOnly && !mayChangeDir(in.Command, &line) {
		tr.Concurrency = pegboard.Shared
	}
	return tr, line
}

// parse parses the line of a call in the way in which it was inspected.
func (i inspector) parse(in commandInput, c *pegboard.Call) lines.Line {
	return i.reader.Read(in.Command, i.env(c.Session(), c.Cwd()))
}

// env returns the environment in which a line is read that starts in dir.
func (i inspector) env(s *pegboard.Session, dir string) lines.Env {
	env := lines.Env{Shell: i.shell, Dir: dir, Home: s.Home(), IsPublic: i.isPublic}
	if i.isExported != nil {
		exported := map[string]bool{}
		env.IsExported = func(name string) bool { // a line may ask thousands of times
			is, known := exported[name]
			if !known {
				is = i.isExported(s, name)
				exported[name] = is
			}
			return is
		}
	}
	return env
}
