package pegboard

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// DefaultMaxParallel is how many calls run at once when [Executor].MaxParallel is zero:
// the default that Claude Code documents.
const DefaultMaxParallel = 10

// An Executor takes calls through every stage: lookup, decode, targets, validate, hooks,
// permission, call and result. The zero value works. Its fields must not change once it
// is in use.
//
// # Concurrency
//
//  1. All methods may be called concurrently; batches and streams do not wait
//     for each other.
//  2. Within a batch a call runs beside others as its tool's Traits say. It
//     never starts before an earlier call that it conflicts with has ended, so
//     the outcomes are those of running one call after the other.
//  3. A call decides permission, and waits for the user, while it holds back
//     conflicting calls, but does not count towards MaxParallel.
//  4. OnEvent is called for one event of a batch at a time, in order, and never
//     after Run has returned. It may use the session and a Stream, but not Abandon it.
//  5. When Run returns, all its calls have returned, except those whose outcome
//     wraps [ErrDetached]: unless they only read, they keep their keys until they return. Calls that a tool
//     makes with [Call.Run] are batches of their own, which its Call should wait for.
type Executor struct {
	// MaxParallel is how many calls of a batch run at once; 0 means
	// [DefaultMaxParallel].
	MaxParallel int
	// Grace is how long a func of the tool or of the host may take to return after its call
	// was stopped. Then the call is answered without it, and detached if that func is the
	// tool's Call; 0 means [DefaultGrace].
	Grace time.Duration
	// CancelSiblings stops the other calls of a batch when a call fails whose tool's
	// Info says CancelsSiblings. By default calls are independent.
	CancelSiblings bool
	// StartWritesEarly lets a [Stream] start calls that write before the message has
	// ended. Set it if the provider never takes back a complete block. See
	// [Stream.Finish].
	StartWritesEarly bool
	// Repair says how malformed input may be repaired. The zero Repair repairs scalars of the
	// wrong type; empty input is {} in any case.
	Repair Repair
	// Invoke performs the call itself; nil means in this process. Calls that the host
	// executes, see [Session.Supply], do not go through it.
	Invoke Invoke
	// OnEvent is called with every event. It must not block for long: the calls of the
	// batch wait for it. A panic in it is logged, and changes no outcome.
	OnEvent func(Event)
	// TraceID names a batch in its events, given the context of Run or Stream: for
	// example the id of the trace in that context. If it is nil or returns "", the name is
	// 32 random hexadecimal digits. A batch inside a call has the name of the call's.
	TraceID func(ctx context.Context) string
	// Logger gets errors for the host to fix: panics with their stacks, failed hooks. Nil
	// means [slog.Default]. Inputs and results are not logged.
	Logger *slog.Logger
}

// Invoke performs one call that was allowed, on exactly the bytes of c.Input. Replace it
// to run calls in another process; there, [Pool.Rebuild] makes the call again from its
// id, name and bytes, and [CallReply] takes what the tool returns back. A [*PanicError] that
// it returns counts as a panic of the tool. To check one, use tooltest.CheckInvoke.
type Invoke func(ctx context.Context, t Tool, c *Call) (*Result, error)

// Run takes calls through all stages and returns one outcome for each, in their order,
// whatever happens: an unknown name, bad JSON, a denial, a panic, a cancelled ctx, a tool
// that never returns.
//
// Of two calls with the same ID the first runs; the outcome of the second wraps
// [ErrDuplicate]. Calls without an ID are never duplicates. The cause of a cancelled ctx
// decides how calls end, see [ErrNewMessage].
func (e *Executor) Run(ctx context.Context, p *Pool, calls ...Call) []Outcome {
	mustHaveContext("Executor.Run", ctx)
	p.mustExist("Executor.Run")
	return e.run(ctx, p, nil, calls)
}

// run is Run for calls of the model, or for calls that parent makes.
func (e *Executor) run(ctx context.Context, p *Pool, parent *Call, calls []Call) []Outcome {
	b, jobs := newBatch(ctx, e, p, len(calls))
	b.parent = parent
	if parent != nil && b.events != nil {
		b.events.trace = parent.state.job.batch.events.trace
	}
	b.openRecord()
	return b.run(ctx, jobs, calls)
}

// Supply makes the outcome of a call that the host has executed, and whose first outcome
// wraps [ErrDeferred]: in a later process, from the call's id, name and bytes. The host puts
// it in the place of the first one before it sends the next message. For a call that is
// still awaited, use [Session.Supply].
//
// The output is checked as by Session.Supply. Then the outcome is made as that of any call:
// by the hooks after it and the limits of results. The call is not decided again: the caller
// vouches that it was allowed. The error is [ErrUnknownTool], [ErrInvalidInput],
// [ErrInvalidOutput], or [ErrNotAwaited] for a tool whose calls the host does not execute;
// then nothing has happened.
func (e *Executor) Supply(ctx context.Context, p *Pool, c Call, out Supply) (Outcome, error) {
	mustHaveContext("Executor.Supply", ctx)
	p.mustExist("Executor.Supply")
	entry, ok := p.lookup(c.Name)
	if !ok {
		return Outcome{}, fmt.Errorf("%w: %s", ErrUnknownTool, c.Name)
	}
	if !entry.info.Supplied {
		return Outcome{}, fmt.Errorf("%w: the host does not execute the calls of %s, see Info.Supplied", ErrNotAwaited, entry.info.Name)
	}
	if _, err := entry.tool.input().decode(c.Input, p.session); err != nil {
		return Outcome{}, err
	}
	s, err := out.check(entry.tool.decodeOutput)
	if err != nil {
		return Outcome{}, err
	}
	b, jobs := newBatch(ctx, e, p, 1)
	jobs[0].supplied = &s
	return b.run(ctx, jobs, []Call{c})[0], nil
}

// Stream returns a stream for one message. Read its Outcomes to the end, or call Abandon.
func (e *Executor) Stream(ctx context.Context, p *Pool) *Stream {
	mustHaveContext("Executor.Stream", ctx)
	p.mustExist("Executor.Stream")
	return newStream(ctx, e, p)
}

// logError logs an error that the host should fix, with its stack if it is a panic.
func (e *Executor) logError(msg string, err error, attrs ...any) {
	attrs = append(attrs, "error", err)
	var p *PanicError
	if errors.As(err, &p) {
		attrs = append(attrs, "site", p.Site, "stack", string(p.Stack))
	}
	_ = goroutine.Try(func() error { // a log handler that panics loses its line
		cmp.Or(e.Logger, slog.Default()).Error(msg, attrs...)
		return nil
	})
}

// A Repair says how malformed input may be repaired before it is decoded. The repairs are
// listed in [Outcome].Repairs.
//
// The zero Repair repairs scalars of built-in tools that have only one reading: "5" or 5.0
// for the integer 5, "true" for true, and null for a property that may be left out. All other
// repairs are opt-in, and only a read-only call runs on them, since the model did not write
// that input.
type Repair struct {
	// NoScalars refuses scalars of the wrong type.
	NoScalars bool

	// Syntax repairs text that is not JSON: control characters inside strings, text
	// around the object.
	Syntax bool
	// Values repairs properties of the wrong type: JSON inside a string, a list of strings
	// for a string, null for an optional property.
	Values bool
	// Func repairs any other problem, once for each call. It returns nil if it cannot.
	Func func(ctx context.Context, t Tool, c *Call, problem error) json.RawMessage
}

// Resume goes on with a message that was suspended, perhaps in another process: answers are the
// user's, by the ids of [Suspension].Questions. It returns the outcomes of all calls of the
// message, in request order. A call whose question has no answer is suspended again, unless the
// permissions decide it by now; [Session.Suspension] makes the value for the next day of it.
//
// Before anything runs, Resume checks the signatures, the session, the time, the ids, the tools
// and the journal; the errors stand beside [ErrAltered]. Then each call that has not finished
// takes all stages anew, from the bytes that the model wrote: its input is held against the
// schema as it is now, and it is decided by the permissions as they are now. An answer counts as
// that of the user to the same question in this process: it overrides no deny rule, and only
// counts for the same tool with the same definition, the same input and the same targets. If
// the question has become another one, it is asked again under another id.
//
// An answer may remember permission updates, change the input and, if it denies, end the turn,
// as one of [Session.Answer]. Answers of one Resume are taken in request order. An answer whose
// updates cannot be applied leaves its call suspended; the outcome wraps the reason.
//
// Calls that have finished are not run again: their outcomes are those that were recorded, with
// Data as a json.RawMessage. They have no events and no hooks. A call that a process had started
// when it was killed runs again only if its traits say ReadOnly or Idempotent; otherwise its
// outcome wraps [ErrOutcomeUnknown]. The Batch hook runs once no call is suspended.
//
// The pool is one of a main session with the same ID and Key. Its directory, permissions, hooks
// and values are those that the host has restored. One process at a time resumes a value: the journal
// keeps two from starting one call, but a call that runs in one looks lost to the other.
func (e *Executor) Resume(ctx context.Context, p *Pool, v *Suspension, answers map[string]Decision) ([]Outcome, error) {
	mustHaveContext("Executor.Resume", ctx)
	p.mustExist("Executor.Resume")
	s := p.session
	if s.cfg.Suspend == nil {
		return nil, errors.New("Resume: the session of the pool has no SessionConfig.Suspend")
	}
	turn, err := v.open(seal{s.cfg.Suspend.Key}, s.cfg.ID)
	if err != nil {
		return nil, err
	}
	r := &resumption{pool: p, turn: turn, answers: answers, record: newTurnRecord(ctx, s, turn.Turn)}
	if r.record.err != nil {
		return nil, r.record.err
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	b, jobs := newBatch(ctx, e, p, len(turn.Calls))
	b.record, b.host.recorded, b.resumed = r.record, turn.Turn, true
	return b.run(ctx, jobs, r.prepare(jobs)), nil
}

// A resumption is one call of [Executor.Resume].
type resumption struct {
	pool    *Pool
	turn    *suspendedTurn
	answers map[string]Decision
	record  *turnRecord
}

// past returns the journal's state of the call at a place, never nil.
func (r *resumption) past(place int) *callPast {
	if p := r.record.past[place]; p != nil {
		return p
	}
	return &callPast{}
}

// isOpen reports whether the question of the call at a place can be answered.
func (r *resumption) isOpen(place int) bool {
	c, past := &r.turn.Calls[place], r.past(place)
	return c.Question != nil && c.Outcome == nil && past.finished == nil && !slices.Contains(past.closed, c.Question.ID)
}

// check returns why nothing can run, or nil.
func (r *resumption) check() error {
	if len(r.turn.Calls) == 0 {
		return fmt.Errorf("%w: it has no calls", ErrAltered)
	}
	for place := range r.turn.Calls {
		c := &r.turn.Calls[place]
		if d := r.past(place).digest; d != "" && d != digestOfCall(c.call()) {
			return fmt.Errorf("%w: the journal has another call at place %d of the turn %q", ErrAltered, place, r.turn.Turn)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(r.answers)) {
		if err := r.checkAnswer(id); err != nil {
			return err
		}
	}
	for place := range r.turn.Calls {
		if err := r.checkQuestion(place); err != nil {
			return err
		}
	}
	return nil
}

// wasAnswered reports whether the journal has an answer to a question.
func (r *resumption) wasAnswered(id string) bool {
	for _, past := range r.record.past {
		if slices.Contains(past.closed, id) {
			return true
		}
	}
	return false
}

// checkAnswer returns why the answer to a question cannot be taken, or nil.
func (r *resumption) checkAnswer(id string) error {
	place := slices.IndexFunc(r.turn.Calls, func(c callRecord) bool { return c.Question != nil && c.Question.ID == id })
	if place < 0 && !r.wasAnswered(id) {
		return fmt.Errorf("%w: %q", ErrUnknownQuestion, id)
	}
	if place < 0 || !r.isOpen(place) {
		return fmt.Errorf("%w: question %s was answered; resume without an answer to it", ErrQuestionClosed, id)
	}
	d := r.answers[id]
	if d.Behavior != Allow && d.Behavior != Deny {
		return fmt.Errorf("the answer to question %s is %v, neither allow nor deny", id, d.Behavior)
	}
	if d.Behavior != Allow || d.Input == nil {
		return nil
	}
	entry, ok := r.pool.lookup(r.turn.Calls[place].Name)
	if !ok {
		return nil // checkQuestion says so
	}
	if _, err := entry.tool.input().decode(d.Input, r.pool.session); err != nil {
		return fmt.Errorf("the input of the answer to question %s: %w", id, err)
	}
	return nil
}

// checkQuestion returns why the question of the call at a place cannot be asked any more, or nil.
// A call that is refused needs no tool.
func (r *resumption) checkQuestion(place int) error {
	if !r.isOpen(place) {
		return nil
	}
	q := r.turn.Calls[place].Question
	if !time.Now().Before(q.Expires) {
		return fmt.Errorf("%w: question %s could be answered until %s; end the message without its calls", ErrExpired, q.ID, q.Expires.Format(time.RFC3339))
	}
	if _, ok := r.pool.lookup(r.turn.Calls[place].Name); !ok && r.answers[q.ID].Behavior != Deny {
		return fmt.Errorf("%w: %s, which question %s is about; deny the call, or add the tool", ErrUnknownTool, q.Tool, q.ID)
	}
	return nil
}

// prepare sets the known state of the calls in their jobs, and returns the calls.
func (r *resumption) prepare(jobs []job) []Call {
	var calls []Call
	for place := range r.turn.Calls {
		c := &r.turn.Calls[place]
		d := r.record.call(place)
		if c.Outcome != nil {
			d.outcome = c.Outcome
		}
		if r.isOpen(place) {
			d.question, d.answer = c.Question, nil // an answer before was to another question
			if given, ok := r.answers[c.Question.ID]; ok {
				record := recordDecision(&given)
				d.answer, d.fresh = &decidedRecord{Question: c.Question, Answer: &record}, true
			}
		}
		jobs[place].durable, jobs[place].loopReason = d, c.Loop
		calls = append(calls, *c.call())
	}
	return calls
}
