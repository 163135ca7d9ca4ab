package temporal

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"

	"github.com/seed49eaa51d/pegboard"
)

// DefaultQueue is the task queue of calls without [Options].Route.
const DefaultQueue = "pegboard"

// The defaults of [Options]. They are our choice: an engine has none that fit a model that waits.
const (
	DefaultStartWithin = 5 * time.Minute
	DefaultRunWithin   = 24 * time.Hour
	DefaultHeartbeat   = 10 * time.Second
	DefaultAttempts    = 5
	DefaultDelay       = time.Second
	DefaultMaxDelay    = 20 * time.Second
	DefaultOutage      = 2 * time.Minute
)

// minHeartbeat leaves room for a heartbeat of a busy worker each second.
const minHeartbeat = 3 * time.Second

// Options are the settings of an [Engine]. Client is required.
type Options struct {
	// Client is the connection to Temporal. The Engine does not close it.
	Client client.Client
	// DataConverter is that of the Client, for progress; nil means that of the SDK.
	DataConverter converter.DataConverter
	// Route returns the task queue of a tool's calls, so that some tools have workers of their
	// own. "" means that the call runs in this process. Nil means DefaultQueue for all tools.
	// Info.Name is not the exposed name of an attached tool; Info.Origin names its source.
	Route func(pegboard.Info) string
	// Extra returns more facts of a session for the worker, as JSON: Description.Extra. Nil
	// means nothing. It is called for every call.
	Extra func(*pegboard.Session) (json.RawMessage, error)

	// StartWithin is how long a call may wait for a worker; 0 means DefaultStartWithin.
	StartWithin time.Duration
	// RunWithin is how long a call without a time limit may run; 0 means DefaultRunWithin. The
	// limit of one that has a limit is [pegboard.Traits].Timeout, or [pegboard.Info].Timeout.
	// The executor applies it; if its process is gone, the engine does, after the executor's
	// default grace period.
	RunWithin time.Duration
	// Heartbeat is how long a worker may be silent before it counts as lost; 0 means
	// DefaultHeartbeat. Less than 3 seconds counts as 3 seconds.
	Heartbeat time.Duration
	// Attempts is how often a call that is ReadOnly or Idempotent is started when its worker is
	// lost, the first time included; 0 means DefaultAttempts. Any other call is started once. The
	// claims of an attached tool count here.
	Attempts int
	// Delay is the pause before the second attempt, which doubles up to MaxDelay; 0 means
	// DefaultDelay, and DefaultMaxDelay.
	Delay, MaxDelay time.Duration
	// Outage is how long Temporal may be out of reach while a call waits for it; 0 means
	// DefaultOutage.
	Outage time.Duration
}

// An Engine runs calls on workers. Its methods may be called concurrently.
type Engine struct{ o Options }

// NewEngine returns an Engine. It is an error if o has no Client, or a negative number.
func NewEngine(o Options) (*Engine, error) {
	switch {
	case o.Client == nil:
		return nil, errors.New("options without a Client")
	case min(o.StartWithin, o.RunWithin, o.Heartbeat, o.Delay, o.MaxDelay, o.Outage, time.Duration(o.Attempts)) < 0:
		return nil, errors.New("options with a negative number")
	}
	o.StartWithin, o.RunWithin = cmp.Or(o.StartWithin, DefaultStartWithin), cmp.Or(o.RunWithin, DefaultRunWithin)
	o.Heartbeat = max(cmp.Or(o.Heartbeat, DefaultHeartbeat), minHeartbeat)
	o.Attempts = cmp.Or(o.Attempts, DefaultAttempts)
	o.Delay, o.MaxDelay = cmp.Or(o.Delay, DefaultDelay), cmp.Or(o.MaxDelay, DefaultMaxDelay)
	o.MaxDelay = max(o.MaxDelay, o.Delay)
	if o.DataConverter == nil {
		o.DataConverter = converter.GetDefaultDataConverter()
	}
	o.Outage = cmp.Or(o.Outage, DefaultOutage)
	return &Engine{o}, nil
}

// WorkflowID returns the id of the workflow of a call, by which a host that asks again finds it.
// It is made of [pegboard.Call.StableID], and "" if that is: such a call has a workflow of its own
// each time.
func WorkflowID(c *pegboard.Call) string {
	id := c.StableID()
	if id == "" {
		return ""
	}
	return "pegboard-" + id
}

// Invoke is for [pegboard.Executor].Invoke. It returns the result and the error of the
// tool on the worker, or an error of this package.
//
// When ctx ends, the tool's context ends on the worker within about a second, with the same
// cause, and Invoke waits for the tool to return: so the executor's grace period and
// [pegboard.Info].Interrupt mean the same as without an Engine. Reports of the tool by
// [pegboard.Call.Emit] come as events, the last one of each second. Attempts after a failure
// of the tool's transport are made by the engine, as [pegboard.RetryPolicy] says; their pauses
// are those of Temporal.
//
// Retention of the namespace is how long the result of a call can be asked for again. After it,
// the same call would run again.
func (e *Engine) Invoke(ctx context.Context, t pegboard.Tool, c *pegboard.Call) (*pegboard.Result, error) {
	info, traits := c.Info(), t.Traits(c)
	queue := DefaultQueue
	if e.o.Route != nil {
		queue = e.o.Route(info)
	}
	if queue == "" || info.RequiresUser || traits.Own || c.Session() == nil {
		return t.Call(ctx, c)
	}
	r := &remoteRun{engine: e, call: c, queue: queue, repeatable: c.Facts().ReadOnly || traits.Idempotent, done: make(chan struct{})}
	if err := r.prepare(ctx, &info, traits.Timeout); err != nil {
		return nil, err
	}
	return r.wait(ctx)
}

// planFor returns how the engine runs a call.
func (e *Engine) planFor(info *pegboard.Info, timeout time.Duration, repeatable bool) plan {
	p := plan{
		StartWithin: e.o.StartWithin, RunWithin: e.o.RunWithin, Heartbeat: e.o.Heartbeat,
		Attempts: 1, ToolAttempts: 1, Delay: e.o.Delay, MaxDelay: e.o.MaxDelay,
	}
	if limit := cmp.Or(timeout, info.Timeout); limit > 0 {
		p.RunWithin = limit + pegboard.DefaultGrace
	}
	if !repeatable {
		return p
	}
	p.Attempts = e.o.Attempts
	if policy := info.Retry; policy.Attempts > 1 {
		p.ToolAttempts = policy.Attempts
		p.Attempts = max(p.Attempts, policy.Attempts)
		p.Delay, p.ToolMaxDelay = cmp.Or(policy.Delay, pegboard.DefaultRetryDelay), cmp.Or(policy.MaxDelay, pegboard.DefaultMaxRetryDelay)
		p.MaxDelay = max(p.ToolMaxDelay, p.Delay)
	}
	return p
}

// describe returns the Description of the call's session.
func (e *Engine) describe(c *pegboard.Call) (Description, error) {
	d := Describe(c.Session())
	d.Dir, d.Cwd = c.Dir(), c.Cwd() // the session may have moved since the call was decided
	if e.o.Extra == nil {
		return d, nil
	}
	var err error
	if d.Extra, err = e.o.Extra(c.Session()); err != nil {
		return d, fmt.Errorf("describe the session for a worker: %w", err)
	}
	return d, nil
}
