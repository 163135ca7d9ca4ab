package agents

import (
	"encoding/json"

	"github.com/seed49eaa51d/pegboard"
)

// A Definition describes a kind of agent: what it is for, what it is told, and what it may
// use. Only Name and Description are required; every other zero value leaves the agent what
// its caller has.
type Definition struct {
	// Name is the type that a model asks for, such as code-reviewer. That of a plugin's
	// definition is its id, plugin:name or plugin:folder:name.
	Name string
	// Description says when to use the agent. The model that starts agents reads it.
	Description string
	// Prompt is the system prompt of the agent. A host adds what it knows of the environment.
	Prompt string

	// Tools and DisallowedTools are the arguments of [pegboard.Pool.Resolve]. Nil Tools mean
	// every tool that the agent's role has, Tools that are empty but not nil mean none.
	Tools, DisallowedTools []string

	// Model and Effort are for the host's loop. Empty means the caller's.
	Model, Effort string
	// Mode is the permission mode. Empty means the parent's. A mode laxer than the parent's
	// has no effect.
	Mode pegboard.Mode
	// MaxTurns is the number of requests that a run may send to its model. Zero means no limit.
	MaxTurns int
	// Skills are the names of skills whose text the agent is told at its start.
	Skills []string

	// Background makes every run one in the background. Worktree gives each run a git
	// worktree of its own.
	Background, Worktree bool
	// OneShot makes runs that cannot be resumed: their results name no id.
	OneShot bool
	// Custom says that the user wrote the definition: see [pegboard.SessionConfig].CustomAgent.
	Custom bool

	// Origin is the file or other place that the definition comes from, for messages.
	Origin string
	// Extra are the keys of a file that only the host can follow, as JSON: hooks, mcpServers,
	// memory, color and initialPrompt. Nil means that there are none.
	Extra map[string]json.RawMessage
}
