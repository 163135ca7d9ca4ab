package pegboard

import (
	"context"
	"crypto/rand"
	"time"
)

// A suspendedCall is a call whose outcome wraps ErrSuspended.
type suspendedCall struct {
	job      *job
	question *questionRecord // nil if the call only waits for an earlier one
}

// A suspendedError is the error of a call that was suspended.
type suspendedError struct {
	question *questionRecord
	cause    error // beside the missing answer, or nil
}

func (e *suspendedError) Error() string {
	switch {
	case e.cause != nil:
		return ErrSuspended.Error() + ": " + e.cause.Error()
	case e.question == nil:
		return ErrSuspended.Error() + ": an earlier call waits for an answer"
	}
	return ErrSuspended.Error() + ": question " + e.question.ID
}

// Unwrap says that the call is answered later, as one that a hook has put off.
func (e *suspendedError) Unwrap() []error {
	if e.cause != nil {
		return []error{ErrSuspended, ErrDeferred, e.cause}
	}
	return []error{ErrSuspended, ErrDeferred}
}

// suspend is the failure of a call that waits for an answer, or for an earlier call that does. A
// question that was asked before stays open.
func (j *job) suspend(err *suspendedError) *failure {
	if err.question == nil && j.durable != nil {
		err.question = j.durable.question
	}
	return &failure{err: err, suspended: err, stopTurn: true, text: j.call.Name + " has not run: it waits for an answer of the user."}
}

// finishSuspended publishes the outcome of a call that was suspended. It keeps its place in the
// lane, so that what conflicts with it is suspended, too.
func (j *job) finishSuspended(o Outcome) {
	o.Call, o.Repairs, o.Elapsed = j.call, j.repairs, time.Since(j.admitted)
	if ledger := j.session().ledger; ledger != nil && j.limits != nil {
		ledger.end(&j.limits.spending, 0)
		j.notifyHeld()
	}
	if j.schedule.acquired {
		j.schedule.acquired = false
		_ = j.batch.releaseKeys(j.place, nil) // it has no update that could fail
	}
	j.batch.suspended.Store(true)
	j.schedule.ticket.Abandon(&suspendedError{})
	j.publish(o)
}

// finishRecalled publishes the outcome of a call that has ended before.
func (j *job) finishRecalled(o Outcome) {
	o.Call = j.call
	j.schedule.ticket.Done()
	j.over.Store(true)
	j.batch.publish(j, o)
}

// newQuestionRecord returns the record of a question. It keeps the id of the one that was asked
// before if an answer to that would count.
func (j *job) newQuestionRecord(q *inquiry) *questionRecord {
	r, d := &questionRecord{
		ID: rand.Text(), Tool: j.entry.info.Name, Input: j.call.Input, Targets: recordTargets(q.targets), Reason: q.Reason,
		Definition: j.entry.definitionDigest(), Policy: j.session().grants.inForceAt(j.call.state.place).digest(),
	}, j.durable
	r.Expires = time.Now().Add(d.record.suspending.expiry()).UTC().Truncate(time.Second)
	if before := d.question; before != nil && before.isAbout(r) {
		r.ID, r.Expires = before.ID, before.Expires
	}
	return r
}

// isAnswered reports whether the user has answered a question about the call that is not taken
// yet.
func (j *job) isAnswered() bool { return j.durable != nil && j.durable.answer != nil }

// takeAnswer returns the answer that was given to a suspended question, if it counts for q. A
// refusal always counts. The error says why an answer cannot be applied: the call is suspended
// again.
func (j *job) takeAnswer(ctx context.Context, q *inquiry) (d Decision, ok bool, err error) {
	if !j.isAnswered() {
		return Decision{}, false, nil
	}
	durable := j.durable
	taken := durable.answer
	given := taken.Answer.decision()
	if given.Behavior != Deny && !taken.Question.isAbout(j.newQuestionRecord(q)) {
		return Decision{}, false, nil
	}
	if err := j.waitForAnswers(ctx); err != nil {
		return Decision{}, false, err
	}
	d, err = q.accept(ByPerson, given)
	if err != nil && given.Behavior == Deny { // a denial counts even if its updates cannot be applied
		q.logError(err)
		given.Remember = nil
		d, err = q.accept(ByPerson, given)
	}
	if err != nil {
		return Decision{}, false, &suspendedError{question: taken.Question, cause: err}
	}
	durable.answer, durable.taken = nil, taken
	if unsaved := j.session().grants.save(d.Remember); unsaved != nil {
		q.logError(unsaved)
	}
	if d.StopTurn {
		j.stopTurn()
	}
	return d, true, nil
}

// waitForAnswers waits until the other answers that were given at the same time are taken, since
// they may change the permissions. Those answers are taken in request order.
func (j *job) waitForAnswers(ctx context.Context) error {
	for ctx.Err() == nil {
		held := j.holdForAnswers()
		if held == nil {
			break
		}
		select {
		case <-held:
		case <-ctx.Done():
		}
	}
	return context.Cause(ctx) // nil if it has not ended; an answer taken just now may end the turn
}

// holdForAnswers returns nil if no answer has to be taken before, or a channel that is closed
// when it should be called again. A call that waits for other calls is not waited for.
func (j *job) holdForAnswers() <-chan struct{} {
	b := j.batch
	if !b.resumed {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, other := range b.jobs {
		if other == j || !other.durable.isFresh() || j.durable.isFresh() && other.place > j.place || other.order.decided.Load() {
			continue
		}
		changed := other.order.watch() // before the check, so that no change after it is missed
		if other.mayAskSoon() {
			return changed
		}
	}
	return nil
}
