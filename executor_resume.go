package pegboard

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

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
