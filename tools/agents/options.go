package agents

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// Defaults of [Options]. Claude Code documents the same numbers.
const (
	DefaultMaxDepth   = 3
	DefaultMaxRunning = 20
)

// MaxResult is how many characters of an agent's report its caller is shown; a longer one is
// stored. It is what Claude Code documents.
const MaxResult = 32_000

// Options are the host's settings. Loop, Registry and Definitions are required.
type Options struct {
	// Loop runs an agent.
	Loop Loop
	// Registry has the tools that agents' pools are assembled from.
	Registry *pegboard.Registry
	// Definitions returns the types of agents that s may start, in the order in which a model
	// is told of them. Of two with one name the first counts. It is called whenever a pool is
	// assembled or an agent is started, possibly concurrently, so it should be quick: a host
	// that reads files reads them between turns. S is nil where a registry compares texts.
	Definitions func(s *pegboard.Session) []Definition
	// Pool says how the agents' pools are assembled. To let agents start agents under
	// [pegboard.DefaultRoleTables], delete Agent from a copy of the table Agents.
	Pool pegboard.PoolConfig

	// MaxDepth is how many layers of agents there may be below the main agent: agents of the
	// last layer are not offered the Agent tool. 0 means DefaultMaxDepth.
	MaxDepth int
	// MaxRunning is how many agents of a conversation may run at once; 0 means
	// DefaultMaxRunning.
	MaxRunning int
	// MaxTokens and MaxUSD are what all agents of a conversation may spend together, see
	// [Agent.Next]; 0 means no limit.
	MaxTokens int
	MaxUSD    float64

	// Background makes agents run in the background unless the call says otherwise.
	// NoBackground refuses the background. A coordinator's agents run in the background
	// unless its call or NoBackground says otherwise.
	Background, NoBackground bool
	// Teams lets agents make teams, whose agents stay and wait for messages.
	Teams bool
	// Forks says that Loop heeds [Agent].Forked. Then a model may start an agent of the type
	// fork, which goes on from its caller's conversation.
	Forks bool
	// Models are the names that a call may give as a model; empty means any. The model of a
	// definition is not checked.
	Models []string
	// Skill returns the text of a skill that a definition names in Skills. Nil means that
	// there are no skills.
	Skill func(ctx context.Context, s *pegboard.Session, name string) (string, error)

	// Dir is the directory in which the agents of one conversation and their messages are
	// kept, so that they outlast the program; it is made if it is missing. It belongs to one
	// conversation at a time, until the main session is closed: agents and messages of another
	// one fail with ErrDirInUse. Empty means that they are kept in memory.
	Dir string
	// Peers reaches sessions elsewhere, for ListAgents and SendMessage. Nil means no such
	// sessions.
	Peers Peers
	// BaseRef is the commit that the worktrees of isolated agents begin with: "fresh", or empty,
	// for the default branch of the remote as it is known here, since nothing is fetched;
	// "head" for the commit that is checked out. Claude Code documents both, and the default.
	BaseRef string

	Hooks Hooks
	// Logger is told of things that the host should mend, such as the entries of a definition that name
	// no tool. Nil means [slog.Default]. Tasks and reports are not logged.
	Logger *slog.Logger
}

// check returns the first error of o.
func (o *Options) check() error {
	switch {
	case o.Loop == nil:
		return errors.New("agents: Options.Loop is required: it is what asks a model")
	case o.Registry == nil:
		return errors.New("agents: Options.Registry is required: it has the tools of the agents")
	case o.Definitions == nil:
		return errors.New("agents: Options.Definitions is required: it says which agents there are")
	case o.MaxDepth < 0 || o.MaxRunning < 0 || o.MaxTokens < 0 || !(o.MaxUSD >= 0):
		return fmt.Errorf("agents: a limit cannot be negative: MaxDepth %d, MaxRunning %d, MaxTokens %d, MaxUSD %v", o.MaxDepth, o.MaxRunning, o.MaxTokens, o.MaxUSD)
	case o.Dir != "" && !filepath.IsAbs(o.Dir):
		return fmt.Errorf("agents: Options.Dir %q is not absolute", o.Dir)
	case o.BaseRef != "" && o.BaseRef != "fresh" && o.BaseRef != "head":
		return fmt.Errorf("agents: Options.BaseRef is %q; use \"fresh\" or \"head\"", o.BaseRef)
	case o.Background && o.NoBackground:
		return errors.New("agents: Options.Background and NoBackground exclude each other")
	}
	return nil
}

// maxDepth returns MaxDepth or its default.
func (o *Options) maxDepth() int {
	if o.MaxDepth > 0 {
		return o.MaxDepth
	}
	return DefaultMaxDepth
}

// maxRunning returns MaxRunning or its default.
func (o *Options) maxRunning() int {
	if o.MaxRunning > 0 {
		return o.MaxRunning
	}
	return DefaultMaxRunning
}

// logger returns Logger or its default.
func (o *Options) logger() *slog.Logger {
	if o.Logger != nil {
		return o.Logger
	}
	return slog.Default()
}

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

// Hooks are called at the start and the end of agents. Any of them may be nil. They may be
// called concurrently, and must return when their context ends. An error that wraps [ErrStopped]
// ends the agent. Any other error, or a panic, is logged and changes nothing. Method AgentHooks of
// settings/hooks.Runner returns the hooks of settings files.
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

// narrowMode returns the mode of an agent that has one so far and is asked to have another, and
// a note for the caller if that is ignored because it is laxer. Under acceptEdits, auto and
// bypassPermissions the mode default is ignored without a note: a caller in these modes decides
// for its agents, and only the modes that are stricter than default narrow. These narrow also
// where the permissions withhold them, see [policy.Permissions.Without].
func narrowMode(have, want policy.Mode) (mode policy.Mode, note string) {
	if want == "manual" { // a former name
		want = policy.ModeDefault
	}
	switch {
	case want == "" || want == have:
		return have, ""
	case want.Laxer(have):
		return have, fmt.Sprintf("The mode %s was ignored: it allows more than %s, which the agent has.", want, have)
	case !policy.ModeDefault.Laxer(want):
		return have, ""
	}
	return want, ""
}
