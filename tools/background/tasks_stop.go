package background

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// Stop asks a task to end and waits until it has. It returns the task as it is
// then: one that ended by itself meanwhile may be Completed. It fails with
// ErrUnknownTask, with ErrEnded and the task if there is nothing to stop, and
// with the cause of ctx if that ends first; the task is asked all the same.
func (t *Tasks) Stop(ctx context.Context, id string) (Task, error) {
	return t.StopCause(ctx, id, ErrStopped)
}

// StopCause is Stop with a cause, which the conversation is told. A task is asked
// once: the first cause stands, and later calls wait for the same end.
func (t *Tasks) StopCause(ctx context.Context, id string, cause error) (Task, error) {
	e, err := t.lookup(id)
	if err != nil {
		return Task{}, err
	}
	if task := t.snapshot(e); task.State != Running {
		return task, fmt.Errorf("%w (%s); there is nothing to stop, read its output with TaskOutput", ErrEnded, task.State)
	}
	err = t.waitEnded(ctx, e, t.askToStop(e, cause))
	return t.snapshot(e), err
}

// askToStop asks a task to end, unless it was asked before. The channel delivers a
// panic of Work.Stop; it is nil if there was no need to ask.
func (t *Tasks) askToStop(e *entry, cause error) <-chan error {
	if cause == nil {
		cause = ErrStopped
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if e.task.State != Running || e.stopCause != nil {
		return nil
	}
	e.stopCause = cause
	return goroutine.Go(func() { e.work.Stop(cause) })
}

// waitEnded waits until a task has ended.
func (t *Tasks) waitEnded(ctx context.Context, e *entry, asked <-chan error) error {
	for {
		select {
		case <-e.done:
			return nil
		case crash := <-asked:
			if crash != nil {
				return fmt.Errorf("task %s cannot be stopped: %w", e.task.ID, crash)
			}
			asked = nil
		case <-ctx.Done():
			return fmt.Errorf("task %s was asked to end and still runs: %w", e.task.ID, context.Cause(ctx))
		}
	}
}

// stopAll stops tasks, all at once, and waits for them.
func (t *Tasks) stopAll(ctx context.Context, entries []*entry, cause error) error {
	asked := make([]<-chan error, len(entries))
	for i, e := range entries {
		asked[i] = t.askToStop(e, cause)
	}
	errs := make([]error, len(entries))
	for i, e := range entries {
		errs[i] = t.waitEnded(ctx, e, asked[i])
	}
	return errors.Join(errs...)
}
