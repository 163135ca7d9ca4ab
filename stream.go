package pegboard

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/cancel"
	"github.com/seed49eaa51d/pegboard/internal/lane"
)

// A FinishReason is why a model ended its message, whatever the provider calls
// it.
type FinishReason string

// The reasons. After the first two a message is whole.
const (
	FinishStop      FinishReason = "stop"
	FinishToolCalls FinishReason = "tool-calls"
	FinishLength    FinishReason = "length"         // it ran out of tokens
	FinishFilter    FinishReason = "content-filter" // the provider cut it
	FinishError     FinishReason = "error"          // the stream broke off
)

func (r FinishReason) whole() bool { return r == FinishStop || r == FinishToolCalls }

// ErrAbandoned is the cause that ends the calls of a [Stream] that was abandoned.
var ErrAbandoned = errors.New("the reply was abandoned")

// A Stream runs the calls of one message while the model still writes it, by the
// same stages and in the same order as [Executor.Run].
//
// A call of a built-in tool that is read-only starts as soon as the order
// permits. Any other waits until Finish says that the message is whole, unless
// the executor's BlocksFinal is set: what comes after could take it back. When a
// message was cut, the calls that have not started are answered and do not run.
//
// # Concurrency
//
//  1. Submit, Finish and Abandon may be called from any goroutine.
//  2. Ready and Wait hand out each outcome once, in the order of Submit; only
//     one goroutine may range over either at a time.
//  3. Events are delivered as they happen. The started event of a call that need
//     not wait comes before anything that happens after the next Submit or read
//     from the model would, on the clock of a test as well.
//  4. When Wait has ended, or Abandon has returned, all calls have ended but for
//     those whose outcome wraps [ErrDetached].
type Stream struct {
	batch   *batch
	cancel  context.CancelCauseFunc
	unwatch func() bool // ends the watch over the host's context

	mu      sync.Mutex
	next    int // the place of the first job that was not handed out
	over    bool
	dropped bool
	closed  chan struct{} // made by who ends the batch, closed when it has ended
}

// Stream returns a stream for one message. Call Wait or Abandon in the end.
func (e *Executor) Stream(ctx context.Context, p *Pool) *Stream {
	ctx, cancel := context.WithCancelCause(ctx)
	s := &Stream{batch: new(batch), cancel: cancel}
	e.open(ctx, s.batch, p, 0)
	s.batch.finish = make(chan struct{})
	s.unwatch = context.AfterFunc(ctx, func() { s.batch.interrupt(context.Cause(ctx)) })
	return s
}

// Submit hands over the next call of the message, whose block is complete. It
// waits for nobody but OnEvent. After Finish or Abandon the call is answered and not
// run.
func (s *Stream) Submit(c Call) {
	if j := s.admit(c); j != nil {
		s.batch.events.flush() // without any lock: who listens may use the stream
		j.start()
	}
}

func (s *Stream) admit(c Call) *job {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dropped {
		return nil
	}
	j := &job{late: s.over}
	s.batch.admit(j, c)
	return j
}

// Ready yields the outcomes that are next in order and need no waiting.
func (s *Stream) Ready() iter.Seq[Outcome] { return s.outcomes(false) }

// Finish ends the message with its reason. Only the first call counts.
func (s *Stream) Finish(reason FinishReason) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.over {
		s.over = true
		s.batch.finished(reason)
	}
}

// Wait yields the outcomes that are left, waiting for each. Without Finish
// before it the message counts as cut off.
func (s *Stream) Wait() iter.Seq[Outcome] {
	return func(yield func(Outcome) bool) {
		s.Finish(FinishError)
		s.outcomes(true)(yield)
	}
}

// Abandon gives the message up, as when the provider falls back to another model:
// calls that run are stopped, the others not run. Every call that was submitted
// still has its outcome, which Wait yields; what a tool returns later is dropped.
// Nil means [ErrAbandoned]. A second call does nothing. OnEvent must not call it,
// since it waits for OnEvent.
func (s *Stream) Abandon(cause error) {
	if cause == nil {
		cause = ErrAbandoned
	} else if !errors.Is(cause, ErrAbandoned) {
		cause = fmt.Errorf("%w: %w", ErrAbandoned, cause)
	}
	s.mu.Lock()
	s.dropped = true
	s.mu.Unlock()
	s.batch.halt(cause)
	s.cancel(cause)
	s.Finish(FinishError)
	s.close()
}

// outcomes hands out what has ended, in order, and the rest if wait is set.
func (s *Stream) outcomes(wait bool) iter.Seq[Outcome] {
	return func(yield func(Outcome) bool) {
		for {
			s.mu.Lock()
			jobs := s.batch.admitted()
			if s.next == len(jobs) {
				s.mu.Unlock()
				if wait {
					s.close()
				}
				return
			}
			j := jobs[s.next]
			s.mu.Unlock()
			if !wait {
				select {
				case <-j.ended:
				default:
					return
				}
			}
			<-j.ended
			s.mu.Lock()
			s.next++
			s.mu.Unlock()
			if !yield(*j.outcome) {
				return
			}
		}
	}
}

// close ends the batch once all its calls have ended.
func (s *Stream) close() {
	s.mu.Lock()
	closed := s.closed
	if closed == nil {
		s.closed = make(chan struct{})
	}
	s.mu.Unlock()
	if closed != nil {
		<-closed
		return
	}
	defer close(s.closed)
	s.batch.end()
	s.unwatch()
	s.cancel(nil)
}

// batch is the calls of one message, which are ordered against each other.
type batch struct {
	*Executor
	pool    *Pool
	parent  *Call // whose tool makes the calls; nil for those of the model
	lane    lane.Lane
	blocked bool // by calls that were left behind
	events  *eventLog
	grace   time.Duration
	lease   lease        // on the session
	host    host         // the context that the batch was given
	scope   cancel.Scope // under host: it ends with the host's context or with the session
	lasting lasting      // host, but it never ends

	finish chan struct{} // closed when the message has ended; nil if it had before
	reason FinishReason  // set before finish is closed

	halted atomic.Pointer[error] // why no call may go on, whatever its tool's Interrupt

	mu       sync.Mutex
	jobs     []*job          // in the order of their admission
	outcomes []Outcome       // room for those of the jobs, if it is known how many there are
	first    string          // the id of the first call
	ids      map[string]bool // of a batch that has more than one call

	turns   sync.Mutex // guards what follows; held while the changes are made
	holding int        // calls that hold their keys
	changes []sessionChange
}

// sessionChange is what a result does to the session, by the place of its call.
type sessionChange struct {
	place int
	then  func(*Session)
}

// room returns a batch for n calls and their jobs. Most messages have one call, for
// which all is made at once.
func (e *Executor) room(ctx context.Context, p *Pool, n int) (*batch, []job) {
	if n != 1 {
		b := &batch{jobs: make([]*job, 0, n), outcomes: make([]Outcome, n)}
		e.open(ctx, b, p, n)
		return b, make([]job, n)
	}
	r := new(struct {
		batch    batch
		jobs     [1]job
		list     [1]*job
		outcomes [1]Outcome
	})
	r.batch.jobs, r.batch.outcomes = r.list[:0], r.outcomes[:]
	e.open(ctx, &r.batch, p, n)
	return &r.batch, r.jobs[:]
}

// open makes the zero batch b ready, for calls of which there will be no more than most;
// 0 means that this is not known.
func (e *Executor) open(ctx context.Context, b *batch, p *Pool, most int) {
	limit, grace := e.Limit, e.Grace
	if limit <= 0 {
		limit = DefaultLimit
	}
	if grace <= 0 {
		grace = DefaultGrace
	}
	b.Executor, b.pool, b.grace = e, p, grace
	if most == 0 || most > limit {
		b.lane.Limit(limit)
	}
	b.events = newEventLog(e.OnEvent, e.Logger, func() string { return e.traceID(ctx) })
	b.host = host{ctx, p.session}
	b.scope.Begin(&b.host)
	b.lasting.host = &b.host
	b.lease.batch = b
	if !p.session.hire(&b.lease) {
		b.lease.stop(ErrClosed)
	}
	b.blocked = p.session.main().detached.Block(&b.lane)
}

// host is a context of the host that carries a session.
type host struct {
	context.Context //nolint:containedctx // it is one
	session         *Session
}

func (h *host) Value(key any) any {
	if key == (sessionKey{}) {
		return h.session
	}
	return h.Context.Value(key)
}

// lasting is a host's context that never ends.
type lasting struct{ *host }

func (*lasting) Deadline() (at time.Time, ok bool) { return time.Time{}, false }
func (*lasting) Done() <-chan struct{}             { return nil }
func (*lasting) Err() error                        { return nil }

// after returns the context for what follows a call. An interruption ends the call and
// not what is done about it, which then has the grace period.
func (b *batch) after() (context.Context, context.CancelFunc) {
	if b.scope.Err() == nil {
		return &b.scope, func() {}
	}
	return context.WithTimeout(&b.lasting, b.grace)
}

// end waits for all calls, closes the batch and returns what became of them.
func (b *batch) end() []Outcome {
	jobs, outcomes := b.admitted(), b.outcomes
	for _, j := range slices.Backward(jobs) { // the last is likely to end last: few wake who waits
		<-j.ended
	}
	if outcomes == nil {
		for _, j := range jobs {
			outcomes = append(outcomes, *j.outcome)
		}
	}
	b.batchHook(outcomes)
	b.load(jobs, outcomes)
	b.events.close()
	b.pool.session.dismiss(&b.lease)
	if b.blocked {
		b.pool.session.main().detached.Forget(&b.lane)
	}
	b.scope.Cancel(nil)
	return outcomes
}

// admit gives c its place in line. j must be new, and is its job from now on. The
// caller owes the events a flush, once it holds no lock.
func (b *batch) admit(j *job, c Call) {
	b.mu.Lock()
	defer b.mu.Unlock()
	j.batch, j.stage, j.place, j.admitted, j.ended = b, StageAdmit, len(b.jobs), time.Now(), make(chan struct{})
	b.lane.Enter(&j.ticket)
	if b.outcomes != nil {
		j.outcome = &b.outcomes[j.place]
	} else {
		j.outcome = new(Outcome)
	}
	j.call = j.versions[0].set(Call{ID: c.ID, Name: c.Name, Input: slices.Clone(c.Input)}, callState{session: b.pool.session, pool: b.pool, parent: b.parent})
	j.duplicate = c.ID != "" && b.repeats(c.ID)
	b.jobs = append(b.jobs, j)
	if !j.duplicate {
		j.identity, j.loop = b.pool.countCall(j.call)
	}
	if b.OnEvent != nil || b.Repair.Func != nil {
		j.shown = 1 // who is told of the call as it was admitted may keep it
	}
	b.events.queue(Event{Kind: EventAdmitted, Call: j.call}, nil)
}

// admitted returns the jobs of the calls so far, in their order.
func (b *batch) admitted() []*job {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.jobs
}

// repeats reports whether a call of that id was admitted before, and notes the id.
// Most messages have one call, which needs no table.
func (b *batch) repeats(id string) bool {
	if len(b.jobs) == 0 {
		b.first = id
		return false
	}
	if b.ids == nil {
		b.ids = map[string]bool{b.first: true}
	}
	before := b.ids[id]
	b.ids[id] = true
	return before
}

func (b *batch) emit(e Event) { b.events.emit(e) }

// finished says how the message ended that the calls come from.
func (b *batch) finished(reason FinishReason) {
	b.reason = reason
	close(b.finish)
}

// hold counts a call that has its keys.
func (b *batch) hold() {
	b.turns.Lock()
	defer b.turns.Unlock()
	b.holding++
}

// letGo counts a call out and, when it was the last, applies what the calls that
// ran together do to the session, in the order of the message.
func (b *batch) letGo(place int, then func(*Session)) {
	b.turns.Lock()
	defer b.turns.Unlock()
	b.holding--
	if then != nil {
		b.changes = append(b.changes, sessionChange{place, then})
	}
	if b.holding > 0 {
		return
	}
	slices.SortFunc(b.changes, func(x, y sessionChange) int { return x.place - y.place })
	changes := b.changes
	b.changes = nil
	for _, c := range changes {
		if err := <-lane.Go(func() { c.then(b.pool.session) }); err != nil {
			b.reportCrash("Result.Then", StageResult, err)
		}
	}
}
