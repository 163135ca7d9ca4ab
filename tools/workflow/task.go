package workflow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// A task is one function of a run, on a goroutine of its own: a script, a function of Go,
// or a branch of one. It runs only while it has the turn, and everything of the run that
// has no lock belongs to the task that has the turn. It implements [goroutine.Task].
type task struct {
	conductor *conductor
	depth     int             // 0, or 1 for a workflow inside another
	args      json.RawMessage // of its workflow; nil means no args
	function  func(t *task) (any, error)
	interrupt func(cause error) // stops a script that computes; nil for a function of Go
	turn      chan struct{}     // has a value when the task may run
	ended     *future           // of the task that has started this one; nil for the first

	// Owned by the goroutine that has the turn:
	blocked  bool      // it waits for a future
	finished bool      // it has ended
	inbox    []*future // of this task that are done since it ran last
	value    any
	err      error
}

// A future is the result of an agent or of a task, for the task that owns it. Its fields
// belong to the goroutine that has the turn.
type future struct {
	owner *task
	done  bool
	value any
	err   error
}

// Work implements [goroutine.Task].
func (t *task) Work() {
	select {
	case <-t.turn:
	case <-t.conductor.over:
		return
	}
	t.value, t.err = t.function(t)
}

// Leave implements [goroutine.Task].
func (t *task) Leave(crash error) {
	c := t.conductor
	defer c.goroutines.remove()
	if c.isOver() {
		return
	}
	if crash != nil {
		t.value, t.err = nil, t.crashed(crash)
	}
	c.remove(t)
	if t.ended != nil {
		c.settle(t.ended, t.value, t.err)
	}
	t.giveBack()
}

var _ goroutine.Task = (*task)(nil)

// crashed words a crash of the function. The runtime errors of a script are faults of its engine, and
// their texts tell the author of the script nothing.
func (t *task) crashed(crash error) error {
	var fault runtime.Error
	if t.interrupt != nil && errors.As(crash, &fault) {
		return fmt.Errorf("%w has something that the engine of JavaScript fails at; write it in a simpler way, the part that was changed last first (%w)", ErrScript, crash)
	}
	return fmt.Errorf("the workflow crashed: %w", crash)
}

// await waits until all futures are done. Meanwhile others have the turn. It returns the
// cause if the run ends.
func (t *task) await(futures ...*future) error {
	for _, f := range futures {
		for !f.done {
			if err := t.wait(); err != nil {
				return err
			}
		}
	}
	t.inbox = nil
	return nil
}

// wait gives the turn back until a future of the task is done.
func (t *task) wait() error {
	c := t.conductor
	if c.cause != nil {
		return c.cause
	}
	t.blocked = true
	if !t.giveBack() {
		return errEnded
	}
	select {
	case <-t.turn:
		return c.cause
	case <-c.over:
		return errEnded
	}
}

// giveBack gives the turn back. It is false if nothing waits for that any more.
func (t *task) giveBack() bool {
	select {
	case t.conductor.yielded <- struct{}{}:
		return true
	case <-t.conductor.over:
		return false
	}
}

// check returns an error if the task may not use the run now.
func (t *task) check() error {
	c := t.conductor
	if c.isOver() || c.current.Load() != t {
		return ErrTurn
	}
	return c.cause
}

// spawn makes a task whose result becomes a future of t.
func (t *task) spawn(function func(*task) (any, error)) *future {
	f := &future{owner: t}
	t.conductor.add(&task{depth: t.depth, args: t.args, function: function, ended: f})
	return f
}

// startAgent starts an agent whose result becomes a future of t.
func (t *task) startAgent(ctx context.Context, r agentRequest) (*future, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	c := t.conductor
	if c.started >= c.maxAgents {
		return nil, fmt.Errorf("%w: %d; let each agent do more, or split the work into several workflows and pass the results in args", ErrTooManyAgents, c.maxAgents)
	}
	f := &future{owner: t}
	c.start(&agentCall{future: f, ctx: ctx, request: r})
	return f, nil
}

// startWorkflow starts a workflow by its name, whose result becomes a future of t.
func (t *task) startWorkflow(name string, args json.RawMessage) (*future, error) {
	if t.depth > 0 {
		return nil, fmt.Errorf("%w: call workflow(%q) in the outer one", ErrNesting, name)
	}
	n, err := t.conductor.lookup(name)
	if err != nil {
		return nil, err
	}
	child, err := n.task(args)
	if err != nil {
		return nil, err
	}
	t.conductor.log.printf("workflow %s begins", name)
	child.depth, child.ended = t.depth+1, &future{owner: t}
	t.conductor.add(child)
	return child.ended, nil
}
