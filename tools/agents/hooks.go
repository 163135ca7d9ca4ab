package agents

import "context"

// Hooks are called at the start and the end of agents. Any of them may be nil. They may be
// called concurrently, and must return when their context ends. An error or a panic of one is
// logged and changes nothing.
type Hooks struct {
	// Start is called before an agent's first request. The agent reads the text before its
	// task.
	Start func(ctx context.Context, a *Agent) (string, error)
	// Stop is called when an agent's [Loop] has returned without an error. If it returns a
	// text, the agent reads the text and goes on, at most [MaxStopTexts] times in a run.
	Stop func(ctx context.Context, e Ending) (string, error)
	// Idle is called in place of Stop for a teammate, which then waits for messages. If it
	// returns a text, the teammate reads the text and goes on, at most [MaxStopTexts] times
	// until it is idle.
	Idle func(ctx context.Context, e Ending) (string, error)
}

// MaxStopTexts is how often Hooks.Stop can keep one run going. Claude Code ends a turn after as
// many refusals of its Stop hooks.
const MaxStopTexts = 8

// An Ending is an agent that is about to end.
type Ending struct {
	Agent *Agent
	Text  string // its last message
	Kept  int    // how often Hooks.Stop has kept this run going
}
