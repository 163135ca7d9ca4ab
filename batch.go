package pegboard

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/lane"
	"github.com/seed49eaa51d/pegboard/internal/lifetime"
)

// wait returns when all calls have ended. Who waits watches the host's context
// for those that run.
func (b *batch) wait(ctx context.Context) {
	done := ctx.Done()
	for _, j := range slices.Backward(b.jobs) {
		select {
		case <-j.ended:
			continue
		case <-done:
		}
		done = nil
		b.interrupt(context.Cause(ctx))
		<-j.ended
	}
}

// interrupt ends the calls that run as the cause of the host's context asks for.
func (b *batch) interrupt(cause error) {
	b.scope.Cancel(cause) // before those that run are told, for those that begin just now
	for _, j := range b.admitted() {
		j.interrupt(cause)
	}
}

// halt ends all calls, those that run and those that wait, whatever their tools'
// Interrupt: the session closes, a sibling failed, the stream was abandoned.
func (b *batch) halt(cause error) {
	b.halted.CompareAndSwap(nil, &cause)
	for _, j := range b.admitted() {
		j.stop(cause)
	}
}

func (b *batch) whyHalted() error {
	if cause := b.halted.Load(); cause != nil {
		return *cause
	}
	return nil
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
	lease   lease            // on the session
	host    host             // the context that the batch was given
	scope   lifetime.Context // under host: it ends with the host's context or with the session
	lasting lasting          // host, but it never ends

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
	limit, grace := e.MaxParallel, e.Grace
	if limit <= 0 {
		limit = DefaultMaxParallel
	}
	if grace <= 0 {
		grace = DefaultGrace
	}
	b.Executor, b.pool, b.grace = e, p, grace
	if most == 0 || most > limit {
		b.lane.SetLimit(limit)
	}
	b.events = newEventLog(e.OnEvent, e.Logger, func() string { return e.traceID(ctx) })
	b.host = host{ctx, p.session}
	b.scope.Init(&b.host)
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
		if err := <-goroutine.Go(func() { c.then(b.pool.session) }); err != nil {
			b.reportCrash("Result.Then", StageResult, err)
		}
	}
}
