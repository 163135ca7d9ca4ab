package background

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed49eaa51d/pegboard"
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
	err = t.await(ctx, e, t.ask(e, cause))
	return t.snapshot(e), err
}

// ask asks a task to end, unless it was asked before. The channel delivers a
// panic of Work.Stop; it is nil if there was no need to ask.
func (t *Tasks) ask(e *entry, cause error) <-chan error {
	if cause == nil {
		cause = ErrStopped
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if e.task.State != Running || e.cause != nil {
		return nil
	}
	e.cause = cause
	return goroutine.Go(func() { e.work.Stop(cause) })
}

// await waits until a task has ended.
func (t *Tasks) await(ctx context.Context, e *entry, asked <-chan error) error {
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

// end stops tasks, all at once, and waits for them.
func (t *Tasks) end(ctx context.Context, entries []*entry, cause error) error {
	asked := make([]<-chan error, len(entries))
	for i, e := range entries {
		asked[i] = t.ask(e, cause)
	}
	errs := make([]error, len(entries))
	for i, e := range entries {
		errs[i] = t.await(ctx, e, asked[i])
	}
	return errors.Join(errs...)
}

// leave is called when a session that added work ends, but for the main one.
func (t *Tasks) leave(ctx context.Context, st *seat) error {
	t.mu.Lock()
	st.gone = true
	t.forks--
	var kill, silent []*entry
	for _, e := range t.owned(st) {
		switch {
		case !st.reparents(&e.work):
			e.silent = true
			silent = append(silent, e)
			if e.task.State == Running {
				kill = append(kill, e)
			}
		case e.task.State == Running && !t.mainMet:
			kill = append(kill, e) // nobody would end it later
			fallthrough
		default:
			e.owner = nil
		}
	}
	t.owed = slices.DeleteFunc(t.owed, func(n notice) bool { return n.entry.silent })
	t.mu.Unlock()
	err := t.end(ctx, kill, ErrOwnerEnded)
	for _, e := range silent {
		if t.snapshot(e).State != Running {
			t.forget(e)
		}
	}
	t.sweep()
	return err
}

// owned returns what belongs to the session at st: its tasks in the table, and
// those that were pruned before their end was told.
func (t *Tasks) owned(st *seat) (all []*entry) {
	for _, e := range t.entries {
		if e.owner == st {
			all = append(all, e)
		}
	}
	for _, n := range t.owed {
		if n.entry.gone && n.entry.owner == st {
			all = append(all, n.entry)
		}
	}
	return all
}

// close ends the conversation.
func (t *Tasks) close(ctx context.Context) error {
	t.mu.Lock()
	t.closed = true
	var all []*entry
	for _, e := range t.entries {
		if e.task.State == Running {
			all = append(all, e)
		}
	}
	t.mu.Unlock()
	err := t.end(ctx, all, pegboard.ErrClosed)
	t.release()
	t.sweep()
	t.mu.Lock()
	defer t.mu.Unlock()
	return errors.Join(append([]error{err}, t.faults...)...)
}
