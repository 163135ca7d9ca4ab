package pegboard

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/seed49eaa51d/pegboard/policy"
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
		Behavior policy.Behavior `json:"behavior"`
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

// A durableCall has the state of a call that an earlier process has left, and the state for a
// later one. A call of a session that does not suspend has none. Its fields belong to the goroutine
// of the job; outcome and fresh are not written once the job has started.
type durableCall struct {
	record *turnRecord
	past   callPast

	outcome  *outcomeRecord  // the call has finished
	question *questionRecord // that was asked before
	fresh    bool            // an answer was given now, and not before a crash
	answer   *decidedRecord  // until it is taken
	taken    *decidedRecord
}

// isFresh reports whether the host has given an answer now.
func (d *durableCall) isFresh() bool { return d != nil && d.fresh }

// An outcomeRecord is an outcome as a [Suspension] and a journal keep it: the parts that the
// model and the host read, without the funcs of the result. Data becomes JSON.
type outcomeRecord struct {
	Input      []byte          `json:"input,omitempty"` // with which the call ended, if it is not that of the model
	Parts      []Part          `json:"parts,omitempty"`
	IsError    bool            `json:"isError,omitempty"`
	Data       json.RawMessage `json:"data,omitempty"`
	Line       string          `json:"line,omitempty"`
	Diffs      []Diff          `json:"diffs,omitempty"`
	SearchText string          `json:"searchText,omitempty"`
	Messages   []Part          `json:"messages,omitempty"`
	Err        *errorRecord    `json:"err,omitempty"`
	OutputErr  *errorRecord    `json:"outputErr,omitempty"`
	SameAs     *int            `json:"sameAs,omitempty"` // the place of that call
	Decision   decisionRecord  `json:"decision,omitzero"`
	Repairs    []string        `json:"repairs,omitempty"`
	StopTurn   bool            `json:"stopTurn,omitempty"`
	Attempts   int             `json:"attempts,omitempty"`
	Elapsed    time.Duration   `json:"elapsed,omitempty"`
	Question   string          `json:"question,omitempty"` // the id of the one that was answered
}

// A decisionRecord is a [policy.Decision] without what belongs to the process.
type decisionRecord struct {
	Behavior policy.Behavior `json:"behavior,omitempty"`
	Reason   string          `json:"reason,omitempty"`
	Input    []byte          `json:"input,omitempty"`
	By       string          `json:"by,omitempty"`
	Rule     *policy.Rule    `json:"rule,omitempty"`
	Remember []policy.Update `json:"remember,omitempty"`
	StopTurn bool            `json:"stopTurn,omitempty"`
}

// An errorRecord is a *[CallError].
type errorRecord struct {
	Tool  string   `json:"tool,omitempty"`
	Stage Stage    `json:"stage,omitempty"`
	Text  string   `json:"text"`
	Kinds []string `json:"kinds,omitempty"` // which errors of recordedErrors it wraps
}

// recordedErrors are the errors that a record knows by name.
var recordedErrors = []struct {
	name string
	err  error
}{
	{"unknownTool", ErrUnknownTool}, {"invalidInput", ErrInvalidInput}, {"denied", ErrDenied}, {"cancelled", ErrCancelled},
	{"timeout", ErrTimeout}, {"detached", ErrDetached}, {"deferred", ErrDeferred}, {"panic", ErrPanic}, {"duplicate", ErrDuplicate},
	{"closed", ErrClosed}, {"budget", ErrBudget}, {"deadlock", ErrDeadlock}, {"toolFailed", ErrToolFailed}, {"invalidOutput", ErrInvalidOutput},
	{"noApprover", ErrNoApprover}, {"expired", ErrExpired}, {"userInterrupt", ErrUserInterrupt}, {"newMessage", ErrNewMessage},
	{"siblingFailed", ErrSiblingFailed}, {"abandoned", ErrAbandoned}, {"transient", ErrTransient}, {"outcomeUnknown", ErrOutcomeUnknown},
	{"altered", ErrAltered}, {"contextCanceled", context.Canceled}, {"deadlineExceeded", context.DeadlineExceeded},
}

// A recordedError is an error of another process: its text, and which known errors it wraps.
type recordedError struct {
	text  string
	wraps []error
}

func (e *recordedError) Error() string   { return e.text }
func (e *recordedError) Unwrap() []error { return e.wraps }

// recordOutcome returns the record of an outcome. Written is the input that the model wrote.
func recordOutcome(o *Outcome, written []byte) *outcomeRecord {
	r := recordResult(o.Result)
	r.Err, r.OutputErr, r.Decision = recordError(o.Err), recordError(o.OutputErr), recordDecision(&o.Decision)
	r.Repairs, r.StopTurn, r.Attempts, r.Elapsed = o.Repairs, o.StopTurn, o.Attempts, o.Elapsed
	if !bytes.Equal(o.Call.Input, written) {
		r.Input = o.Call.Input
	}
	return r
}

// recordResult returns a record of a result alone.
func recordResult(result *Result) *outcomeRecord {
	r := &outcomeRecord{
		Parts: result.Parts, IsError: result.IsError, Line: result.Line, Diffs: result.Diffs, SearchText: result.SearchText, Messages: result.Messages,
	}
	if data, err := json.Marshal(result.Data); err == nil && result.Data != nil {
		r.Data = data // a host that needs what JSON cannot say keeps it elsewhere
	}
	return r
}

func recordError(err error) *errorRecord {
	if err == nil {
		return nil
	}
	r := &errorRecord{}
	if of := (*CallError)(nil); errors.As(err, &of) {
		r.Tool, r.Stage, err = of.Tool, of.Stage, of.Err
	}
	r.Text = err.Error()
	for _, known := range recordedErrors {
		if errors.Is(err, known.err) {
			r.Kinds = append(r.Kinds, known.name)
		}
	}
	return r
}

func recordDecision(d *policy.Decision) decisionRecord {
	return decisionRecord{Behavior: d.Behavior, Reason: d.Reason, Input: d.Input, By: d.By.String(), Rule: d.Rule, Remember: d.Remember, StopTurn: d.StopTurn}
}

// decision returns the decision that r is the record of.
func (r *decisionRecord) decision() policy.Decision {
	d := policy.Decision{Behavior: r.Behavior, Reason: r.Reason, Input: r.Input, Rule: r.Rule, Remember: r.Remember, StopTurn: r.StopTurn}
	for by := policy.ByDefault; by <= policy.ByGuard; by++ {
		if by.String() == r.By {
			d.By = by
		}
	}
	return d
}

// of returns the error that r is the record of, as one of the call with that id.
func (r *errorRecord) of(callID string) error {
	if r == nil {
		return nil
	}
	return &CallError{Tool: r.Tool, CallID: callID, Stage: r.Stage, Err: r.plain()}
}

// plain returns the error that r is the record of, without the call that had it.
func (r *errorRecord) plain() error {
	err := &recordedError{text: r.Text}
	for _, kind := range r.Kinds {
		for _, known := range recordedErrors {
			if known.name == kind {
				err.wraps = append(err.wraps, known.err)
			}
		}
	}
	return err
}

// outcome returns the outcome that r is the record of, but for its call.
func (r *outcomeRecord) outcome(callID string) Outcome {
	return Outcome{
		Result: r.result(),
		Err:    r.Err.of(callID), OutputErr: r.OutputErr.of(callID), Decision: r.Decision.decision(),
		Repairs: r.Repairs, StopTurn: r.StopTurn, Attempts: r.Attempts, Elapsed: r.Elapsed,
	}
}

// result returns the result that r is the record of.
func (r *outcomeRecord) result() *Result {
	result := &Result{Parts: r.Parts, IsError: r.IsError, Line: r.Line, Diffs: r.Diffs, SearchText: r.SearchText, Messages: r.Messages}
	if r.Data != nil {
		result.Data = r.Data
	}
	return result
}

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
	if err := d.record.append(&j.contexts.uncancelled, j.index, j.call, JournalProposed, 0, proposedRecord{digest}); err != nil {
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
		s.st.entry = j.entry
	}
	o := r.outcome(j.call.ID)
	if r.SameAs != nil && *r.SameAs >= 0 && *r.SameAs < j.index {
		o.SameAs = &j.batch.admitted()[*r.SameAs].snapshots.first[0].Call
	}
	j.outcome.Decision, j.repair.notes = o.Decision, o.Repairs
	return o
}

// recordDecided writes the final decision.
func (j *job) recordDecided(decision policy.Decision) *failure {
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
	if err := d.record.append(&j.contexts.uncancelled, j.index, j.call, state, attempt, data); err != nil {
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
	err := d.record.append(&j.contexts.uncancelled, j.index, j.call, JournalFinished, 0, j.outcomeRecord(o))
	if errors.Is(err, ErrDuplicate) {
		var past map[int]*callPast
		if past, err = d.record.read(&j.contexts.uncancelled); err == nil && past[j.index] != nil && past[j.index].finished != nil {
			theirs := past[j.index].finished.outcome(j.call.ID)
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
		r.SameAs = &same.index
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

// callReplyVersion is the version of the JSON of a [CallReply].
const callReplyVersion = 1

// A CallReply is the result and the error of a tool's Call, for an [Executor].Invoke that runs
// calls in another process: encoding/json writes it there and reads it here. The zero CallReply has no
// JSON.
//
// It keeps all of a [Result] but Value and the funcs, which belong to the process that ran the
// tool. Data becomes JSON, and is a [json.RawMessage] afterwards; data without JSON is left out.
// An error keeps its text, and is equal to the errors of this package that it wrapped, for
// [errors.Is]. A [*PanicError] stays one, with its value as text.
type CallReply struct{ record *replyRecord }

// A replyRecord is the JSON of a CallReply.
type replyRecord struct {
	Version int          `json:"version"`
	Nothing bool         `json:"nothing,omitempty"` // the tool has returned no result
	Panic   *panicRecord `json:"panic,omitempty"`
	outcomeRecord
}

// A panicRecord is a *[PanicError].
type panicRecord struct {
	Value string `json:"value"`
	Stack string `json:"stack,omitempty"`
	Site  string `json:"site,omitempty"`
}

// NewCallReply returns the reply of a tool that has returned r and err.
func NewCallReply(r *Result, err error) CallReply {
	record := &replyRecord{Version: callReplyVersion, Nothing: r == nil}
	if r != nil {
		record.outcomeRecord = *recordResult(r)
		record.StopTurn = r.StopTurn
	}
	if p := (*PanicError)(nil); errors.As(err, &p) {
		record.Panic = &panicRecord{Value: fmt.Sprint(p.Value), Stack: string(p.Stack), Site: p.Site}
	}
	record.Err = recordError(err)
	return CallReply{record}
}

// Returned returns the result and the error, for the return statement of an Invoke.
func (r CallReply) Returned() (*Result, error) {
	if r.record == nil {
		return nil, fmt.Errorf("%w: a zero CallReply", ErrInvalidOutput)
	}
	var result *Result
	if !r.record.Nothing {
		result = r.record.result()
		result.StopTurn = r.record.StopTurn
	}
	switch p := r.record.Panic; {
	case p != nil:
		return result, &PanicError{Value: p.Value, Stack: []byte(p.Stack), Site: p.Site}
	case r.record.Err != nil:
		return result, r.record.Err.plain()
	}
	return result, nil
}

// MarshalJSON implements [json.Marshaler].
func (r CallReply) MarshalJSON() ([]byte, error) {
	if r.record == nil {
		return nil, errors.New("a zero CallReply has no JSON")
	}
	return json.Marshal(r.record)
}

// UnmarshalJSON implements [json.Unmarshaler]. It refuses a version that this library does not
// know; the error wraps [ErrInvalidOutput].
func (r *CallReply) UnmarshalJSON(text []byte) error {
	var record replyRecord
	if err := json.Unmarshal(text, &record); err != nil {
		return fmt.Errorf("%w: %w", ErrInvalidOutput, err)
	}
	if record.Version != callReplyVersion {
		return fmt.Errorf("%w: a reply of version %d; this library reads version %d", ErrInvalidOutput, record.Version, callReplyVersion)
	}
	r.record = &record
	return nil
}
