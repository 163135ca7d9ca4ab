package agents

import (
	"context"
	"encoding/json"
)

// A Loop runs one agent: it asks its model and runs the calls that come back, until there are
// none. It is the host's own loop, as for its main agent, with three lines more:
//
//   - before each request it calls [Agent.Next], sends the parts that come back as the user's
//     words, and ends with the error if there is one. The last of the first parts is the agent's
//     task;
//   - it takes the tools of each request from [Agent.Pool], and runs the calls on that pool;
//   - it passes each message that it adds to the conversation to [Agent.Append].
//
// The conversation begins with [Agent.History], which is empty for a new agent. A Loop may be
// called again for the same agent, when there is more for it to read.
//
// The context ends when the agent is stopped; a Loop that has not returned a moment later is
// abandoned, see [pegboard.Session.Detached]. Its error ends the run, and the text that
// the agent has written until then is reported beside it. A Loop may be called concurrently for several
// agents. To check one, use tooltest.CheckLoop.
type Loop func(ctx context.Context, a *Agent) (Reply, error)

// A Reply is how a [Loop] has ended.
type Reply struct {
	// Text is the last message of the agent. If it is blank, the last text of the messages
	// that were passed to [Agent.Append] takes its place.
	Text string
	// Structured is the value that the agent has given for [Agent.Schema].
	Structured json.RawMessage
	// StopTurn says that an outcome had StopTurn: the turn of an agent that waits for this
	// one ends, too.
	StopTurn bool
	// Used is the cost since the last [Agent.Next].
	Used Usage
}
