package workflow

import "errors"

// The errors. Their texts are worded for the model.
var (
	// ErrAgent: an agent of the workflow did not give a result. Parallel and Pipeline
	// return nil in its place; a script sees it as an AgentError.
	ErrAgent = errors.New("an agent failed")
	// ErrTooManyAgents: the run has started Options.MaxAgents agents.
	ErrTooManyAgents = errors.New("the run has started all agents that it may")
	// ErrScript: the script cannot be read, or it failed. Running
	// it again does not help.
	ErrScript = errors.New("the workflow's script")
	// ErrNesting: a workflow inside another one starts a third.
	ErrNesting = errors.New("a workflow that runs inside another starts no further one")
	// ErrUnknownWorkflow: no workflow has the name.
	ErrUnknownWorkflow = errors.New("no workflow has the name")
	// ErrUnknownRun: no run of this conversation has the id.
	ErrUnknownRun = errors.New("no run of a workflow has the id")
	// ErrTime: the run has taken Options.MaxTime.
	ErrTime = errors.New("the time of the run is over")
	// ErrCorrupt: a journal could not be read. It was renamed to a name that ends in
	// ".corrupt".
	ErrCorrupt = errors.New("the journal of the run cannot be read")
	// ErrTurn: a verb was called on a Run of another function, or after its end.
	ErrTurn = errors.New("the Run belongs to another function: use the one that this function was given, on its own goroutine")
)

// Causes that end a run.
var (
	errStopTurn = errors.New("the user has stopped it")
	errEnded    = errors.New("the workflow has ended")
	errStuck    = errors.New("the script waits for a promise that nothing settles: no agent and no workflow is running; return a value, or await only what agent, parallel, pipeline and workflow return")
	errCompute  = errors.New("the script has computed for too long without waiting for an agent; let it only start agents and combine their results")
)
