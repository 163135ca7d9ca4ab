package workflow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// A Run is a run of a workflow, as one function of it sees it: it has the verbs that
// scripts have, too. A function uses its own Run and no other, on its own goroutine, until
// it returns; otherwise the verbs fail with ErrTurn.
//
// While a verb waits, other functions of the run go on, one at a time, and each result is
// told when all functions wait. So a workflow whose functions do nothing but call verbs
// and combine results starts its agents in the same order whenever these end in the same
// order.
type Run struct {
	task *task
}

// An Answer is the result of an agent: Structured if the options had a schema, otherwise
// Text.
type Answer struct {
	Text       string
	Structured json.RawMessage
}

// Agent starts an agent and waits for its result. Of more agents than may run at once,
// the later ones wait. The error wraps ErrAgent if the agent failed, ErrTooManyAgents if it
// was not started, and the cause if the run ends.
func (r *Run) Agent(ctx context.Context, prompt string, o AgentOptions) (Answer, error) {
	if err := r.task.check(); err != nil {
		return Answer{}, err
	}
	o.Schema = slices.Clone(o.Schema)
	f, err := r.task.startAgent(ctx, agentRequest{AgentOptions: o, Prompt: prompt})
	if err == nil {
		err = r.task.await(f)
	}
	if err == nil {
		err = f.err
	}
	if err != nil {
		return Answer{}, err
	}
	raw, _ := f.value.(json.RawMessage)
	if len(o.Schema) > 0 {
		return Answer{Structured: raw}, nil
	}
	var a Answer
	if err := json.Unmarshal(raw, &a.Text); err != nil {
		return Answer{}, fmt.Errorf("%w: its result is no text: %w", ErrAgent, err)
	}
	return a, nil
}

// Parallel runs functions side by side and waits for all of them. In the place of a
// function whose error wraps ErrAgent the result has nil. Any other error ends the context
// of the other functions, and Parallel returns the first one.
func (r *Run) Parallel(ctx context.Context, branches ...Func) ([]any, error) {
	if err := r.task.check(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(errEnded)
	var first error
	futures := make([]*future, len(branches))
	for i, branch := range branches {
		futures[i] = r.task.spawn(func(t *task) (any, error) {
			value, err := branch(ctx, &Run{task: t})
			switch {
			case err == nil:
				return value, nil
			case errors.Is(err, ErrAgent) && ctx.Err() == nil:
				t.conductor.failed++
				return nil, nil
			case first == nil:
				first = err
				cancel(err)
			}
			return nil, err
		})
	}
	r.task.conductor.advance(len(futures))
	if err := r.task.await(futures...); err != nil {
		return nil, err
	}
	values := make([]any, len(futures))
	for i, f := range futures {
		if values[i] = f.value; first == nil && f.err != nil { // it crashed
			first = f.err
		}
	}
	if first != nil {
		return nil, first
	}
	return values, nil
}

// A Stage is one step of a pipeline. Previous is the result of the stage before it, and
// item itself in the first.
type Stage func(ctx context.Context, r *Run, previous, item any, index int) (any, error)

// Pipeline takes each item through all stages, without waiting for the other items. Errors
// are those of Parallel: an item that an agent failed for is nil, and goes no further.
func (r *Run) Pipeline(ctx context.Context, items []any, stages ...Stage) ([]any, error) {
	branches := make([]Func, len(items))
	for i, item := range items {
		branches[i] = func(ctx context.Context, r *Run) (value any, err error) {
			value = item
			for _, stage := range stages {
				if value, err = stage(ctx, r, value, item, i); err != nil {
					return nil, err
				}
			}
			return value, nil
		}
	}
	return r.Parallel(ctx, branches...)
}

// Workflow runs another workflow by its name and returns its result. Its agents count as
// those of this run. One that runs inside another cannot call it: then the error wraps
// ErrNesting.
func (r *Run) Workflow(ctx context.Context, name string, args any) (json.RawMessage, error) {
	if err := r.task.check(); err != nil {
		return nil, err
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	var raw json.RawMessage
	if args != nil {
		var err error
		if raw, err = encode(args); err != nil {
			return nil, fmt.Errorf("the args of workflow %s: %w", name, err)
		}
	}
	f, err := r.task.startWorkflow(name, raw)
	if err == nil {
		err = r.task.await(f)
	}
	if err == nil {
		err = f.err
	}
	if err != nil {
		return nil, err
	}
	value, _ := f.value.(json.RawMessage)
	return value, nil
}

// Phase names the phase that the agents which are started from now on belong to, in the
// whole run.
func (r *Run) Phase(title string) {
	if r.task.check() == nil {
		r.task.conductor.setPhase(title)
	}
}

// Log writes a line to the output file of the run.
func (r *Run) Log(text string) {
	if r.task.check() == nil {
		r.task.conductor.log.printf("log: %s", oneLine(text, maxLogText))
	}
}

// Args returns the args of the call as JSON, or nil without args.
func (r *Run) Args() json.RawMessage { return slices.Clone(r.task.args) }
