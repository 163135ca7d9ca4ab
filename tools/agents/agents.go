package agents

import (
	"context"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/worktree"
)

// Agents starts agents. Make it with [New]. Its methods may be called concurrently, and for
// several conversations.
type Agents struct {
	options Options
	rosters *pegboard.Key[*roster]
	entries *pegboard.Key[*entry] // of the agent that a session belongs to
	mails   *pegboard.Key[*mail]
	teams   *pegboard.Key[*teams]
	joined  *pegboard.Key[bool] // whether a main session hands out its messages
	closing *pegboard.Key[chan struct{}]
	leases  *pegboard.Key[*lease]
	trees   worktree.Trees
}

// New returns Agents with these options.
func New(o Options) (*Agents, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	return &Agents{
		options: o,
		rosters: pegboard.NewKey[*roster]("agents"),
		entries: pegboard.NewClonedKey("agent", func(e *entry) *entry { return e }),
		mails:   pegboard.NewKey[*mail]("mail of agents"),
		teams:   pegboard.NewKey[*teams]("teams of agents"),
		joined:  pegboard.NewKey[bool]("mail of the main agent"),
		leases:  pegboard.NewKey[*lease]("directory of agents"),
		closing: pegboard.NewKey[chan struct{}]("end of waiting for a place"),
	}, nil
}

// Tools returns the tools for the registry.
func (g *Agents) Tools() []pegboard.Tool {
	return []pegboard.Tool{g.agentTool(), g.sendTool(), g.listTool(), g.teamCreateTool(), g.teamDeleteTool()}
}

// Start starts an agent on behalf of s, as the Agent tool does: for tools that run agents, such
// as skills and workflows. It waits for the agent, unless it runs in the background.
//
// An agent that is waited for ends with ctx, and Start then returns within a second. A
// background agent keeps the values of ctx, but does not end with it. If the agent ended by an
// error after it had written something, the Result has that text and the error is returned
// beside it. Any other error means that nothing was started, or that the agent wrote nothing:
// then the Result has no text.
func (g *Agents) Start(ctx context.Context, s *pegboard.Session, r Request) (Result, error) {
	return g.start(ctx, s, &r)
}

// start is Start without a copy of the request.
func (g *Agents) start(ctx context.Context, s *pegboard.Session, r *Request) (Result, error) {
	k, err := g.prepare(ctx, s, r)
	if err != nil {
		return Result{}, err
	}
	return k.start(ctx)
}

// List returns the agents of the conversation of s: those that are running and the last 256
// that have ended, in the order in which they were started. With Options.Dir older ones are not
// listed, but can still go on; else they are forgotten. Their ids are those of
// [pegboard.Question].AgentPath.
func (g *Agents) List(s *pegboard.Session) []Status { return g.rosterOf(s).list() }

// ToBackground moves the agents that calls of s wait for to the background: the calls answer at
// once, and the end of each agent is reported as that of any background task. A host calls it
// when the user writes meanwhile. It returns how many agents were moved: none if s cannot have
// agents in the background. Agents of [Agents.Start] are not moved.
func (g *Agents) ToBackground(s *pegboard.Session) int {
	if g.noBackground(s) != "" {
		return 0
	}
	moved := 0
	for _, k := range g.rosterOf(s).runs() {
		if k.caller == s && k.request.movable && k.moveToBackground() {
			moved++
		}
	}
	return moved
}

// Stop stops a running agent of the conversation of s, by id or name, on behalf of the user. It
// does not wait until the agent has ended. The error is ErrUnknownAgent or ErrEnded; any other
// says that the stop could not be kept in Options.Dir, and the agent is stopped all the same.
func (g *Agents) Stop(s *pegboard.Session, id string) error {
	roster := g.rosterOf(s)
	e, err := roster.stop(id)
	if err != nil {
		return err
	}
	return roster.recordStop(e)
}

// closingOf returns a channel that is closed when s is.
func (g *Agents) closingOf(s *pegboard.Session) <-chan struct{} {
	return g.closing.GetOrInit(s, func() chan struct{} {
		closing := make(chan struct{})
		s.OnClose("agents that wait for a place", func(context.Context) error {
			close(closing)
			return nil
		})
		return closing
	})
}

// noBackground returns why s cannot have agents in the background, or "".
func (g *Agents) noBackground(s *pegboard.Session) string {
	if g.options.NoBackground {
		return "agents do not run in the background here; leave run_in_background out"
	}
	for e := g.entryOf(s); e != nil; e = e.parent {
		if e.role == pegboard.RoleTeammate {
			return "a teammate starts only agents that it waits for; leave run_in_background out"
		}
	}
	if s.Role() == pegboard.RoleTeammate {
		return "a teammate starts only agents that it waits for; leave run_in_background out"
	}
	return ""
}

// depth returns how many agents there are from the main agent down to that of s. One that goes
// on in a later program is as deep as it was, although the main session is its caller then.
func (g *Agents) depth(s *pegboard.Session) int {
	depth := len(s.AgentPath())
	if e := g.entryOf(s); e != nil {
		depth = max(depth, len(e.parents)+1)
	}
	return depth
}
