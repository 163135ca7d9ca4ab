package pegboard

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/asking"
	"github.com/seed49eaa51d/pegboard/internal/ending"
	"github.com/seed49eaa51d/pegboard/internal/lane"
)

// What a host branches on, with [errors.Is]. ErrDeferred is for tools, too: a
// call that returns it is answered by the host later, which replaces the result
// of its outcome before it sends the next message.
var (
	ErrUnknownTool  = errors.New("unknown tool")
	ErrInvalidInput = errors.New("invalid input")
	ErrDenied       = errors.New("denied")
	ErrCancelled    = errors.New("cancelled")
	ErrTimeout      = errors.New("timed out")
	ErrDetached     = errors.New("did not return")
	ErrDeferred     = errors.New("answered later")
	ErrPanic        = errors.New("panicked")
	ErrDuplicate    = errors.New("duplicate")
	ErrClosed       = errors.New("session closed")
)

// Why there was no answer to a question. The error of the outcome wraps ErrDenied,
// too, but nobody refused the call. A person's refusal wraps ErrDenied alone, and a
// call that ended while it was asked about ErrCancelled.
var (
	ErrNoApprover = asking.ErrNobody
	ErrExpired    = asking.ErrExpired
)

// What is wrong with an answer, see [Session.Answer].
var (
	ErrStale    = asking.ErrStale
	ErrNotSaved = errors.New("it holds for now, but could not be saved")
)

// The causes with which a host cancels the context of a batch, or a session's
// calls by [Session.Interrupt]. Each is told to the model in its own words,
// because one that takes an interruption for a refusal argues with the user. Any
// other cause counts as ErrUserInterrupt.
var (
	// ErrUserInterrupt: the user stopped the turn.
	ErrUserInterrupt = errors.New("interrupted by the user")
	// ErrNewMessage: the user sent a message. Calls that have begun end as
	// their tool's [Interrupt] says; the others are not run.
	ErrNewMessage = errors.New("the user sent a new message")
	// ErrSiblingFailed: another call of the batch failed, see
	// [Executor].CancelSiblings.
	ErrSiblingFailed = errors.New("a call beside it failed")
)

// ErrStored is why [Call.Keep] does not store what comes from the store.
var ErrStored = errors.New("it is stored already")

// unansweredError is the denial of a call that nobody refused.
type unansweredError struct {
	reason string
	cause  error
}

func (e *unansweredError) Error() string   { return ErrDenied.Error() + ": " + e.reason }
func (e *unansweredError) Unwrap() []error { return []error{ErrDenied, e.cause} }

// class names an error by the sentinel it wraps, without any of its text.
func class(err error) string {
	stage := ""
	var ce *CallError
	if errors.As(err, &ce) {
		stage = string(ce.Stage) + ": "
	}
	for _, e := range []error{ErrUnknownTool, ErrInvalidInput, ErrNoApprover, ErrExpired, ErrDenied, ErrClosed, ErrTimeout, ErrDetached, ErrCancelled, ErrPanic, ErrDuplicate, ErrDeferred} {
		if errors.Is(err, e) {
			return stage + e.Error()
		}
	}
	return stage + "failed"
}

// A Stage is a part of the way a call takes.
type Stage string

// The stages of a call, in order.
const (
	StageAdmit      Stage = "admit"
	StageLookup     Stage = "lookup"
	StageDecode     Stage = "decode"
	StageTargets    Stage = "targets"
	StageValidate   Stage = "validate"
	StageHook       Stage = "hook"
	StagePermission Stage = "permission"
	StageCall       Stage = "call"
	StageResult     Stage = "result"
)

// CallError says where a call failed and why. What the model is told stands in
// the outcome's result.
type CallError struct {
	Tool   string // as the model named it
	CallID string
	Stage  Stage
	Err    error
}

// Error returns the stage, the tool and the cause.
func (e *CallError) Error() string { return string(e.Stage) + " " + e.Tool + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *CallError) Unwrap() error { return e.Err }

// BuildError says what is wrong with a [Definition], or with what [Registry]
// was given.
type BuildError struct {
	Tool  string // may be empty
	Field string // of the Definition
	Err   error
}

// Error returns the tool, the field and the cause.
func (e *BuildError) Error() string {
	name := e.Tool
	if name == "" {
		name = "tool without a name"
	}
	return name + ": " + e.Field + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *BuildError) Unwrap() error { return e.Err }

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

// judge makes the outcome of a call that has returned. What a tool managed to do
// counts, even if it was to be stopped; what it had by then is kept.
func (j *job) judge(result *Result, err, crash error) Outcome {
	switch {
	case crash != nil:
		return j.crashed(crash)
	case err == nil:
		j.stage = StageResult
		return Outcome{Result: j.presentable(result)}
	case j.run.Cause() != nil:
		return j.with(result, j.stopped(j.run.Cause()))
	case errors.Is(err, ErrDeferred):
		return j.fail(&failure{err: err, text: j.call.Name + " has not been answered yet. The answer comes later."})
	}
	text := err.Error()
	if strings.TrimSpace(text) == "" {
		text = j.call.Name + " failed and did not say why. Try something else or tell the user."
	}
	return j.with(result, &failure{err: err, text: text})
}

// detach answers a call that goes on. It keeps its keys until it returns, so
// that nothing it may still touch is touched; who needs them fails at once.
func (j *job) detach(cause error) Outcome {
	name := fmt.Sprintf("%s %s", j.call.Name, describeTargets(j.call.state.targets))
	reason := fmt.Errorf("%w: %s", ErrDetached, name)
	j.ticket.Free()
	j.ticket.Detach(reason)
	claim, s := claimOf(j.call.state.traits, j.call.state.targets), j.batch.pool.session
	j.run.held = s.main().detached.Hold(name, claim, reason)
	j.run.left, j.run.gone = &ending.Item{Name: name, End: j.endLeft}, make(chan struct{})
	if !s.owned.Add(j.run.left) {
		j.run.Cut(ErrClosed)
	}
	j.run.Settle()
	j.batch.emit(Event{Kind: EventDetached, Call: j.call, Text: cause.Error()})
	return j.fail(&failure{
		err: fmt.Errorf("%w: %w", ErrDetached, cause),
		text: fmt.Sprintf("%s goes on in the background: %s. Its result will not be shown; "+
			"look at what it did before you do it again.", j.call.Name, why(cause)),
	})
}

// giveBack gives back what a tool held that was given up and has returned.
func (j *job) giveBack() {
	j.run.Leave()
	j.batch.pool.session.owned.Remove(j.run.left)
	j.run.held.End()
	j.ticket.Done()
	close(j.run.gone)
}

// endLeft ends a call that goes on when its session closes, which names it if it does
// not return. One that was given up because it did not stop had its time.
func (j *job) endLeft(ctx context.Context) error {
	j.run.Cut(ErrClosed)
	if j.run.Cause() == nil {
		select {
		case <-j.run.gone:
		case <-ctx.Done():
		case <-time.After(j.batch.grace):
		}
	}
	return nil
}

// failed reports whether o is a failure of the tool's own, and not one of who stopped it
// or will answer later.
func (j *job) failed(o *Outcome) bool {
	if !o.Result.IsError || j.stage != StageCall && j.stage != StageResult || j.run.held != nil || errors.Is(o.Err, ErrDeferred) {
		return false
	}
	cause := j.run.Cause()
	return cause == nil || errors.Is(cause, ErrTimeout)
}

// siblingFailed stops the others if the batch and the tool want that.
func (b *batch) siblingFailed(i Info) {
	if b.CancelSiblings && i.CancelsSiblings {
		b.halt(fmt.Errorf("%w: %s", ErrSiblingFailed, i.Name))
	}
}

// with is fail for a call that brought part of a result.
func (j *job) with(part *Result, f *failure) Outcome {
	o := j.fail(f)
	if part != nil && !part.empty() {
		o.Result.Parts = append(o.Result.Parts, part.Parts...)
		o.Result.Data = part.Data
	}
	return o
}

// stopped says that a cause ended the call, before it began or in its midst.
func (j *job) stopped(cause error) *failure {
	class, did := ErrCancelled, "was not run"
	if errors.Is(cause, ErrTimeout) {
		class = nil
	}
	if j.stage == StageCall {
		did = "was stopped before it finished; it may have done part of its work"
	}
	err := cause
	if class != nil && !errors.Is(cause, ErrCancelled) {
		err = fmt.Errorf("%w: %w", ErrCancelled, cause)
	}
	return &failure{err: err, text: fmt.Sprintf("%s %s: %s.", j.call.Name, did, why(cause))}
}

// why words a cause for the model, with what to do next.
func why(cause error) string {
	switch {
	case errors.Is(cause, ErrTimeout):
		return "it took too long (" + cause.Error() + "). Do less at once, or give it more time if its input can"
	case errors.Is(cause, ErrNewMessage):
		return "the user sent a new message. Read that first, and repeat the call only if it is still wanted"
	case errors.Is(cause, ErrSiblingFailed):
		return cause.Error() + ". Look at that error first, then repeat this call if it still makes sense"
	case errors.Is(cause, ErrClosed):
		return "the session is closing. Nobody refused the call"
	case errors.Is(cause, context.DeadlineExceeded):
		return "the time for this turn is over. Nobody refused the call"
	case errors.Is(cause, ErrAbandoned):
		return "the reply it belongs to was given up. Nobody refused the call; repeat it if it is still wanted"
	}
	return "the user interrupted the turn. Nobody refused the call; repeat it only if the user wants it"
}
