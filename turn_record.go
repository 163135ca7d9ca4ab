package pegboard

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// A turnRecord keeps the steps of the calls of one message.
type turnRecord struct {
	suspending    *Suspending
	seal          seal
	session, turn string
	past          map[int]*callPast // by place; never written to
	err           error             // why the journal could not be read
}

// A callPast has the steps of a call that the journal knows.
type callPast struct {
	digest     string         // of the call, if it was proposed
	decided    *decidedRecord // the last one
	decisions  int            // how many of them
	closed     []string       // ids of questions whose answers were taken
	started    int            // how often
	repeatable bool           // the call that was started changes nothing when it runs again
	finished   *outcomeRecord
}

// The data of journal entries.
type (
	proposedRecord struct {
		Call string `json:"call"` // digest of id, name and input
	}
	decidedRecord struct {
		Behavior Behavior        `json:"behavior"`
		Question *questionRecord `json:"question,omitempty"` // that was answered
		Answer   *decisionRecord `json:"answer,omitempty"`   // as it was given
	}
	startedRecord struct {
		Repeatable bool `json:"repeatable,omitempty"`
	}
)

// newTurnRecord returns the record of a message. An empty name means a new one.
func newTurnRecord(ctx context.Context, s *Session, name string) *turnRecord {
	r := &turnRecord{suspending: s.cfg.Suspend, seal: seal{s.cfg.Suspend.Key}, session: s.cfg.ID, turn: name}
	if name == "" {
		r.turn = rand.Text()
		return r
	}
	r.past, r.err = r.read(ctx)
	return r
}

// read returns the steps of the calls that the journal knows.
func (r *turnRecord) read(ctx context.Context) (map[int]*callPast, error) {
	entries, err := r.suspending.Journal.Entries(ctx, r.session, r.turn)
	if err != nil {
		return nil, journalError(err)
	}
	past := map[int]*callPast{}
	for _, e := range entries {
		if e.Session != r.session || e.Turn != r.turn || !r.seal.verifies(e.Signature, sealedEntry, e.signed()...) {
			return nil, fmt.Errorf("%w: the journal entry %s of the call at place %d", ErrAltered, e.State, e.Place)
		}
		if past[e.Place] == nil {
			past[e.Place] = &callPast{}
		}
		if err := past[e.Place].add(&e); err != nil {
			return nil, journalError(fmt.Errorf("the entry %s of the call at place %d: %w", e.State, e.Place, err))
		}
	}
	return past, nil
}

func (p *callPast) add(e *JournalEntry) error {
	switch e.State {
	case JournalProposed:
		var d proposedRecord
		err := json.Unmarshal(e.Data, &d)
		p.digest = d.Call
		return err
	case JournalDecided:
		p.decided = &decidedRecord{}
		p.decisions++
		err := json.Unmarshal(e.Data, p.decided)
		if q := p.decided.Question; q != nil {
			p.closed = append(p.closed, q.ID)
		}
		return err
	case JournalStarted:
		var d startedRecord
		err := json.Unmarshal(e.Data, &d)
		p.started, p.repeatable = max(p.started, e.Attempt), d.Repeatable
		return err
	case JournalFinished:
		p.finished = &outcomeRecord{}
		err := json.Unmarshal(e.Data, p.finished)
		if p.finished.Question != "" {
			p.closed = append(p.closed, p.finished.Question)
		}
		return err
	}
	return errors.New("a later version of this library has written it")
}

// call returns the known state of the call at a place.
func (r *turnRecord) call(place int) *durableCall {
	d := &durableCall{record: r}
	if past := r.past[place]; past != nil {
		d.past, d.outcome = *past, past.finished
	}
	if before := d.past.decided; before != nil && before.Answer != nil {
		d.answer, d.question = before, before.Question
	}
	return d
}

// append adds an entry of a call to the journal.
func (r *turnRecord) append(ctx context.Context, place int, c *Call, state JournalState, attempt int, data any) error {
	text, err := json.Marshal(data)
	if err != nil {
		return journalError(err)
	}
	e := JournalEntry{Session: r.session, Turn: r.turn, Place: place, CallID: c.ID, Tool: c.Name, State: state, Attempt: attempt,
		Time: time.Now().UTC().Round(0), Data: text}
	e.Signature = r.seal.sign(sealedEntry, e.signed()...)
	return journalError(r.suspending.Journal.Append(ctx, e))
}

// journalError returns err as one that wraps ErrJournal, or ErrDuplicate if another process has
// added the same step.
func journalError(err error) error {
	if err == nil || errors.Is(err, ErrJournal) || errors.Is(err, ErrDuplicate) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrJournal, err)
}

// digestOfCall identifies a call: its id, name and bytes.
func digestOfCall(c *Call) string {
	text, _ := json.Marshal([]string{c.ID, c.Name, digestOf(c.Input)}) // strings have no error
	return digestOf(text)
}
