package pegboard

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// denied words a refusal, and ends the turn if that was asked for.
func (j *job) denied(d Decision) *failure {
	next := "Do not try the same by other means; do something else or tell the user."
	if d.StopTurn {
		next = "The user wants you to stop here."
	}
	return &failure{err: fmt.Errorf("%w: %s", ErrDenied, d.Reason), text: fmt.Sprintf("%s was denied: %s. %s", j.call.Name, d.Reason, next)}
}

// unanswered is the denial of a call that had to be asked about.
func (j *job) unanswered(ctx context.Context, d Decision, err error) *failure {
	if ctx.Err() != nil {
		return j.stopped(context.Cause(ctx))
	}
	d = Decision{Behavior: Deny, By: ByNobody, Rule: d.Rule, Reason: j.call.unanswered(d, j.call.state.targets, err)}
	j.decide(d)
	return &failure{err: &unansweredError{d.Reason, err},
		text: fmt.Sprintf("%s was denied: %s. No person refused it; do something else or tell the user what is needed.", j.call.Name, d.Reason)}
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
	var p *goroutine.PanicError
	if errors.As(err, &p) {
		attrs = append(attrs, "stack", string(p.Stack))
	}
	_ = goroutine.Try(func() error { b.Logger.Error("call crashed", attrs...); return nil }) // a broken handler loses its line, not the call
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

// cutOff answers a call of a message that did not end as it should.
func (j *job) cutOff() *failure {
	next := "Send it again, as a smaller call if the output limit was reached"
	if !j.late && j.batch.reason == FinishFilter {
		next = "Do not send the same again"
	}
	return &failure{
		err:  fmt.Errorf("%w: the message was cut off", ErrCancelled),
		text: fmt.Sprintf("%s was not run: the message it came in was cut off. %s.", j.call.Name, next),
	}
}

// presentable makes sure that the model is told something: some stop at an
// empty result.
func (j *job) presentable(r *Result) *Result {
	if r == nil {
		r = &Result{}
	}
	if r.empty() {
		marked := *r
		marked.Parts = []Part{{Text: fmt.Sprintf("(%s ran and returned nothing)", j.call.Name)}}
		return &marked
	}
	return r
}
