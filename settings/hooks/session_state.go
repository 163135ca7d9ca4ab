package hooks

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/proc"
)

// maxAsync is how many asynchronous hooks of one session run at once.
const maxAsync = 64

// A sessionState is the state that a Runner keeps of one session, until the session is closed.
type sessionState struct {
	runner  *Runner
	session *pegboard.Session
	table   proc.Table // of the commands

	mu     sync.Mutex
	stops  int                // how many times in a row hooks kept the agent from stopping
	ran    map[string]bool    // the handlers that run once
	async  int                // asynchronous commands that run
	closed bool               // no more are followed
	calls  map[any]*callNotes // by the identity of the call
	ending sync.WaitGroup     // of asynchronous commands, to the end of their delivery
}

// A callNotes holds the notes of a Runner on a call whose input a hook has changed, until the
// call ends. The call's other hooks see the new input, and may change it again.
type callNotes struct {
	input []byte          // the changed one
	reply *reply          // of the hook that changed it, which is not asked about its own words
	said  map[string]bool // the texts that the model was told

	answered []byte        // the input of a hook that answered for the person
	told     pegboard.Part // tells the model of that input, if the call gets it
}

// close ends the commands that still run.
func (st *sessionState) close(ctx context.Context) error {
	st.runner.sessions.Delete(st.session)
	st.mu.Lock()
	st.closed = true
	st.mu.Unlock()
	err := st.table.Close(ctx)
	select {
	case <-goroutine.Go(st.ending.Wait):
	case <-ctx.Done():
		err = errors.Join(err, fmt.Errorf("a hook is still being read: %w", context.Cause(ctx)))
	}
	return err
}

// first reports whether a handler that runs once in a session has not run.
func (st *sessionState) first(h *Handler) bool {
	if !h.Once {
		return true
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.ran == nil {
		st.ran = map[string]bool{}
	}
	key := fmt.Sprintf("%s %s %d %s", h.Event, h.Path, h.Offset, h.identity)
	before := st.ran[key]
	st.ran[key] = true
	return !before
}

// notesOf returns the notes of a call, or nil.
func (st *sessionState) notesOf(h *pegboard.HookCall) *callNotes {
	st.mu.Lock()
	defer st.mu.Unlock()
	if len(st.calls) == 0 {
		return nil
	}
	return st.calls[h.Identity()]
}

// note keeps the notes of a call whose input a hook has changed.
func (st *sessionState) note(call any, notes *callNotes) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.calls == nil {
		st.calls = map[any]*callNotes{}
	}
	st.calls[call] = notes
}

// forget drops the notes of a call that has ended, and returns them.
func (st *sessionState) forget(h *pegboard.HookCall) *callNotes {
	st.mu.Lock()
	defer st.mu.Unlock()
	if len(st.calls) == 0 {
		return nil
	}
	notes := st.calls[h.Identity()]
	delete(st.calls, h.Identity())
	return notes
}

// countStop counts that hooks keep the agent from stopping, or not, and reports whether they
// may. No limit is negative.
func (st *sessionState) countStop(blocked bool, limit int) bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	if !blocked || limit >= 0 && st.stops >= limit {
		st.stops = 0
		return false
	}
	st.stops++
	return true
}

// stopping reports whether hooks have kept the agent from stopping the last time.
func (st *sessionState) stopping() bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.stops > 0
}

// beginAsync reports whether one more asynchronous command may run.
func (st *sessionState) beginAsync() bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.closed || st.async == maxAsync {
		return false
	}
	st.async++
	st.ending.Add(1)
	return true
}

func (st *sessionState) endAsync() {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.async--
	st.ending.Done()
}

// follow waits for the end of a command that goes on, and delivers its output. Cancel ends the
// command.
func (st *sessionState) follow(c *command, p *proc.Process, cancel context.CancelCauseFunc) {
	if !st.beginAsync() {
		cancel(nil)
		st.runner.options.problem(c.handler, fmt.Errorf("%w: %d asynchronous hooks of the session are running, or it was closed", errNoStart, maxAsync))
		return
	}
	limit := c.occasion.control.limit(c.handler)
	timer := time.AfterFunc(limit, func() { cancel(fmt.Errorf("%w: %v are over", errLate, limit)) })
	goroutine.Go(func() {
		defer st.endAsync()
		defer cancel(nil)
		exit := p.Exit()
		timer.Stop()
		c.deliver(c.output(exit))
	})
}
