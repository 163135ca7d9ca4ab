package pegboard

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/lane"
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
//  1. Run may be called concurrently; batches do not wait for each other.
//  2. Within a batch a call runs beside others as its tool's Traits say. It
//     never starts before an earlier call that it conflicts with has ended, so
//     the outcomes are those of running one call after the other.
//  3. A call decides permission, and waits for the person, while it keeps
//     conflicting calls waiting, but without taking one of the Limit places.
//  4. OnEvent is called for one event of a batch at a time, in order, and never
//     after Run has returned.
type Executor struct {
	// Limit is how many calls of a batch run at once; 0 means [DefaultLimit].
	Limit int
	// OnEvent is told what happens as it happens. It must not block for long:
	// the calls of the batch wait for it.
	OnEvent func(Event)
	// Logger gets what a host should repair: panics with their stacks, hooks
	// that fail. Nil discards. Inputs and results are not logged.
	Logger *slog.Logger
}

// Run takes calls through all stages and returns one outcome for each, in their
// order, whatever happens: an unknown name, bad JSON, a denial, a panic, a
// cancelled ctx. It returns when all have ended.
//
// Of two calls with one ID the first runs; the outcome of the second wraps
// [ErrDuplicate]. Calls without an ID are never duplicates.
func (e *Executor) Run(ctx context.Context, p *Pool, calls ...Call) []Outcome {
	ctx, b := e.batch(ctx, p)
	defer b.end()
	jobs := make([]*job, len(calls))
	for i, c := range calls {
		jobs[i] = b.admit(c)
	}
	ended := make([]<-chan error, len(jobs))
	for i, j := range jobs {
		ended[i] = lane.Go(func() { j.finish(ctx, j.pass(ctx)) })
	}
	outcomes := make([]Outcome, len(jobs))
	for i, j := range jobs {
		if err := <-ended[i]; err != nil {
			<-lane.Go(func() { j.finish(ctx, j.crashed(err)) })
		}
		outcomes[i] = j.outcome
	}
	return outcomes
}

// batch is one Run: the calls that are ordered against each other.
type batch struct {
	pool   *Pool
	lane   *lane.Lane
	events *eventLog
	logger *slog.Logger
	ids    map[string]bool
	end    func()
}

// batch begins a batch. Its context ends with ctx or with the session.
func (e *Executor) batch(ctx context.Context, p *Pool) (context.Context, *batch) {
	limit := e.Limit
	if limit <= 0 {
		limit = DefaultLimit
	}
	logger := e.Logger
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	ctx, cancel := context.WithCancelCause(WithSession(ctx, p.session))
	release := p.session.lease(cancel)
	b := &batch{pool: p, lane: lane.New(limit), events: newEventLog(e.OnEvent, logger), logger: logger, ids: map[string]bool{}}
	b.end = func() {
		b.events.flush()
		release()
		cancel(nil)
	}
	return ctx, b
}

// admit gives c its place in line.
func (b *batch) admit(c Call) *job {
	c.Input = append([]byte(nil), c.Input...)
	c.in, c.state = nil, &callState{session: b.pool.session}
	j := &job{batch: b, call: &c, stage: StageAdmit, admitted: time.Now(), ticket: b.lane.Admit()}
	if c.ID != "" {
		j.duplicate = b.ids[c.ID]
		b.ids[c.ID] = true
	}
	b.emit(Event{Kind: EventAdmitted, Call: j.call})
	return j
}

func (b *batch) emit(e Event) { b.events.emit(e) }

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
	attrs := []any{"tool", tool, "stage", string(stage), "error", err}
	var p *lane.PanicError
	if errors.As(err, &p) {
		attrs = append(attrs, "stack", string(p.Stack))
	}
	b.logger.Error("call crashed", attrs...)
}

// cancelled says that ctx ended before the call did.
func (j *job) cancelled(ctx context.Context) *failure {
	cause := context.Cause(ctx)
	did := "was not run"
	if j.stage == StageCall {
		did = "was stopped before it finished; it may have done part of its work"
	}
	err := fmt.Errorf("%w: %w", ErrCancelled, cause)
	return &failure{err: err, text: fmt.Sprintf("%s %s: the turn was cancelled. Nobody refused the call; "+
		"repeat it if it is still wanted.", j.call.Name, did)}
}
