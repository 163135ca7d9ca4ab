package pegboard

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/lane"
	"github.com/seed49eaa51d/pegboard/internal/repair"
)

// DefaultLimit is how many calls run at once when [Executor].Limit is zero: the
// documented default of the best-known harness.
const DefaultLimit = 10

// An Executor takes calls through every stage: lookup, decode, targets,
// validate, hooks, permission, call and result. The zero value works. Its fields
// must not change once it is in use.
//
// # Concurrency
//
//  1. All methods may be called concurrently; batches and streams do not wait
//     for each other.
//  2. Within a batch a call runs beside others as its tool's Traits say. It
//     never starts before an earlier call that it conflicts with has ended, so
//     the outcomes are those of running one call after the other.
//  3. A call decides permission, and waits for the person, while it keeps
//     conflicting calls waiting, but without taking one of the Limit places.
//  4. OnEvent is called for one event of a batch at a time, in order, and never
//     after Run has returned.
//  5. When Run returns, so have all its calls, but for those whose outcome wraps
//     [ErrDetached]: they keep what they hold until they return.
type Executor struct {
	// Limit is how many calls of a batch run at once; 0 means [DefaultLimit].
	Limit int
	// Grace is how long a call that was stopped may take to return before it
	// is detached; 0 means [DefaultGrace].
	Grace time.Duration
	// CancelSiblings stops the other calls of a batch when one fails whose
	// tool's Info says CancelsSiblings. By default calls are independent.
	CancelSiblings bool
	// BlocksFinal says that the provider never takes back a block once it is
	// closed, so that a [Stream] may start calls that write before the message
	// has ended. See [Stream.Finish].
	BlocksFinal bool
	// Repair says how malformed input may be mended. The zero Repair mends
	// nothing; empty input is {} in any case.
	Repair Repair
	// Invoke is where the call itself happens; nil means here.
	Invoke Invoke
	// OnEvent is told what happens as it happens. It must not block for long:
	// the calls of the batch wait for it.
	OnEvent func(Event)
	// TraceID names a batch in its events, from the context that Run or Stream was
	// given, such as the id of the trace that is under way there. Nil, or nothing,
	// means 32 random hexadecimal digits. A batch inside a call has the call's.
	TraceID func(ctx context.Context) string
	// Logger gets what a host should repair: panics with their stacks, hooks
	// that fail. Nil discards. Inputs and results are not logged.
	Logger *slog.Logger
}

// A Repair says how malformed input may be mended before it is decoded. What was
// mended stands in [Outcome].Repairs, and only a call that is read-only runs on
// it: what a model did not write, writes nothing.
type Repair struct {
	// Syntax mends text that is no JSON: control characters inside strings,
	// text around the object.
	Syntax bool
	// Values mends properties of the wrong type: JSON inside a string, a list
	// of strings for a string, null for a property that may be left out.
	Values bool
	// Func may mend what is left, once for each call. Nothing means it cannot.
	Func func(ctx context.Context, t Tool, c *Call, problem error) json.RawMessage
}

// Invoke performs one call that was decided, on exactly the bytes of c.Input. An
// engine that runs calls elsewhere replaces it; there, [Pool.Admit] makes the
// call anew from its id, name and bytes.
type Invoke func(ctx context.Context, t Tool, c *Call) (*Result, error)

// Run takes calls through all stages and returns one outcome for each, in their
// order, whatever happens: an unknown name, bad JSON, a denial, a panic, a
// cancelled ctx, a tool that never returns.
//
// Of two calls with one ID the first runs; the outcome of the second wraps
// [ErrDuplicate]. Calls without an ID are never duplicates. How a cancelled ctx
// ends calls depends on its cause, see [ErrNewMessage].
func (e *Executor) Run(ctx context.Context, p *Pool, calls ...Call) []Outcome {
	return e.run(ctx, p, nil, calls)
}

// run is Run for calls that were made from inside parent, or by the model.
func (e *Executor) run(ctx context.Context, p *Pool, parent *Call, calls []Call) []Outcome {
	b := e.batch(ctx, p)
	b.parent, b.unknown.parent = parent, parent
	if parent != nil && b.events != nil {
		b.events.trace = parent.state.job.batch.events.trace
	}
	b.reason = FinishToolCalls
	b.jobs = make([]*job, 0, len(calls))
	jobs := make([]job, len(calls))
	for i, c := range calls {
		b.admit(&jobs[i], c)
	}
	for _, j := range b.jobs {
		j.start()
	}
	if ctx.Done() != nil {
		b.wait(ctx)
	}
	return b.end()
}

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

// batch is the calls of one message, which are ordered against each other.
type batch struct {
	*Executor
	pool    *Pool
	parent  *Call // whose tool makes the calls; nil for those of the model
	lane    *lane.Lane
	events  *eventLog
	grace   time.Duration
	unknown callState       // of a call whose tool was not looked up
	lease   lease           // on the session
	ctx     context.Context //nolint:containedctx // a batch is a scope: it ends with the host's context or with the session
	cancel  context.CancelCauseFunc
	values  context.Context //nolint:containedctx // of ctx, and it never ends

	finish chan struct{} // closed when the message has ended; nil if it had before
	reason FinishReason  // set before finish is closed

	mu      sync.Mutex
	jobs    []*job          // in the order of their admission
	first   string          // the id of the first call
	ids     map[string]bool // of a batch that has more than one call
	halted  error           // why no call may go on, whatever its tool's Interrupt
	holding int             // calls that hold their keys
	changes []sessionChange
}

// sessionChange is what a result does to the session, by the place of its call.
type sessionChange struct {
	place int
	then  func(*Session)
}

// batch begins a batch.
func (e *Executor) batch(ctx context.Context, p *Pool) *batch {
	limit, grace := e.Limit, e.Grace
	if limit <= 0 {
		limit = DefaultLimit
	}
	if grace <= 0 {
		grace = DefaultGrace
	}
	b := &batch{Executor: e, pool: p, lane: lane.New(limit), grace: grace}
	b.unknown.session = p.session
	b.events = newEventLog(e.OnEvent, e.Logger, func() string { return e.traceID(ctx) })
	b.ctx, b.cancel = context.WithCancelCause(WithSession(ctx, p.session))
	b.values = context.WithoutCancel(b.ctx)
	b.lease.batch = b
	if !p.session.hire(&b.lease) {
		b.lease.stop(ErrClosed)
	}
	p.session.blockDetached(b.lane)
	return b
}

func (e *Executor) traceID(ctx context.Context) (id string) {
	if e.TraceID != nil {
		_ = lane.Try(func() error { id = e.TraceID(ctx); return nil }) // without one, it is random
	}
	if id == "" {
		var random [16]byte
		_, _ = rand.Read(random[:]) // which never fails
		id = hex.EncodeToString(random[:])
	}
	return id
}

// end waits for all calls, closes the batch and returns what became of them.
func (b *batch) end() []Outcome {
	jobs := b.admitted()
	outcomes := make([]Outcome, len(jobs))
	for i, j := range slices.Backward(jobs) { // the last is likely to end last: few wake who waits
		<-j.ended
		outcomes[i] = j.outcome
	}
	b.batchHook(b.ctx, outcomes)
	b.events.close()
	b.pool.session.dismiss(&b.lease)
	b.cancel(nil)
	return outcomes
}

// admit gives c its place in line. j must be zero, and is its job from now on.
func (b *batch) admit(j *job, c Call) {
	b.mu.Lock()
	defer b.mu.Unlock()
	j.batch, j.stage, j.place, j.admitted, j.ended = b, StageAdmit, len(b.jobs), time.Now(), make(chan struct{})
	b.lane.Enter(&j.ticket)
	j.raw = Call{ID: c.ID, Name: c.Name, Input: slices.Clone(c.Input), state: &b.unknown}
	j.call = &j.raw
	j.duplicate = c.ID != "" && b.repeats(c.ID)
	b.jobs = append(b.jobs, j)
	if !j.duplicate {
		j.identity, j.loop = b.pool.countCall(j.raw)
	}
	b.emit(Event{Kind: EventAdmitted, Call: j.call})
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
	b.mu.Lock()
	defer b.mu.Unlock()
	b.holding++
}

// letGo counts a call out and, when it was the last, applies what the calls that
// ran together do to the session, in the order of the message.
func (b *batch) letGo(place int, then func(*Session)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.holding--
	if then != nil {
		b.changes = append(b.changes, sessionChange{place, then})
	}
	if b.holding > 0 {
		return
	}
	slices.SortFunc(b.changes, func(x, y sessionChange) int { return x.place - y.place })
	for _, c := range b.changes {
		if err := lane.Try(func() error { c.then(b.pool.session); return nil }); err != nil {
			b.reportCrash("Result.Then", StageResult, err)
		}
	}
	b.changes = nil
}

// siblingFailed stops the others if the batch and the tool want that.
func (b *batch) siblingFailed(i Info) {
	if b.CancelSiblings && i.CancelsSiblings {
		b.halt(fmt.Errorf("%w: %s", ErrSiblingFailed, i.Name))
	}
}

// batchHook tells the hook of that name what became of a message.
func (b *batch) batchHook(ctx context.Context, outcomes []Outcome) {
	hook := b.pool.session.cfg.Hooks.Batch
	if hook == nil || b.parent != nil {
		return // it is about the calls of a message
	}
	told := slices.Clone(outcomes)
	for i := range told {
		told[i].Call = told[i].Call.copied()
	}
	err := hook(ctx, told)
	if err != nil {
		b.hookFailed("", err)
	}
	for i := range outcomes {
		if errors.Is(err, errBlocked) {
			outcomes[i].Result = &Result{IsError: true, Parts: []Part{{Text: "A hook that checks the results failed, so this one is withheld. Tell the user."}}}
		}
		if r := told[i].Result; r != nil && !errors.Is(err, errBlocked) {
			outcomes[i].Result = r
		}
	}
}

func (b *batch) hookFailed(tool string, err error) { b.reportCrash(tool, StageHook, err) }

// A lease is one batch of calls that runs in a session.
type lease struct {
	batch *batch
	ended chan struct{} // made by Close, which waits for it
}

// stop ends the batch's calls, whatever their tools' Interrupt.
func (l *lease) stop(cause error) {
	l.batch.halt(cause)
	l.batch.cancel(cause)
}

// hire registers a batch, so that Close can stop it and wait for it. It reports
// whether the session is open.
func (s *Session) hire(l *lease) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	if s.running == nil {
		s.running = map[*lease]struct{}{}
	}
	s.running[l] = struct{}{}
	return true
}

// dismiss forgets a batch that has ended.
func (s *Session) dismiss(l *lease) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.running, l)
	if l.ended != nil {
		close(l.ended)
	}
}

// mend tries to read an input in the ways the host permits. It returns nothing
// unless the tool says that the mended call is read-only: what the model did not
// write, writes nothing.
func (j *job) mend(ctx context.Context, problem error) (input json.RawMessage, in any) {
	how, spec := j.batch.Repair, j.entry.tool.input()
	input = slices.Clone(j.call.Input)
	var notes []string
	note := func(rs []repair.Repair) {
		for _, r := range rs {
			notes = append(notes, r.Note)
		}
	}
	if how.Syntax {
		mended, rs, _ := repair.Text(input, repair.KindsOf(repair.ControlCharacters, repair.CodeFence, repair.TrailingText))
		note(rs)
		input = mended
	}
	if how.Values {
		mended, rs, _ := repair.Values(input, spec.schema.Bytes(), repair.KindsOf(repair.JSONInString, repair.JoinStrings, repair.DropNulls))
		note(rs)
		input = mended
	}
	in, err := spec.decode(input)
	if err != nil && how.Func != nil && !j.repaired {
		j.repaired = true
		notes = []string{"the host's repair was used"}
		input = slices.Clone(how.Func(ctx, j.entry.tool, j.call, problem))
		in, err = spec.decode(input)
	}
	if err != nil || len(notes) == 0 || len(input) == 0 {
		return nil, nil
	}
	c := &Call{ID: j.call.ID, Name: j.call.Name, Input: input, in: in, state: &callState{session: j.batch.pool.session, info: &j.entry.info, spec: j.entry.tool.input()}}
	if tr := j.entry.tool.Traits(c); !tr.ReadOnly || tr.Destructive || j.entry.info.Origin.External() {
		return nil, nil
	}
	j.repairs = append(j.repairs, notes...)
	j.batch.emit(Event{Kind: EventRepaired, Call: c, Text: strings.Join(notes, "; ")})
	return input, in
}

// failure is why a stage ends a call.
type failure struct {
	err  error  // for the host
	text string // for the model: what was wrong, what to do next
}

// fail makes the outcome of a call that ends at its present stage.
func (j *job) fail(f *failure) Outcome {
	return Outcome{
		Result: &Result{Parts: []Part{{Text: f.text}}, IsError: true},
		Err:    &CallError{Tool: j.call.Name, CallID: j.call.ID, Stage: j.stage, Err: f.err},
	}
}

// crashed makes the outcome of a call whose goroutine ended in mid-stage.
func (j *job) crashed(err error) Outcome {
	j.batch.reportCrash(j.call.Name, j.stage, err)
	return j.fail(&failure{
		err: fmt.Errorf("%w: %w", ErrPanic, err),
		text: fmt.Sprintf("%s failed inside, at the stage %s. The program is at fault, not the input: "+
			"do not repeat the call; use another way or tell the user.", j.call.Name, j.stage),
	})
}

// reportCrash logs what the host should repair, with the stack if there is one.
func (b *batch) reportCrash(tool string, stage Stage, err error) {
	if b.Logger == nil {
		return
	}
	attrs := []any{"tool", tool, "stage", string(stage), "error", err}
	var p *lane.PanicError
	if errors.As(err, &p) {
		attrs = append(attrs, "stack", string(p.Stack))
	}
	_ = lane.Try(func() error { b.Logger.Error("call crashed", attrs...); return nil }) // a broken handler loses its line, not the call
}
