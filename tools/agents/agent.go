package agents

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

// An Agent is one agent as its [Loop] sees it. Its fields must not be changed. Its methods may
// be called concurrently.
type Agent struct {
	ID     string
	Name   string // what others may call it; may be empty
	Type   string // the name of its definition
	System string // the system prompt of its definition; empty if the definition has none
	// Model and Effort are those of the call, the definition or else the caller; empty means
	// that all three leave it open.
	Model, Effort string

	Session *pegboard.Session // its own; the run closes it
	Caller  *pegboard.Session // of the agent that has started it

	// Schema is the schema of the value that it should give as Reply.Structured; nil if it
	// answers with text.
	Schema json.RawMessage
	// Forked says that the agent goes on from its caller's conversation: the request has the
	// caller's system prompt and messages, see [pegboard.KeySystemPrompt] and
	// [pegboard.KeyConversation] of Caller, and then those of History.
	Forked bool

	run *run
}

// Pool returns the tools for the next request. They are assembled anew each time, since
// servers come and go. With are tools of this run alone, as those of
// [pegboard.PoolConfig].With, such as the one that takes a value for Schema: the definition
// need not list them. If the agent has a Schema, the tool StructuredOutput is in the pool of a
// background agent although its role table does not list it.
//
// It fails if the definition leaves no tool, and if a rule, a table or anything else takes one
// of these tools away: the run could not end well. A Loop then returns the error.
func (a *Agent) Pool(with ...pegboard.Tool) (*pegboard.Pool, error) {
	r, err := a.run.resolve(with...)
	if err != nil {
		return nil, err
	}
	for _, t := range with {
		if name := t.Info().Name; !has(r.Pool, name) {
			return nil, fmt.Errorf("the run needs a tool that it cannot have: %s", r.Pool.Explain(name))
		}
	}
	return r.Pool, nil
}

// has reports whether a pool has a tool.
func has(p *pegboard.Pool, name string) bool {
	_, ok := p.Lookup(name)
	return ok
}

// Next returns the parts that the agent must read before its next request: first its task,
// later messages, notices of background tasks, and words of hooks. Used is the cost since the
// last Next, zero before the first request. Each part is returned once.
//
// The error is ErrTurns or ErrBudget when no further request may be sent, or the cause of ctx
// or of the agent's end. A Loop then returns, with or without the error: the run ends with what
// the agent has written, and its report names the limit.
func (a *Agent) Next(ctx context.Context, used Usage) ([]pegboard.Part, error) {
	return a.run.next(ctx, used)
}

// History returns the messages that the conversation of the agent begins with: those that were
// passed to Append before this call of the Loop. The caller must not change them.
func (a *Agent) History() []json.RawMessage { return a.run.messages() }

// Append adds messages to the agent's conversation, in the form of the provider: those of
// the user, of the model and with results, as the next request will have them. The run reports
// the model's last text in them if it ends before the Loop returns. The messages must
// not be changed afterwards. If a message cannot be kept, the error says why, and the Loop ends
// with it.
func (a *Agent) Append(messages ...json.RawMessage) error { return a.run.append(messages) }
