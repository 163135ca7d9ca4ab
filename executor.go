package pegboard

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
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
//  1. All methods may be called concurrently. Of two calls of one conversation, in whatever
//     batch, agent or script, that name the same target, of which one writes it, one waits
//     until the other and its hooks have ended. Meanwhile it is decided already and holds
//     nothing; then its paths are looked at again, and its tool's Validate is called again.
//     A call does not wait for the calls around it. Two that would wait for each other inside
//     get [ErrDeadlock]. What a call touches without naming it is not kept apart.
//  2. Within a batch a call runs beside others as its tool's Traits say. It
//     never starts before an earlier call that it conflicts with has ended, so
//     the outcomes are those of running one call after the other.
//  3. A call decides permission, and waits for the user, while it holds back
//     conflicting calls of its batch, but does not count towards MaxParallel.
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
	// executes, see [Session.SubmitResult], do not go through it.
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
// id, name and bytes, and [CallReply] carries its result and error back. [Call.StableID] is the
// name of a record of the call. A [*PanicError] that it returns counts as a panic of the tool. To
// check one, use tooltest.CheckInvoke.
type Invoke func(ctx context.Context, t Tool, c *Call) (*Result, error)

// Run takes calls through all stages and returns one outcome for each, in their order,
// whatever happens: an unknown name, bad JSON, a denial, a panic, a cancelled ctx, a tool
// that never returns.
//
// Of two calls with the same ID the first runs; the outcome of the second wraps
// [ErrDuplicate]. Calls without an ID are never duplicates. The cause of a cancelled ctx
// decides how calls end, see [ErrNewMessage]. A single call may be one of a [Gathering].
func (e *Executor) Run(ctx context.Context, p *Pool, calls ...Call) []Outcome {
	mustHaveContext("Executor.Run", ctx)
	p.mustExist("Executor.Run")
	if len(calls) == 1 {
		if o, ok := p.handIn(ctx, calls[0]); ok {
			return []Outcome{o}
		}
	}
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

// SubmitResult makes the outcome of a call that the host has executed, and whose first outcome
// wraps [ErrDeferred]: in a later process, from the call's id, name and bytes. The host puts
// it in the place of the first one before it sends the next message. For a call that is
// still awaited, use [Session.SubmitResult].
//
// The output is checked as by Session.SubmitResult. Then the outcome is made as that of any call:
// by the hooks after it and the limits of results. The call is not decided again: the caller
// vouches that it was allowed. The error is [ErrUnknownTool], [ErrInvalidInput],
// [ErrInvalidOutput], or [ErrNoExternalCall] for a tool whose calls the host does not execute;
// then nothing has happened.
func (e *Executor) SubmitResult(ctx context.Context, p *Pool, c Call, out ExternalResult) (Outcome, error) {
	mustHaveContext("Executor.SubmitResult", ctx)
	p.mustExist("Executor.SubmitResult")
	entry, ok := p.lookup(c.Name)
	if !ok {
		return Outcome{}, fmt.Errorf("%w: %s", ErrUnknownTool, c.Name)
	}
	if !entry.info.ExternalResult {
		return Outcome{}, fmt.Errorf("%w: the host does not execute the calls of %s, see Info.ExternalResult", ErrNoExternalCall, entry.info.Name)
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

// Gather announces the calls of one message, in their order, for a framework that calls tools one
// at a time. The framework's tool then hands in each by itself, on any goroutine: by Run with the
// same pool and that one call. The call takes its place in the message: by its ID, or where one of
// the two has none by its name and an equal input. From there on the message is as one of Run: its
// calls are ordered, equal ones run once, questions come in their order, and a failure may cancel
// the others. Each call has the values and the end of its own context; the message of
// [WithMessage] and the name of [WithTurn] are those of ctx. An input that differs from the
// announced one replaces it.
//
// A call waits until those before it were handed in. When it has waited for these alone for a
// second in which no call came or ended, they are given up. A call that comes later, or was not
// announced, is a message of its own: it is kept apart from calls that name the same target, and
// has no place in the order. Messages that are gathered at the same time with the same pool need
// calls of different IDs.
//
// Call End when the framework has all results, before it sends the next message. The end of ctx
// interrupts the calls, and is End, too.
func (e *Executor) Gather(ctx context.Context, p *Pool, calls ...Call) *Gathering {
	mustHaveContext("Executor.Gather", ctx)
	p.mustExist("Executor.Gather")
	return newGathering(ctx, e, p, calls)
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
// for the integer 5, 5 for the text "5", "true" for true, and null for a property that may be
// left out. All other repairs are opt-in, and only a read-only call runs on them, since the
// model did not write that input.
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
