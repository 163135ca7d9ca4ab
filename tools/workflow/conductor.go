package workflow

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// stopTime is how long a run that is stopped waits for its functions and agents before it
// goes on without them.
const stopTime = 700 * time.Millisecond

// A conductor runs the functions and the agents of one run. It gives the turn to one task
// at a time, and tells results to the tasks one after the other, each when all tasks wait.
// So the course of the tasks depends on nothing but the results and their order.
type conductor struct {
	ctx        context.Context //nolint:containedctx // ends when the run is to end
	cancel     context.CancelCauseFunc
	startAgent starter
	maxAgents  int
	maxRunning int
	maxCompute time.Duration // of a script between two waits
	lookup     func(name string) (Named, error)
	log        *runLog
	journal    *journal

	current    atomic.Pointer[task] // that has the turn
	yielded    chan struct{}        // the task gives the turn back
	over       chan struct{}        // closed when the run ends while a task has the turn
	results    *resultQueue
	goroutines *census // of tasks and agents

	// Owned by the goroutine that has the turn:
	tasks   []*task      // that have not ended
	ready   []*task      // that may go on, in this order
	queue   []*agentCall // agents that wait until fewer are running
	started int          // agents
	running int          // agents
	replay  *replay
	phase   string
	failed  int      // agents that gave null
	tokens  int      // of the agents
	notes   []string // of the agents, for the report
	cause   error    // why the run ends early
}

// newConductor returns a conductor that journals nothing and replays nothing.
func newConductor(ctx context.Context, start starter) *conductor {
	c := &conductor{
		startAgent: start, maxAgents: DefaultMaxAgents, maxRunning: DefaultMaxRunning, maxCompute: MaxCompute,
		yielded: make(chan struct{}), over: make(chan struct{}),
		results: newResultQueue(), goroutines: newCensus(),
		log: &runLog{}, journal: &journal{}, replay: &replay{},
		lookup: func(name string) (Named, error) { return Named{}, fmt.Errorf("%w %q", ErrUnknownWorkflow, name) },
	}
	c.ctx, c.cancel = context.WithCancelCause(ctx)
	return c
}

// conduct runs a function until it, and all that it has started, has ended.
func (c *conductor) conduct(root *task) (any, error) {
	defer c.cancel(errEnded)
	c.add(root)
	for len(c.tasks) > 0 {
		if c.ctx.Err() != nil {
			c.end(context.Cause(c.ctx))
		}
		if len(c.ready) > 0 {
			if !c.giveTurn() {
				return nil, fmt.Errorf("%w; a function of it does not return", c.reason())
			}
			if root.finished {
				c.end(errEnded) // for tasks that the function did not wait for
			}
			continue
		}
		if !c.deliverReplayed() {
			c.receive()
		}
	}
	c.cancel(errEnded)
	if !c.goroutines.wait(stopTime) {
		c.log.printf("agents that were stopped have not returned yet")
	}
	c.dismiss()
	if c.cause != nil && !errors.Is(c.cause, errEnded) {
		return nil, c.cause
	}
	return root.value, root.err
}

// dismiss logs the end of the agents whose results are not awaited any more.
func (c *conductor) dismiss() {
	for a, ok := c.results.pop(); ok; a, ok = c.results.pop() {
		c.tokens += a.result.Tokens
		event := "completed, but the run had ended"
		if a.err != nil {
			event = "was stopped"
		}
		c.log.agent(a, event)
	}
	if n := len(c.queue); n > 0 {
		c.log.printf("%s more had not been started", counted(n, "agent"))
	}
}

// reason returns why the run ends although a function goes on.
func (c *conductor) reason() error {
	if cause := context.Cause(c.ctx); cause != nil {
		return cause
	}
	return errCompute
}

func (c *conductor) isOver() bool {
	select {
	case <-c.over:
		return true
	default:
		return false
	}
}

// add makes a task, which is ready.
func (c *conductor) add(t *task) {
	t.conductor, t.turn = c, make(chan struct{}, 1)
	c.tasks = append(c.tasks, t)
	c.ready = append(c.ready, t)
	c.goroutines.add()
	goroutine.Start(t)
}

// advance lets the n tasks that became ready last go before all others: the branches of
// a function begin where it calls them, as in a script.
func (c *conductor) advance(n int) {
	first := len(c.ready) - n
	c.ready = slices.Concat(c.ready[first:], c.ready[:first])
}

// remove forgets a task that has ended.
func (c *conductor) remove(t *task) {
	t.finished = true
	c.tasks = slices.DeleteFunc(c.tasks, func(other *task) bool { return other == t })
}

// end makes all tasks and agents end. The first cause counts.
func (c *conductor) end(cause error) {
	if c.cause != nil {
		return
	}
	c.cause = cause
	c.cancel(cause)
	for _, t := range c.tasks {
		c.wake(t)
	}
}

// wake makes a task ready if it waits.
func (c *conductor) wake(t *task) {
	if t.blocked {
		t.blocked = false
		c.ready = append(c.ready, t)
	}
}

// giveTurn gives the first ready task the turn and waits until it gives it back. It is
// false if the task does not, though it was asked to: then nothing has the turn any more.
func (c *conductor) giveTurn() bool {
	t := c.ready[0]
	c.ready = c.ready[1:]
	c.current.Store(t)
	t.turn <- struct{}{}
	var late <-chan time.Time
	if t.interrupt != nil {
		timer := time.NewTimer(c.maxCompute)
		defer timer.Stop()
		late = timer.C
	}
	cause := errCompute
	select {
	case <-c.yielded:
		return true
	case <-late:
	case <-c.ctx.Done():
		cause = context.Cause(c.ctx)
	}
	if t.interrupt != nil {
		t.interrupt(cause)
	}
	grace := time.NewTimer(stopTime)
	defer grace.Stop()
	select {
	case <-c.yielded:
		return true
	case <-grace.C:
		c.cancel(cause)
		close(c.over)
		return false
	}
}

// settle sets the result of a future and wakes its owner.
func (c *conductor) settle(f *future, value any, err error) {
	f.done, f.value, f.err = true, value, err
	f.owner.inbox = append(f.owner.inbox, f)
	c.wake(f.owner)
}

// receive waits for the result of an agent, or for the end of the run.
func (c *conductor) receive() {
	if r, ok := c.results.pop(); ok {
		c.finish(r)
		return
	}
	select {
	case <-c.results.signal:
	case <-c.ctx.Done():
	}
}

// setPhase begins a phase.
func (c *conductor) setPhase(title string) {
	c.phase = title
	c.log.printf("phase: %s", oneLine(title, maxTitle))
}

// A resultQueue has the agents that have ended and whose results were not taken, in the
// order of their ends.
type resultQueue struct {
	signal chan struct{} // has a value after a push

	mu    sync.Mutex
	ended []*agentCall
}

func newResultQueue() *resultQueue { return &resultQueue{signal: make(chan struct{}, 1)} }

func (q *resultQueue) push(a *agentCall) {
	q.mu.Lock()
	q.ended = append(q.ended, a)
	q.mu.Unlock()
	select {
	case q.signal <- struct{}{}:
	default:
	}
}

func (q *resultQueue) pop() (a *agentCall, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.ended) == 0 {
		return nil, false
	}
	a = q.ended[0]
	q.ended = q.ended[1:]
	return a, true
}

// A census counts the goroutines of a run.
type census struct {
	mu    sync.Mutex
	count int
	none  chan struct{} // closed while count is 0
}

func newCensus() *census {
	c := &census{none: make(chan struct{})}
	close(c.none)
	return c
}

func (c *census) add() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.count++; c.count == 1 {
		c.none = make(chan struct{})
	}
}

func (c *census) remove() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.count--; c.count == 0 {
		close(c.none)
	}
}

func (c *census) empty() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.none
}

// wait waits until no goroutine is left, or until the limit.
func (c *census) wait(limit time.Duration) bool {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	return c.waitUntil(ctx)
}

// waitUntil waits until no goroutine is left, or until ctx ends.
func (c *census) waitUntil(ctx context.Context) bool {
	select {
	case <-c.empty():
		return true
	case <-ctx.Done():
		return false
	}
}
