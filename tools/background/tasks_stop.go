package background

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// Stop asks a task to stop, waits until it has ended and returns its final state; a
// task that ended by itself meanwhile may be Completed. Stop fails with
// ErrUnknownTask, with ErrEnded and the task if the task had ended before, and with
// the cause of ctx if ctx ends first. In the last case the task was still asked to
// stop.
func (t *Tasks) Stop(ctx context.Context, id string) (Task, error) {
	return t.StopCause(ctx, id, ErrStopped)
}

// StopCause is like Stop, with a cause that is reported to the conversation. A task
// is asked to stop once: the first cause counts, and later calls wait for the same
// end.
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

// askToStop calls Work.Stop, unless it was called before or the task has ended; then
// it returns nil. The channel delivers a panic of Work.Stop.
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

// waitEnded waits until a task has ended. asked is the result of askToStop.
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

// stopAll asks all tasks to stop at the same time and waits for them.
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

// Watch calls f with the full list, now and after every change, in the order of the
// changes and never concurrently. A message of [Handle.Notify] counts as a change, so f
// is called whenever [Tasks.Notices] may return something new.
//
// f runs on the goroutine that made this change or another one, so it should be
// quick. It may use the table; changes that f makes are delivered after it has
// returned. A panic of f is ignored. stop ends the watch; a call of f that has begun
// may still run after stop has returned.
func (t *Tasks) Watch(f func([]Task)) (stop func()) {
	t.mu.Lock()
	stop = t.watchers.add(f, t.list())
	t.mu.Unlock()
	t.watchers.deliver()
	return stop
}

// queueUpdate queues the current list for every watcher. The caller holds the lock
// and calls deliver after releasing it.
func (t *Tasks) queueUpdate() { t.watchers.queue(t.list) }
