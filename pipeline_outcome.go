package pegboard

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/lock"
	"github.com/seed49eaa51d/pegboard/policy"
)

// A failure says why a stage ends a call.
type failure struct {
	err  error  // for the host
	text string // for the model: the problem and the next step

	stopTurn bool // no tool can run any more in this turn

	suspended *suspendedError // nil if the call has ended
}

// fail makes the outcome of a call that ends at its present stage.
func (j *job) fail(f *failure) Outcome {
	o := Outcome{
		Result: &Result{Parts: []Part{{Text: f.text}}, IsError: true},
		Err:    &CallError{Tool: j.call.ToolName(), CallID: j.call.ID, Stage: j.stage, Err: f.err},

		StopTurn: f.stopTurn,
	}
	if f.suspended != nil {
		o.suspended = &suspendedCall{j, f.suspended.question}
	}
	return o
}

// failWithPartial is fail for a call that returned a partial result. It drops what a result
// does besides: the call has failed, so it neither changes the session nor adds messages.
func (j *job) failWithPartial(part *Result, f *failure) Outcome {
	o := j.fail(f)
	if part != nil && !part.empty() {
		o.Result.Parts = append(o.Result.Parts, part.Parts...)
		o.Result.Data, o.Result.Diffs = part.Data, part.Diffs
	}
	return o
}

// outcomeOf turns a tool's return values into an outcome. A call that was stopped has
// failed, whatever its tool returned; the result is kept, as is a partial result beside an
// error.
func (j *job) outcomeOf(result *Result, err, crash error) Outcome {
	cause := j.stoppedBy(err)
	switch {
	case crash != nil:
		return j.fail(j.crash(crash))
	case err == nil && cause == nil:
		j.stage = StageResult
		var outputErr error
		j.foreign("the encoding of the result's data", func() { outputErr = j.checkOutput(result) })
		return Outcome{Result: j.nonEmpty(result), OutputErr: outputErr}
	case err == nil:
		return j.stoppedWithResult(result, cause)
	case cause != nil:
		return j.failWithPartial(result, j.stopped(cause))
	case bindErrorIn(err) != nil: // where Invoke has decoded the input again
		return j.fail(j.unbound(bindErrorIn(err)))
	case errors.Is(err, ErrDeferred):
		return j.fail(&failure{err: err, text: j.call.Name + " has not been answered yet. The answer comes later."})
	}
	text := err.Error()
	if strings.TrimSpace(text) == "" {
		text = j.call.Name + " failed and did not say why. Try something else or tell the user."
	}
	if !errors.Is(err, ErrDenied) { // by Call.Check
		err = &toolError{err}
	}
	return j.failWithPartial(result, &failure{err: err, text: text})
}

// checkOutput holds the data of a successful result against the tool's output schema. It
// logs that there is an error, but not the error, which may quote the data.
func (j *job) checkOutput(r *Result) error {
	var data any
	if r != nil && r.IsError {
		return nil
	} else if r != nil {
		data = r.Data
	}
	err := j.entry.output.check(data)
	if err == nil {
		return nil
	}
	j.batch.exec.logError("output does not fit the tool's schema", ErrInvalidOutput, "tool", j.call.Name, "call", j.call.ID)
	return &CallError{Tool: j.call.Name, CallID: j.call.ID, Stage: j.stage, Err: fmt.Errorf("%w: %w", ErrInvalidOutput, err)}
}

// nonEmpty adds a text to a result that shows the model nothing: some models stop at an
// empty result.
func (j *job) nonEmpty(r *Result) *Result {
	if r == nil {
		r = &Result{}
	}
	if r.empty() {
		marked := *r
		if marked.Data == nil && marked.Value == nil && j.batch.parent != nil {
			marked.Value = "" // the text below is for the model
		}
		marked.Parts = []Part{{Text: fmt.Sprintf("(%s ran and returned nothing)", j.call.Name)}}
		return &marked
	}
	return r
}

// fitResult returns r within the session's limits. Text that is too long is stored and
// replaced by a preview. The results of calls that a call made are not sent to the model,
// and stay as they are.
func (j *job) fitResult(ctx context.Context, r *Result) *Result {
	c, info := j.call, j.call.state.info()
	if j.batch.parent != nil {
		return r
	}
	if info == nil { // the tool was not found
		info = &Info{}
	}
	limit := c.state.session.results.limits.maxResult(info, r.IsError)
	if !exceeds(r.Parts, limit) && !exceeds(r.Messages, limit) && !hasImage(r.Parts) && !hasImage(r.Messages) {
		return r
	}
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	fitted := *r
	fitted.Parts, fitted.Messages = c.fitParts(ctx, r.Parts, limit, r.IsError), c.fitParts(ctx, r.Messages, limit, false)
	stored := slices.ContainsFunc(fitted.Parts, func(p Part) bool { return p.Ref != "" })
	if text, ok := r.Data.(string); ok && stored && text == r.Text() { // the same text is in the store
		fitted.Data = nil
	}
	return &fitted
}

// fitMessages returns messages within the session's limits, as [job.fitResult].
func (j *job) fitMessages(ctx context.Context, messages []Part) []Part {
	return j.fitResult(ctx, &Result{Messages: messages}).Messages
}

// unbound is the failure of a call whose input could not be completed with the host's bound
// values. The model learns neither the values nor the properties. The error is logged, too.
func (j *job) unbound(err *BindError) *failure {
	j.batch.logCrash(j.call, j.stage, err)
	text := "The program that runs the tools could not add what it adds to every input. The input is not at fault: " +
		"do not repeat the call; use another way or tell the user."
	if err.Property == "" {
		text = "Its input does not go together with what the program that runs the tools adds to it. Try another input, or tell the user."
	}
	return &failure{err: err, text: fmt.Sprintf("%s was not run. %s", j.call.Name, text)}
}

// denied is the failure of a call that was refused.
func (j *job) denied(d policy.Decision) *failure {
	next := "Do not try the same by other means; do something else or tell the user."
	switch {
	case d.StopTurn:
		next = "The user wants you to stop here."
	case d.By == policy.ByPerson && j.entry.info.RequiresUser: // a plan or a question, and not a permission
		next = "That is the user's answer: act on it, and do not get round it by other means."
	}
	return &failure{err: fmt.Errorf("%w: %s", ErrDenied, d.Reason), text: fmt.Sprintf("%s was denied: %s %s", j.call.Name, sentence(d.Reason), next)}
}

// unanswered is the failure of a call that had to be asked about and got no answer, or
// whose answer a hook has put off.
func (j *job) unanswered(ctx context.Context, d policy.Decision, err error) *failure {
	if f := j.mustStop(ctx); f != nil {
		return f
	}
	if deferred := (*deferredAnswerError)(nil); errors.As(err, &deferred) {
		return j.deferredCall(deferred.error)
	}
	if suspended := (*suspendedError)(nil); errors.As(err, &suspended) {
		return j.suspend(suspended)
	}
	d = policy.Decision{Behavior: policy.Deny, By: policy.ByNobody, Rule: d.Rule, Reason: unansweredReason(j.call, d, j.call.state.targets, err)}
	j.recordDecision(d)
	return &failure{err: &unansweredError{d.Reason, err},
		text: fmt.Sprintf("%s was denied: %s No person refused it; do something else or tell the user what is needed.", j.call.Name, sentence(d.Reason))}
}

// mustStop returns the failure of a call that may not go on: the end of ctx or a stop of all calls
// of the message has ended it. It is nil while the call may go on.
func (j *job) mustStop(ctx context.Context) *failure {
	if ctx.Err() != nil {
		return j.stopped(context.Cause(ctx))
	}
	if cause := j.batch.stopCause(); cause != nil {
		return j.stopped(cause)
	}
	return nil
}

// stopped is the failure of a call that a cause ended, before or while it ran.
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
	return &failure{err: err, text: fmt.Sprintf("%s %s: %s", j.call.Name, did, sentence(causeText(cause)))}
}

// stoppedWithResult is the outcome of a call that was stopped, and whose tool then
// returned a result: of a part of its work, or of all of it.
func (j *job) stoppedWithResult(result *Result, cause error) Outcome {
	f := j.stopped(cause)
	if result != nil && !result.empty() {
		f.text = fmt.Sprintf("%s was stopped while it ran: %s. It returned this:", j.call.Name, causeText(cause))
	}
	return j.failWithPartial(result, f)
}

// causeText words the cause of a stop for the model. Most texts also say how to go on.
func causeText(cause error) string {
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
	case errors.Is(cause, ErrUserInterrupt):
		return "the user interrupted the turn. Nobody refused the call; repeat it only if the user wants it"
	case errors.Is(cause, context.Canceled):
		return "the program stopped the turn. Nobody refused the call; repeat it if it is still wanted"
	}
	return "the program stopped it (" + OneLine(cause.Error()) + "). Nobody refused the call; repeat it if it is still wanted"
}

// cutOff is the failure of a call whose message did not end as it should.
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

// crash is the failure of a call whose goroutine panicked or ended in a stage. It also
// logs the error.
func (j *job) crash(err error) *failure {
	j.batch.logCrash(j.call, j.stage, err)
	return &failure{
		err: crashError(err),
		text: fmt.Sprintf("%s failed inside, at the stage %s. The program is at fault, not the input: "+
			"do not repeat the call; use another way or tell the user.", j.call.Name, j.stage),
	}
}

// addUpdateCrash makes o the outcome of a call whose Result.UpdateSession crashed: the
// tool ran, but the session is not as its result says.
func (j *job) addUpdateCrash(o *Outcome, crash error) {
	err := fmt.Errorf("Result.UpdateSession: %w", crashError(crash))
	if before := (*CallError)(nil); errors.As(o.Err, &before) {
		err = errors.Join(before.Err, err)
	}
	o.Err = &CallError{Tool: j.call.ToolName(), CallID: j.call.ID, Stage: StageResult, Err: err}
	r := *o.Result
	r.IsError = true
	r.Parts = append(slices.Clip(r.Parts), Part{Text: fmt.Sprintf("%s ran, but it failed inside when it changed the session, which may be as it was before. "+
		"The program is at fault, not the input: do not repeat the call; tell the user.", j.call.Name)})
	o.Result = &r
}

// failedByItself reports whether o is a failure of the tool: not a stop, and not a call
// that is answered later.
func (j *job) failedByItself(o *Outcome) bool {
	if !o.Result.IsError || !j.ran() || j.run.isAbandoned() || errors.Is(o.Err, ErrDeferred) {
		return false
	}
	cause := j.run.Cause()
	return cause == nil || errors.Is(cause, ErrTimeout)
}

// comparable returns the text of a result that the loop breaker compares: without the
// names of stored results, so that equal previews are equal.
func (j *job) comparable(r *Result) string {
	text := r.Text()
	for i := range r.Parts {
		if ref := r.Parts[i].Ref; ref != "" {
			text = strings.ReplaceAll(text, ref, "")
		}
	}
	return text
}

// sentence ends a text with a period, unless it has an end. What a person or a hook has
// written may have one.
func sentence(text string) string {
	text = strings.TrimRight(text, " \n")
	if strings.HasSuffix(text, ".") || strings.HasSuffix(text, "!") || strings.HasSuffix(text, "?") {
		return text
	}
	return text + "."
}

// maxProgress is how many events of progress a call may emit in a second. A person reads
// no more, and a host may redraw its screen for each.
const maxProgress = 10

// A progress is what one call of [Call.EmitData] reports.
type progress struct {
	text string
	data any
}

// A progressLimit holds back the progress that a call reports too often. Only the
// last one held back is emitted: when the second is over, or when the call ends.
type progressLimit struct {
	mu     lock.Mutex // guards the fields below, also while an event is queued
	begun  time.Time  // of the present second
	count  int        // events in it
	call   *Call      // of the progress that is held back, or nil
	held   progress
	timer  *time.Timer // emits held; nil if no progress is held back
	closed bool
}

// emitProgress implements [Call.EmitData].
func (j *job) emitProgress(c *Call, p progress) {
	if j.progress == nil {
		return
	}
	j.queueProgress(c, p)
	j.batch.events.flush()
}

func (j *job) queueProgress(c *Call, p progress) {
	l := j.progress
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	switch left := l.begun.Add(time.Second).Sub(now); {
	case l.closed:
	case left <= 0:
		l.dropHeld()
		l.begun, l.count = now, 1
		j.queueUnlessOver(p.event(c))
	case l.count < maxProgress:
		l.count++
		j.queueUnlessOver(p.event(c))
	default:
		l.call, l.held = c, p
		if l.timer == nil {
			l.timer = time.AfterFunc(left, func() { j.emitHeldProgress(false) })
		}
	}
}

func (p progress) event(c *Call) Event {
	return Event{Kind: EventProgress, Call: c, Text: p.text, Data: p.data}
}

// dropHeld forgets the progress that is held back. The caller holds mu.
func (l *progressLimit) dropHeld() {
	if l.timer != nil {
		l.timer.Stop()
	}
	l.call, l.held, l.timer = nil, progress{}, nil
}

// emitHeldProgress emits the progress that is held back, if there is one. After the last one
// of a call nothing is emitted any more.
func (j *job) emitHeldProgress(last bool) {
	if j.progress == nil {
		return
	}
	j.queueHeldProgress(last)
	j.batch.events.flush()
}

func (j *job) queueHeldProgress(last bool) {
	l := j.progress
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.call != nil {
		j.queueUnlessOver(l.held.event(l.call))
		l.begun, l.count = time.Now(), 1
	}
	l.dropHeld()
	l.closed = l.closed || last
}
