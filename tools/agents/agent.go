package agents

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// An Agent is one agent as its [Loop] sees it. Its fields must not be changed. Its methods may
// be called concurrently.
type Agent struct {
	ID     string
	Name   string // what others may call it; may be empty
	Team   string // that it was asked to join under its name; may be empty
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

// The names of the tool.
const (
	toolName  = "Agent"
	toolAlias = "Task"
)

// agentInput is the input of the Agent tool.
type agentInput struct {
	Description string `json:"description" jsonschema_description:"The task in 3 to 5 words"`
	Prompt      string `json:"prompt" jsonschema_description:"The task, with everything that the agent must know: it does not see this conversation"`
	Type        string `json:"subagent_type,omitempty" jsonschema_description:"The type of agent; general-purpose if left out"`
	Model       string `json:"model,omitempty" jsonschema_description:"Another model for the agent; leave it out unless there is a reason"`
	Effort      string `json:"effort,omitempty" jsonschema_description:"How hard it should think: low, medium, high, xhigh or max"`
	Background  *bool  `json:"run_in_background,omitempty" jsonschema_description:"true: do not wait for the agent; its report comes later. false: wait for it"`
	Name        string `json:"name,omitempty" jsonschema_description:"A name by which the agent can be sent messages"`
	Team        string `json:"team_name,omitempty" jsonschema_description:"The team that the agent joins under its name"`
	Mode        string `json:"mode,omitempty" jsonschema_description:"A stricter permission mode for the agent, such as plan"`
	Isolation   string `json:"isolation,omitempty" jsonschema_description:"worktree: the agent works in a git worktree of its own"`
	Dir         string `json:"cwd,omitempty" jsonschema_description:"The directory that the agent works in, inside the working directories"`
}

// request returns the request that a call makes.
func (in *agentInput) request(c *pegboard.Call) *Request {
	return &Request{
		Description: in.Description, Prompt: in.Prompt, Type: in.Type, Name: in.Name, Team: in.Team, Model: in.Model, Effort: in.Effort,
		Mode: policy.Mode(in.Mode), Isolation: in.Isolation, Dir: in.Dir,
		Background: in.Background != nil && *in.Background, Foreground: in.Background != nil && !*in.Background,
		pool: c.Pool(), movable: true,
	}
}

// agentTool returns the Agent tool.
func (g *Agents) agentTool() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[agentInput, Result]{
		Info: pegboard.Info{
			Name: toolName, Title: "Agent", Aliases: []string{toolAlias}, MaxResult: MaxResult,
			Hint: "delegate work subagent parallel task",
		},
		Description: "Starts an agent that works on a task by itself and reports.",
		Enabled:     func(s *pegboard.Session) bool { return s == nil || g.depth(s) < g.options.maxDepth() },
		Prompt:      g.prompt,
		Inspect: func(in agentInput, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{Kind: pegboard.KindRun, Concurrency: pegboard.Shared, Own: true, Targets: []policy.Target{
				{Kind: policy.Agent, Access: policy.Run, Value: typeName(in.Type)},
			}}
		},
		Summary: func(in agentInput, _ *pegboard.Call) pegboard.Summary {
			return pegboard.Summary{Before: "Start agent " + typeName(in.Type) + ": " + in.Description, While: "Agent " + typeName(in.Type) + ": " + in.Description}
		},
		Permit: func(context.Context, agentInput, *pegboard.Call) policy.Decision {
			return policy.Decision{Behavior: policy.Allow, Reason: "the calls of the agent are decided one by one"}
		},
		ClassifierInput: func(in agentInput, _ *pegboard.Call) string {
			return "start an agent of the type " + typeName(in.Type) + ": " + in.Prompt
		},
		Call: func(ctx context.Context, in agentInput, c *pegboard.Call) (Result, error) {
			if c.Session() == nil {
				return Result{}, errors.New("agents are started by calls of an executor only")
			}
			return g.start(ctx, c.Session(), in.request(c))
		},
		Result: func(out Result) *pegboard.Result {
			r := pegboard.TextResult(out.message())
			r.Data, r.StopTurn, r.Line = out, out.StopTurn, out.line()
			return r
		},
	})
}

// line returns the result for a user interface.
func (r *Result) line() string {
	if r.Status == StatusLaunched {
		return "Works in the background as " + r.TaskID
	}
	return "Reported after " + r.numbers()
}

// prompt words the tool for the model.
func (g *Agents) prompt(scope pegboard.Scope) string {
	var b strings.Builder
	b.WriteString(`Starts an agent that works on a task by itself, with its own context and its own tools, and returns its report. The user does not see the report: tell them what matters in it.

- The agent sees nothing of this conversation. Put into prompt what it needs: the goal, the paths, what is known already, and what the report should contain.
- Calls in one message run at the same time: start agents together if their tasks do not depend on each other.
- Say whether the agent should change files or only look.
- A single file to read or a single search is quicker without an agent.
`)
	types := g.startable(scope.Session)
	if len(types) == 0 {
		b.WriteString("\nNo type of agent may be started here.")
		return b.String()
	}
	b.WriteString("\nTypes of agents (subagent_type):")
	for _, d := range types {
		b.WriteString("\n- " + escapeMarks(fmt.Sprintf("%s: %s (%s)", d.Name, strings.TrimSpace(d.Description), toolsText(&d))))
	}
	return b.String()
}

// toolsText names the tools of a definition for a model that starts agents.
func toolsText(d *Definition) string {
	text := "all tools for agents"
	switch {
	case d.looks:
		return "tools that only look"
	case d.Tools != nil:
		text = "tools: " + strings.Join(d.Tools, ", ")
	}
	if len(d.DisallowedTools) > 0 {
		text += ", without " + strings.Join(d.DisallowedTools, ", ")
	}
	return text
}
