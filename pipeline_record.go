package pegboard

import (
	"errors"
	"fmt"
)

// recall returns the outcome of a call that needs no further stage: it has finished before, or
// its outcome cannot be known. Otherwise it writes that the call was proposed.
func (j *job) recall() (o Outcome, ended bool) {
	d := j.durable
	if d == nil {
		return Outcome{}, false
	}
	digest := digestOfCall(j.call)
	switch {
	case d.record.err != nil:
		return j.fail(j.notRecorded(d.record.err)), true
	case d.past.digest != "" && d.past.digest != digest:
		j.durable = nil // the journal is that of another call
		return j.fail(&failure{err: fmt.Errorf("%w: the journal has another call at this place of the turn %q", ErrAltered, d.record.turn),
			text: fmt.Sprintf("%s was not run: the record of this turn is about another call. The program is at fault: tell the user.", j.call.Name)}), true
	case d.outcome != nil:
		return j.recorded(d.outcome), true
	case d.past.started > 0 && !d.past.repeatable:
		_ = j.lookup() // for the hooks after the call
		return j.fail(j.outcomeUnknown()), true
	case d.past.digest != "":
		return Outcome{}, false
	}
	if err := d.record.append(&j.batch.uncancelled, j.place, j.call, JournalProposed, 0, proposedRecord{digest}); err != nil {
		return j.fail(j.notRecorded(err)), true
	}
	return Outcome{}, false
}

// recorded returns an outcome of an earlier process.
func (j *job) recorded(r *outcomeRecord) Outcome {
	j.recalled = true
	_ = j.lookup() // a tool that is gone has no title
	s := j.nextSnapshot()
	if r.Input != nil {
		s.Input = r.Input
	}
	if j.entry != nil {
		s.st.info = &j.entry.info
	}
	o := r.outcome(j.call.ID)
	if r.SameAs != nil && *r.SameAs >= 0 && *r.SameAs < j.place {
		o.SameAs = &j.batch.admitted()[*r.SameAs].snapshots.first[0].Call
	}
	j.outcome.Decision, j.repairs = o.Decision, o.Repairs
	return o
}

// recordDecided writes the final decision.
func (j *job) recordDecided(decision Decision) *failure {
	d := j.durable
	if d == nil || d.past.decisions > 0 && (d.taken == nil || !d.fresh) {
		return nil
	}
	made := decidedRecord{}
	if d.taken != nil {
		made = *d.taken
	}
	made.Behavior = decision.Behavior
	return j.recordStep(JournalDecided, d.past.decisions, made)
}

// recordStarted writes that the tool is called next. A call that was started before runs again
// if that changes nothing more.
func (j *job) recordStarted() *failure {
	d := j.durable
	if d == nil {
		return nil
	}
	tr := &j.call.state.traits
	repeatable := tr.ReadOnly || tr.Idempotent
	if d.past.started > 0 && !repeatable {
		return j.outcomeUnknown()
	}
	return j.recordStep(JournalStarted, d.past.started+1, startedRecord{repeatable})
}

func (j *job) recordStep(state JournalState, attempt int, data any) *failure {
	d := j.durable
	if err := d.record.append(&j.batch.uncancelled, j.place, j.call, state, attempt, data); err != nil {
		return j.notRecorded(err)
	}
	return nil
}

// recordFinished writes the outcome. If another process was faster, its outcome counts. If it
// cannot be written, the outcome counts here all the same: the tool has run.
func (j *job) recordFinished(o *Outcome) {
	d := j.durable
	if d == nil {
		return
	}
	err := d.record.append(&j.batch.uncancelled, j.place, j.call, JournalFinished, 0, j.outcomeRecord(o))
	if errors.Is(err, ErrDuplicate) {
		var past map[int]*callPast
		if past, err = d.record.read(&j.batch.uncancelled); err == nil && past[j.place] != nil && past[j.place].finished != nil {
			theirs := past[j.place].finished.outcome(j.call.ID)
			theirs.Call = o.Call
			*o = theirs
			return
		}
	}
	if err != nil {
		j.batch.exec.logError("the outcome of a call was not recorded", err, "tool", j.call.ToolName(), "call", j.call.ID)
	}
}

// outcomeRecord returns the record of an outcome of the call.
func (j *job) outcomeRecord(o *Outcome) *outcomeRecord {
	r := recordOutcome(o, j.snapshots.first[0].Input)
	if same := j.sameAs; same != nil {
		r.SameAs = &same.place
	} else if j.durable != nil && j.durable.outcome != nil {
		r.SameAs = j.durable.outcome.SameAs
	}
	if d := j.durable; d != nil && d.taken != nil {
		r.Question = d.taken.Question.ID
	} else if d != nil && d.fresh { // the answer refuses a call that got nowhere
		r.Question = d.question.ID
	}
	return r
}

// outcomeUnknown is the failure of a call that an earlier process has started, and that may have
// done its work or not.
func (j *job) outcomeUnknown() *failure {
	j.stage = StageCall
	return &failure{err: ErrOutcomeUnknown, text: fmt.Sprintf("%s was started, and the program ended before it had a result. It may have done its work, a part of it, or nothing. "+
		"It was not run again. Look at what it did before you repeat it.", j.call.Name)}
}

// notRecorded is the failure of a call whose next step could not be written. It stays suspended.
func (j *job) notRecorded(err error) *failure {
	return j.suspend(&suspendedError{cause: err})
}

// isRecorded reports whether the call has finished in an earlier process.
func (j *job) isRecorded() bool { return j.durable != nil && j.durable.outcome != nil }
