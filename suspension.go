package pegboard

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/asking"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
	"github.com/seed49eaa51d/pegboard/policy"
)

// The errors of [Executor.Resume], beside [ErrExpired] for a value whose questions can no
// longer be answered, [ErrQuestionClosed] for an answer to a question that was answered before,
// [ErrUnknownTool] for a tool that the pool does not have any more, [ErrInvalidInput] for an
// answer with an input that the tool cannot read, and [ErrJournal]. After each of them nothing
// has run.
var (
	// ErrAltered: a [Suspension] or an entry of a journal is not as it was written, or was
	// signed with another key.
	ErrAltered = errors.New("altered since it was written")
	// ErrOtherSession: the value is that of a session with another id.
	ErrOtherSession = errors.New("the value is that of another session")
	// ErrSuspensionVersion: a version of this library that is not this one has written the value.
	ErrSuspensionVersion = errors.New("a suspension of an unknown version")
	// ErrUnknownQuestion: the value has no question with that id.
	ErrUnknownQuestion = errors.New("no such question")
)

// suspensionVersion is the version of the JSON of a [Suspension].
const suspensionVersion = 1

// A Suspension is a message of the model whose calls wait for answers, for another process and
// another day. [Session.Suspension] makes it, encoding/json saves and loads it, and
// [Executor.Resume] goes on with it. Its JSON has the calls with their exact bytes, and the
// results of those that have run: it is as confidential as the conversation.
//
// The fields are for the host to read. What it changes in them has no effect: the rest, and a
// signature of all, is in the JSON. Save the JSON as text or bytes. A column that reorders the
// members of objects alters it.
type Suspension struct {
	Session   string              // SessionConfig.ID
	Turn      string              // the name of the message, see WithTurn
	Expires   time.Time           // when the first of Questions expires; zero without any
	Questions []SuspendedQuestion // those without an answer, in request order

	text []byte // the payload as it is signed
	sum  string // its signature
}

// A SuspendedQuestion is a question of a [Suspension].
type SuspendedQuestion struct {
	ID      string // for Executor.Resume; no other question has it
	CallID  string
	Tool    string          // the name of the tool in the pool
	Input   json.RawMessage // that the question is about; hooks or a repair may have changed the model's
	Targets []policy.Target // that the answer is about, resolved
	Reason  string          // why it is asked
	// Suggestions are updates that the answer could remember, see [Question.Suggestions].
	Suggestions [][]policy.Update
	Expires     time.Time
}

// A suspendedTurn is the payload of a [Suspension].
type suspendedTurn struct {
	Session string       `json:"session"`
	Turn    string       `json:"turn"`
	Calls   []callRecord `json:"calls"`
}

// A callRecord is a call of a suspended turn. It has an outcome, or is suspended; then it has a
// question unless it only waits for an earlier call.
type callRecord struct {
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Input    []byte          `json:"input"`            // as the model wrote it
	Forced   *decisionRecord `json:"forced,omitempty"` // see ForceDecision
	Loop     string          `json:"loop,omitempty"`   // why the loop breaker wants the user
	Question *questionRecord `json:"question,omitempty"`
	Outcome  *outcomeRecord  `json:"outcome,omitempty"`
}

// call returns the call that c is the record of.
func (c *callRecord) call() *Call {
	made := Call{ID: c.ID, Name: c.Name, Input: c.Input}
	if f := c.Forced; f != nil {
		made = ForceDecision(made, f.Behavior, f.Reason)
	}
	return &made
}

// A questionRecord is a question of a suspended turn, with the facts that an answer is bound to.
type questionRecord struct {
	ID          string            `json:"id"`
	Tool        string            `json:"tool"`
	Input       []byte            `json:"input"`
	Targets     []targetRecord    `json:"targets,omitempty"`
	Reason      string            `json:"reason,omitempty"`
	Suggestions [][]policy.Update `json:"suggestions,omitempty"`
	Definition  string            `json:"definition"` // digest of the definition of the tool
	Policy      string            `json:"policy"`     // digest of the permissions
	Expires     time.Time         `json:"expires"`
	Signature   string            `json:"signature"`
}

// A targetRecord is a resolved target.
type targetRecord struct {
	Kind      policy.Kind   `json:"kind"`
	Access    policy.Access `json:"access"`
	Value     string        `json:"value,omitempty"`
	Real      string        `json:"real,omitempty"`
	Tree      bool          `json:"tree,omitempty"`
	Aliases   []string      `json:"aliases,omitempty"`
	AskReason string        `json:"askReason,omitempty"`
}

func recordTargets(ts []policy.Target) (records []targetRecord) {
	for _, t := range ts {
		records = append(records, targetRecord{t.Kind, t.Access, t.Value, t.Real(), t.Tree, slices.Clip(t.Aliases), t.AskReason})
	}
	return records
}

// signed returns the content that the signature of a question covers.
func (q *questionRecord) signed(turn *suspendedTurn, place int) []any {
	targets, _ := json.Marshal(q.Targets) // strings and numbers have no error
	return []any{q.ID, turn.Calls[place].ID, place, q.Tool, digestOfJSON(q.Input), digestOf(targets), q.Definition,
		turn.Session, turn.Turn, q.Policy, q.Expires.UTC().Format(time.RFC3339Nano)}
}

// isAbout reports whether an answer to q is one to o, which is asked later: it is the same tool
// with the same definition, the same input and the same targets. Why it is asked may differ.
func (q *questionRecord) isAbout(o *questionRecord) bool {
	same := func(t, u targetRecord) bool {
		return t.Kind == u.Kind && t.Access == u.Access && t.Value == u.Value && t.Real == u.Real && t.Tree == u.Tree && slices.Equal(t.Aliases, u.Aliases)
	}
	return q.Tool == o.Tool && q.Definition == o.Definition && digestOfJSON(q.Input) == digestOfJSON(o.Input) && slices.EqualFunc(q.Targets, o.Targets, same)
}

// digestOfJSON returns the digest of a value, whatever the order of its keys, its space and its
// escapes.
func digestOfJSON(text []byte) string {
	if v, err := strictjson.Decode(text, strictjson.Limits{}); err == nil {
		text, _ = json.Marshal(v) // a decoded value has no error; the keys are sorted
	}
	return digestOf(text)
}

// newSuspension returns the value of a turn.
func newSuspension(turn *suspendedTurn, s seal) (*Suspension, error) {
	text, err := json.Marshal(turn)
	if err != nil {
		return nil, fmt.Errorf("suspension: %w", err)
	}
	v := &Suspension{text: text, sum: s.sign(sealedSuspension, suspensionVersion, digestOf(text))}
	v.read(turn)
	return v, nil
}

// read fills the exported fields.
func (v *Suspension) read(turn *suspendedTurn) {
	v.Session, v.Turn, v.Questions, v.Expires = turn.Session, turn.Turn, nil, time.Time{}
	for _, c := range turn.Calls {
		q := c.Question
		if q == nil || c.Outcome != nil {
			continue
		}
		open := SuspendedQuestion{ID: q.ID, CallID: c.ID, Tool: q.Tool, Input: slices.Clone(q.Input), Reason: q.Reason, Suggestions: q.Suggestions, Expires: q.Expires}
		for _, t := range q.Targets {
			open.Targets = append(open.Targets, policy.Target{Kind: t.Kind, Access: t.Access, Value: t.Value, Tree: t.Tree, Aliases: t.Aliases, AskReason: t.AskReason})
		}
		v.Questions = append(v.Questions, open)
		if v.Expires.IsZero() || q.Expires.Before(v.Expires) {
			v.Expires = q.Expires
		}
	}
}

// suspensionFormat spells a Suspension. There is one spelling for a value.
const suspensionFormat = `{"version":%d,"turn":%s,"signature":"%s"}`

// MarshalJSON implements [json.Marshaler]. It fails for a Suspension that was not made by
// [Session.Suspension] or loaded.
func (v Suspension) MarshalJSON() ([]byte, error) {
	if v.text == nil {
		return nil, errors.New("a zero Suspension has no JSON")
	}
	return fmt.Appendf(nil, suspensionFormat, suspensionVersion, v.text, v.sum), nil
}

// UnmarshalJSON implements [json.Unmarshaler]. It refuses every text but the one that
// MarshalJSON has made, with or without space between its tokens; the error wraps [ErrAltered].
// A version that this library does not know is an error that wraps [ErrSuspensionVersion]. It
// cannot check the signature, which [Executor.Resume] does.
func (v *Suspension) UnmarshalJSON(text []byte) error {
	var compact bytes.Buffer
	if err := json.Compact(&compact, text); err != nil {
		return fmt.Errorf("%w: %w", ErrAltered, err)
	}
	var outer struct {
		Version   int             `json:"version"`
		Turn      json.RawMessage `json:"turn"`
		Signature string          `json:"signature"`
	}
	if err := json.Unmarshal(compact.Bytes(), &outer); err != nil {
		return fmt.Errorf("%w: %w", ErrAltered, err)
	}
	if outer.Version != suspensionVersion {
		return fmt.Errorf("%w: %d; this library reads version %d", ErrSuspensionVersion, outer.Version, suspensionVersion)
	}
	read := Suspension{text: slices.Clone(outer.Turn), sum: outer.Signature}
	var turn suspendedTurn
	if err := json.Unmarshal(read.text, &turn); err != nil {
		return fmt.Errorf("%w: %w", ErrAltered, err)
	}
	if again, err := read.MarshalJSON(); err != nil || !bytes.Equal(again, compact.Bytes()) {
		return fmt.Errorf("%w: its spelling is another one", ErrAltered)
	}
	read.read(&turn)
	*v = read
	return nil
}

// open returns the turn of v, if a session with that seal has made v.
func (v *Suspension) open(s seal, session string) (*suspendedTurn, error) {
	if v == nil || v.text == nil {
		return nil, fmt.Errorf("%w: the suspension is empty; load what json.Marshal has made of one of Session.Suspension", ErrAltered)
	}
	if !s.verifies(v.sum, sealedSuspension, suspensionVersion, digestOf(v.text)) {
		return nil, fmt.Errorf("%w: the signature of the suspension is wrong: its text was changed, or Suspending.Key is another one", ErrAltered)
	}
	turn := new(suspendedTurn)
	if err := json.Unmarshal(v.text, turn); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAltered, err)
	}
	if turn.Session != session {
		return nil, fmt.Errorf("%w: it is of %q, and this one is %q", ErrOtherSession, turn.Session, session)
	}
	for place, c := range turn.Calls {
		if q := c.Question; q != nil && !s.verifies(q.Signature, sealedQuestion, q.signed(turn, place)...) {
			return nil, fmt.Errorf("%w: the signature of question %s is wrong", ErrAltered, q.ID)
		}
	}
	return turn, nil
}

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
func (e *Executor) Resume(ctx context.Context, p *Pool, v *Suspension, answers map[string]policy.Decision) ([]Outcome, error) {
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
	answers map[string]policy.Decision
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
	if d.Behavior != policy.Allow && d.Behavior != policy.Deny {
		return fmt.Errorf("the answer to question %s is %v, neither allow nor deny", id, d.Behavior)
	}
	if d.Behavior != policy.Allow || d.Input == nil {
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
	if _, ok := r.pool.lookup(r.turn.Calls[place].Name); !ok && r.answers[q.ID].Behavior != policy.Deny {
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
		jobs[place].durable, jobs[place].loop.reason = d, c.Loop
		calls = append(calls, *c.call())
	}
	return calls
}

// Suspension returns the value of a message whose calls wait for answers, or nil if none of its
// outcomes wraps [ErrSuspended]. Outcomes are those of [Executor.Run], [Executor.Resume],
// [Gathering.End] or of a [Stream] whose Outcomes has ended, at least one that is suspended among
// them.
//
// The host saves the value beside the conversation, and sends no request before the message is
// answered as a whole: no result of it belongs into the history. Every [Executor.Resume] that
// leaves a question open makes a new value; the old one is then of no use.
func (s *Session) Suspension(outcomes []Outcome) (*Suspension, error) {
	s.mustExist("Suspension")
	i := slices.IndexFunc(outcomes, func(o Outcome) bool { return o.suspended != nil })
	if i < 0 {
		return nil, nil
	}
	b := outcomes[i].suspended.job.batch
	if b.pool.session != s || b.record == nil {
		return nil, fmt.Errorf("%w: the outcomes are of a pool of another session", ErrOtherSession)
	}
	turn, err := b.suspendedTurn()
	if err != nil {
		return nil, err
	}
	return newSuspension(turn, b.record.seal)
}

// openRecord makes the record of a batch whose calls may be suspended: those of the model in a
// main session.
func (b *batch) openRecord() {
	s := b.pool.session
	if s.cfg.Suspend == nil || b.record != nil || b.parent != nil || b.outerJob() != nil {
		return
	}
	b.record = newTurnRecord(&b.uncancelled, s, b.host.turn())
	b.host.recorded = b.record.turn
}

// suspendedTurn returns the calls of the batch, which must have ended.
func (b *batch) suspendedTurn() (*suspendedTurn, error) {
	turn := &suspendedTurn{Session: b.record.session, Turn: b.record.turn}
	for _, j := range b.admitted() {
		select {
		case <-j.ended:
		default:
			return nil, errors.New("the calls of the message have not ended: read the Outcomes of the Stream, or call Gathering.End")
		}
		c := callRecord{Loop: j.loop.reason}
		written := &j.snapshots.first[0].Call
		c.ID, c.Name, c.Input = written.ID, written.Name, written.Input
		if f := j.forced; f != nil {
			record := recordDecision(&f.Decision)
			c.Forced = &record
		}
		if o := j.published(); o.suspended == nil {
			c.Outcome = j.outcomeRecord(&o)
		} else if q := o.suspended.question; q != nil {
			copied := *q
			c.Question = &copied
		}
		turn.Calls = append(turn.Calls, c)
	}
	for place := range turn.Calls {
		if q := turn.Calls[place].Question; q != nil {
			q.Signature = b.record.seal.sign(sealedQuestion, q.signed(turn, place)...)
		}
	}
	return turn, nil
}

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
	o.Call, o.Repairs, o.Elapsed = j.call, j.repair.notes, time.Since(j.admitted)
	if j.schedule.acquired {
		j.schedule.acquired = false
		_ = j.batch.releaseKeys(j.index, nil) // it has no update that could fail
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
		Definition: j.entry.definitionDigest(), Policy: j.session().grants.inForceAt(j.call.state.place).Digest(),
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
func (j *job) takeAnswer(ctx context.Context, q *inquiry) (d policy.Decision, ok bool, err error) {
	if !j.isAnswered() {
		return policy.Decision{}, false, nil
	}
	durable := j.durable
	taken := durable.answer
	given := taken.Answer.decision()
	if given.Behavior != policy.Deny && !taken.Question.isAbout(j.newQuestionRecord(q)) {
		return policy.Decision{}, false, nil
	}
	if err := j.waitForAnswers(ctx); err != nil {
		return policy.Decision{}, false, err
	}
	d, err = q.accept(policy.ByPerson, given)
	if err != nil && given.Behavior == policy.Deny { // a denial counts even if its updates cannot be applied
		q.logError(err)
		given.Remember = nil
		d, err = q.accept(policy.ByPerson, given)
	}
	if err != nil {
		return policy.Decision{}, false, &suspendedError{question: taken.Question, cause: err}
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
		if other == j || !other.durable.isFresh() || j.durable.isFresh() && other.index > j.index || other.order.decided.Load() {
			continue
		}
		changed := other.order.watch() // before the check, so that no change after it is missed
		if other.mayAskSoon() {
			return changed
		}
	}
	return nil
}

// suspends reports whether the question can be put off: that of a call of the model that has not
// begun, in a main session that suspends.
func (q *inquiry) suspends() bool {
	return q.job.durable != nil && !q.running && !q.session().cfg.NoPrompts
}

// suspend asks those who answer without the user. If none of them does, the call is suspended,
// unless it is decided by now in another way.
func (q *inquiry) suspend(ctx context.Context, deciders []func(context.Context) (policy.Decision, bool)) (policy.Decision, error) {
	alone := asking.Race[*pending, policy.Decision]{Line: q.session().line, Deciders: deciders}
	d, err := alone.Run(ctx)
	if !errors.Is(err, ErrNoApprover) {
		return q.finish(ctx, d, err)
	}
	if err := q.job.waitForAnswers(ctx); err != nil {
		return policy.Decision{}, err
	}
	if now := q.again(); now.Behavior != policy.Ask {
		return now, nil
	}
	r, s := q.job.newQuestionRecord(q), q.job.durable.record.suspending
	r.Suggestions = q.question("").Suggestions(cmp.Or(s.Suggest, policy.SourceSession))
	return policy.Decision{}, &suspendedError{question: r}
}
