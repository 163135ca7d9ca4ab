package settings

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/seed49eaa51d/pegboard/tools/agents"
)

// agentsName is the name of the directories of agent files in .claude.
const agentsName = "agents"

// Agents are the definitions of agents in files, see [Files.LoadAgents]. The fields are
// read-only.
type Agents struct {
	// Definitions are those that count, each name once, in the byte order of the names. A host
	// adds those of its own, and last [agents.ReadyMade], with [agents.Merge].
	Definitions []agents.Definition
	// Overridden are those of a name that a higher place has, too.
	Overridden []agents.Definition
	// Problems are the files, and parts of files, that do not count, to show to the user.
	Problems []agents.Problem

	files   Files
	plugins []Plugin
	trees   []*tree
}

// LoadAgents reads the agent files of all places, in this order of precedence:
//
//	managed       .claude/agents of the directories of the managed files
//	command line  Flags.Agents
//	project       .claude/agents of each directory from the session's up to the project's
//	directories   .claude/agents of each directory of Flags.Dirs
//	user          agents beside the user's settings file
//	plugins       agents of the directory of each plugin
//
// Without trust, see [Files].Trusted, the files of the project and of Flags.Dirs do not count,
// since their prompts, hooks and servers may be another author's. A file that cannot be used is
// a problem, and costs nothing else. The error is that of the context; then there is nothing
// else.
func (f Files) LoadAgents(ctx context.Context, plugins ...Plugin) (*Agents, error) {
	a := &Agents{files: f, plugins: slices.Clone(plugins)}
	given := f.Flags.Agents == ""
	var levels [][]agents.Definition
	for _, p := range f.places(agentsName, plugins) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !given && !p.managed() {
			given = true
			levels = append(levels, a.given())
		}
		levels = append(levels, a.read(p))
	}
	if !given {
		levels = append(levels, a.given())
	}
	a.Definitions = agents.Merge(levels...)
	a.override(levels)
	return a, nil
}

// given returns the definitions of the command line.
func (a *Agents) given() []agents.Definition {
	definitions, problems, err := agents.ParseJSON([]byte(a.files.Flags.Agents), "--agents")
	a.Problems = append(a.Problems, problems...)
	var skipped *agents.SkippedError
	if errors.As(err, &skipped) {
		a.Problems = append(a.Problems, skipped.Problem)
	}
	return definitions
}

// read returns the definitions of one directory.
func (a *Agents) read(p place) []agents.Definition {
	t := newTree(p.path, func(name string) bool { return filepath.Ext(name) == agents.Extension })
	a.trees = append(a.trees, t)
	if !p.trusted {
		if t.hasFiles() {
			a.Problems = append(a.Problems, agents.Problem{Path: p.path, Text: "its agents do not count until the project is trusted", Skipped: true})
		}
		return nil
	}
	definitions, problems := agents.Load(os.DirFS(p.path), agents.Tree{Path: p.path, Plugin: p.plugin})
	a.Problems = append(a.Problems, problems...)
	return definitions
}

// override sets the definitions that do not count.
func (a *Agents) override(levels [][]agents.Definition) {
	seen := map[string]bool{}
	for _, d := range slices.Concat(levels...) {
		if seen[d.Name] {
			a.Overridden = append(a.Overridden, d)
		}
		seen[d.Name] = true
	}
}

// AgentsChanged reports whether LoadAgents with these plugins may return something else than
// since, as Changed does for Load. It compares the times, the size and the identity of each
// file.
func (f Files) AgentsChanged(since *Agents, plugins ...Plugin) bool {
	return since == nil || !f.same(since.files) || !slices.Equal(plugins, since.plugins) ||
		slices.ContainsFunc(since.trees, (*tree).changed)
}
