package workflow

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/seed49eaa51d/pegboard/tools/agents"
)

// Limits of a run. A default is the meaning of an option that is 0.
const (
	// DefaultMaxRunning is the number of agents of a run that run at once. It is that of
	// Claude Code, as is DefaultMaxAgents.
	DefaultMaxRunning = 16
	// DefaultMaxAgents is the number of agents that a run may start.
	DefaultMaxAgents = 1_000
	// DefaultMaxTime is how long a run may take. It is a guess: a thousand agents of ten
	// minutes, sixteen at once, take as long.
	DefaultMaxTime = 12 * time.Hour
	// MaxCompute is how long a script may compute between two waits for agents. It is a
	// guess: to combine texts takes milliseconds.
	MaxCompute = 10 * time.Second
)

// Options are the host's settings. Agents is required.
type Options struct {
	// Agents starts the agents of the workflows.
	Agents *agents.Agents
	// Named are the workflows that calls and other workflows start by their names. The
	// model is told their descriptions.
	Named []Named
	// Dir is the directory for the journals and scripts of the runs of this conversation,
	// an absolute path; agents may read it. It is created for this user alone if it is
	// missing, and stays: a later program that has the same directory can resume the runs.
	// Empty means that the last 32 runs of each conversation are kept in memory.
	Dir string
	// MaxRunning, MaxAgents and MaxTime limit a run; 0 means DefaultMaxRunning,
	// DefaultMaxAgents and DefaultMaxTime. Of the agents that may run at once in the whole
	// conversation, see agents.Options.MaxRunning, a run waits for a place.
	MaxRunning, MaxAgents int
	MaxTime               time.Duration
}

// check returns the first error of o.
func (o *Options) check() error {
	names := map[string]bool{}
	for _, n := range o.Named {
		if err := n.check(); err != nil {
			return fmt.Errorf("workflow: Options.Named: %w", err)
		}
		if names[n.Name] {
			return fmt.Errorf("workflow: Options.Named: two workflows have the name %s", n.Name)
		}
		names[n.Name] = true
	}
	switch {
	case o.Agents == nil:
		return errors.New("workflow: Options.Agents is required: it starts the agents")
	case o.Dir != "" && !filepath.IsAbs(o.Dir):
		return fmt.Errorf("workflow: Options.Dir is %q; it must be an absolute path", o.Dir)
	case o.MaxRunning < 0 || o.MaxAgents < 0 || o.MaxTime < 0:
		return fmt.Errorf("workflow: a limit cannot be negative: MaxRunning %d, MaxAgents %d, MaxTime %v", o.MaxRunning, o.MaxAgents, o.MaxTime)
	}
	return nil
}
