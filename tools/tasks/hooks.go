package tasks

import (
	"context"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// Hooks are called before a change of a list is made. An error refuses the change: nothing is
// changed, and the model reads the text. Either may be nil. They may be called concurrently, and
// should return when their context ends; the change is given up then in any case. One that panics
// refuses the change.
//
// A hook runs while the list is not locked. If another process has changed the task meanwhile, or
// has taken the id, the hook is asked again about the task as it would be now.
//
// Method TaskHooks of settings/hooks.Runner returns the hooks of settings files.
type Hooks struct {
	// Created is called with a new task, before TaskCreate or [List.Create] adds it.
	Created func(ctx context.Context, e Event) error
	// Completed is called with a task whose status becomes [Completed].
	Completed func(ctx context.Context, e Event) error
}

// An Event is a change that a hook is asked about.
type Event struct {
	Session *pegboard.Session // that of the call, or of the context of a host, see [pegboard.SessionFrom]; may be nil
	Task    Task              // as it would be
}

// maxAsked is how often hooks are asked about one change.
const maxAsked = 100

// A pendingEvent is an event of a change that was not made yet.
type pendingEvent struct {
	hook string
	task Task
}

// The names of the hooks, as settings files have them.
const (
	createdName   = "TaskCreated"
	completedName = "TaskCompleted"
)

// wanted returns those of the events that have a hook.
func (h *Hooks) wanted(events []pendingEvent) (wanted []pendingEvent) {
	for _, e := range events {
		if h.of(e.hook) != nil {
			wanted = append(wanted, e)
		}
	}
	return wanted
}

func (h *Hooks) of(name string) func(context.Context, Event) error {
	if name == createdName {
		return h.Created
	}
	return h.Completed
}

// ask calls the hook of an event.
func (h *Hooks) ask(ctx context.Context, e pendingEvent) error {
	s, _ := pegboard.SessionFrom(ctx)
	var refusal error
	ended := goroutine.Go(func() { refusal = h.of(e.hook)(ctx, Event{Session: s, Task: e.task.clone()}) })
	select {
	case crash := <-ended:
		if crash != nil {
			return &refusedError{hook: e.hook, err: fmt.Errorf("the hook has failed: %w", crash)}
		}
		if refusal != nil {
			return &refusedError{hook: e.hook, err: refusal}
		}
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
