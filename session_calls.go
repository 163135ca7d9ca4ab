package pegboard

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/asking"
	"github.com/seed49eaa51d/pegboard/internal/lock"
)

// runningBatches are the batches of calls that run in a session. The zero value is
// open and empty.
type runningBatches struct {
	mu     lock.Mutex
	list   []*runningBatch // in no order
	closed bool
}

// A runningBatch is a batch's entry in runningBatches.
type runningBatch struct {
	batch interface {
		stop(cause error)
		closeWithSession() // returns at once
	}
	ended chan struct{} // made by close, closed by unregister
	index int           // in the list; -1 if the session was closed before
}

// register adds a batch, so that close can stop it and wait for it. It returns false if
// the session is closed.
func (r *runningBatches) register(b *runningBatch) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		b.index = -1
		return false
	}
	b.index = len(r.list)
	r.list = append(r.list, b)
	return true
}

// unregister removes a batch that has ended.
func (r *runningBatches) unregister(b *runningBatch) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if b.index >= 0 {
		last := r.list[len(r.list)-1]
		r.list[b.index], last.index = last, b.index
		r.list[len(r.list)-1] = nil
		r.list = r.list[:len(r.list)-1]
	}
	if b.ended != nil {
		close(b.ended)
	}
}

// close refuses further batches and stops the running ones. The caller waits for those
// it returns.
func (r *runningBatches) close() []*runningBatch {
	r.mu.Lock()
	r.closed = true
	running := slices.Clone(r.list)
	for _, b := range running {
		if b.ended == nil {
			b.ended = make(chan struct{})
		}
	}
	r.mu.Unlock()
	for _, b := range running {
		b.batch.stop(ErrClosed)
		b.batch.closeWithSession()
	}
	return running
}

// interrupt stops the running batches.
func (r *runningBatches) interrupt(cause error) {
	r.mu.Lock()
	running := slices.Clone(r.list)
	r.mu.Unlock()
	for _, b := range running {
		b.batch.stop(cause)
	}
}

// wait waits until the batch has ended. It returns an error if ctx ends first.
func (b *runningBatch) wait(ctx context.Context) error {
	select {
	case <-b.ended:
		return nil
	case <-ctx.Done():
		select { // both may have happened
		case <-b.ended:
			return nil
		default:
		}
		return fmt.Errorf("calls still running: %w", context.Cause(ctx))
	}
}

// gatherings are the open gatherings of a session, in the order in which they began.
type gatherings struct {
	mu   lock.Mutex
	list []*Gathering // never changed in place
}

func (l *gatherings) open() []*Gathering {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.list
}

func (l *gatherings) add(g *Gathering) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(slices.Clone(l.list), g)
}

func (l *gatherings) remove(g *Gathering) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = slices.DeleteFunc(slices.Clone(l.list), func(other *Gathering) bool { return other == g })
}

// ExternalCalls returns the calls that the host executes and whose outcomes it has not supplied
// yet, of a main session and all its agents, in the order in which they began. A fork has
// none: its owner may be an agent, which must not answer for the host.
func (s *Session) ExternalCalls() []*ExternalCall {
	if s.parent != nil {
		return nil
	}
	var calls []*ExternalCall
	for _, a := range s.awaited.Open() {
		calls = append(calls, a.call())
	}
	return calls
}

// SubmitResult sets the outcome of a call that the host has executed: of a main session or any
// of its agents, with the ID of an [ExternalCall]. It may be called from anywhere, also from
// [Executor].OnEvent. What follows is as for any tool: the hooks after the call, the limits
// of results, the events.
//
// The error is [ErrNoExternalCall] if no call with that id is open: it was supplied before, its
// call has ended, or s is a fork. It is [ErrInvalidOutput] if the output is not one of the
// tool, and the call stays open. Nil means that the outcome is the one supplied, even if
// the call is stopped in that moment.
func (s *Session) SubmitResult(id string, out ExternalResult) error {
	if s.parent != nil {
		return ErrNoExternalCall
	}
	err := s.awaited.Answer(id, func(a *pendingResult) (submitted, error) { return a.accept(out) })
	if errors.Is(err, asking.ErrStale) {
		return ErrNoExternalCall
	}
	return err
}

// An ExternalCall is a call that was allowed and that the host executes: one of a tool whose
// Info says ExternalResult.
type ExternalCall struct {
	// ID is the argument of [Session.SubmitResult]. No other call has it, in this process or
	// another, unlike the provider's id in Call.
	ID   string
	Tool Tool
	// Call has the input to execute, byte for byte as it was allowed. Its methods may be used
	// until the call has ended: Emit reports progress, Check decides what turns up.
	Call      *Call
	AgentPath []string // the ids of the agents that led to it, outermost first; empty for the main agent
}

// Submit is [Session.SubmitResult] for a caller that has the call and no session.
func (a *ExternalCall) Submit(s ExternalResult) error {
	if a.Call == nil || a.Call.state == nil {
		return ErrNoExternalCall
	}
	return a.Call.state.session.main().SubmitResult(a.ID, s)
}

// A pendingResult is an open ExternalCall.
type pendingResult struct {
	call   func() *ExternalCall // makes one that the host may write to
	accept func(ExternalResult) (submitted, error)
}

// externalCalls are the open calls of a conversation, in the order in which they began. Each
// gets one answer, or is withdrawn.
type externalCalls = asking.Line[*pendingResult, submitted]

// detachedCalls are the abandoned calls of a conversation that hold keys.
type detachedCalls struct {
	mu    lock.Mutex
	calls []*detachedCall
}

type detachedCall struct {
	id      string
	release func() // gives the keys back
}

func (d *detachedCalls) add(id string, release func()) *detachedCall {
	c := &detachedCall{id, release}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls = append(d.calls, c)
	return c
}

func (d *detachedCalls) remove(c *detachedCall) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls = slices.DeleteFunc(d.calls, func(other *detachedCall) bool { return other == c })
}

// forget releases the keys of the calls with that id, and reports whether there are any.
func (d *detachedCalls) forget(id string) bool {
	d.mu.Lock()
	var found []*detachedCall
	d.calls = slices.DeleteFunc(d.calls, func(c *detachedCall) bool {
		if c.id == id {
			found = append(found, c)
		}
		return c.id == id
	})
	d.mu.Unlock()
	for _, c := range found {
		c.release()
	}
	return len(found) > 0
}
