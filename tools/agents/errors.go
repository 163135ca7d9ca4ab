package agents

import "errors"

// The errors. Their texts are worded for the model.
var (
	// ErrUnknownType: there is no definition of that name, or the caller may not start it.
	ErrUnknownType = errors.New("there is no such type of agent")
	// ErrUnknownAgent: the conversation has no agent of that id or name.
	ErrUnknownAgent = errors.New("there is no such agent")
	// ErrInvalidRequest: a [Request] cannot be carried out as it is.
	ErrInvalidRequest = errors.New("the agent was not started")
	// ErrTooMany: Options.MaxRunning agents are running.
	ErrTooMany = errors.New("too many agents are running")
	// ErrTooDeep: an agent below Options.MaxDepth layers was to be started.
	ErrTooDeep = errors.New("agents at this depth start no agents")
	// ErrTurns: the run has sent as many requests as its definition allows.
	ErrTurns = errors.New("the limit of requests of this agent is reached")
	// ErrBudget: the agents of the conversation have spent Options.MaxTokens or
	// Options.MaxUSD, or nothing is left of [pegboard.KeyBudget].
	ErrBudget = errors.New("the budget of the agents of this conversation is spent")
	// ErrSilent: the agent has ended and has written nothing.
	ErrSilent = errors.New("the agent has ended without writing anything")
	// ErrStopped is the cause that [Agents.Stop] gives.
	ErrStopped = errors.New("the agent was stopped on request")
	// ErrInvalidMessage: a message cannot be sent as it is.
	ErrInvalidMessage = errors.New("the message was not sent")
	// ErrOtherAgent: a name means another agent than when the writer last used it.
	ErrOtherAgent = errors.New("the name means another agent now")
	// ErrTeamNotCreated: TeamCreate cannot make the team.
	ErrTeamNotCreated = errors.New("the team was not created")
	// ErrTeamBusy: a team has teammates that are running.
	ErrTeamBusy = errors.New("the team was not deleted")
	// ErrNotResumed: an agent that has ended cannot go on.
	ErrNotResumed = errors.New("the agent cannot go on")
	// ErrDirInUse: another conversation, of this program or another one, has Options.Dir.
	ErrDirInUse = errors.New("another conversation that is open keeps its agents in the directory")
	// ErrEnded: the agent to stop is not running.
	ErrEnded = errors.New("the agent has ended already")
)
