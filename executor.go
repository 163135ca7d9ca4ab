package pegboard

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// traceID is the host's id for what is under way in ctx, or a random one.
func (e *Executor) traceID(ctx context.Context) (id string) {
	if e.TraceID != nil {
		_ = goroutine.Try(func() error { id = e.TraceID(ctx); return nil }) // without one, it is random
	}
	if id == "" {
		var random [16]byte
		_, _ = rand.Read(random[:]) // which never fails
		id = hex.EncodeToString(random[:])
	}
	return id
}

// DefaultMaxParallel is how many calls run at once when [Executor].MaxParallel is zero: the
// documented default of the best-known harness.
const DefaultMaxParallel = 10

// DefaultGrace is how long a tool whose call was stopped may take to return when
// [Executor].Grace is zero.
const DefaultGrace = 2 * time.Second

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
//     after Run has returned. It may use the session and a Stream, but not Abandon it.
//  5. When Run returns, so have all its calls, but for those whose outcome wraps
//     [ErrDetached]: they keep what they hold until they return. Calls that a tool
//     makes with [Call.Run] are batches of their own, which its Call should wait for.
type Executor struct {
	// MaxParallel is how many calls of a batch run at once; 0 means [DefaultMaxParallel].
	MaxParallel int
	// Grace is how long a call that was stopped may take to return before it
	// is detached; 0 means [DefaultGrace].
	Grace time.Duration
	// CancelSiblings stops the other calls of a batch when one fails whose
	// tool's Info says CancelsSiblings. By default calls are independent.
	CancelSiblings bool
	// StartWritesEarly says that the provider never takes back a block once it is
	// closed, so that a [Stream] may start calls that write before the message
	// has ended. See [Stream.Finish].
	StartWritesEarly bool
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

// Invoke performs one call that was decided, on exactly the bytes of c.Input. An
// engine that runs calls elsewhere replaces it; there, [Pool.Rebuild] makes the
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
	b, jobs := e.room(ctx, p, len(calls))
	b.parent = parent
	if parent != nil && b.events != nil {
		b.events.trace = parent.state.job.batch.events.trace
	}
	b.reason = FinishToolCalls
	for i, c := range calls {
		b.admit(&jobs[i], c)
	}
	b.events.flush()
	for _, j := range b.jobs {
		j.start()
	}
	if ctx.Done() != nil {
		b.wait(ctx)
	}
	return b.end()
}
