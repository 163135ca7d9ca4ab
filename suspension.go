package pegboard

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/strictjson"
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
	Targets []Target        // that the answer is about, resolved
	Reason  string          // why it is asked
	// Suggestions are updates that the answer could remember, see [Question.Suggestions].
	Suggestions [][]PermissionUpdate
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
	Input    []byte          `json:"input"` // as the model wrote it
	FromText bool            `json:"fromText,omitempty"`
	Forced   *decisionRecord `json:"forced,omitempty"` // see ForceDecision
	Loop     string          `json:"loop,omitempty"`   // why the loop breaker wants the user
	Question *questionRecord `json:"question,omitempty"`
	Outcome  *outcomeRecord  `json:"outcome,omitempty"`
}

// call returns the call that c is the record of.
func (c *callRecord) call() *Call {
	made := Call{ID: c.ID, Name: c.Name, Input: c.Input, FromText: c.FromText}
	if f := c.Forced; f != nil {
		made = ForceDecision(made, f.Behavior, f.Reason)
	}
	return &made
}

// A questionRecord is a question of a suspended turn, with the facts that an answer is bound to.
type questionRecord struct {
	ID          string               `json:"id"`
	Tool        string               `json:"tool"`
	Input       []byte               `json:"input"`
	Targets     []targetRecord       `json:"targets,omitempty"`
	Reason      string               `json:"reason,omitempty"`
	Suggestions [][]PermissionUpdate `json:"suggestions,omitempty"`
	Definition  string               `json:"definition"` // digest of the definition of the tool
	Policy      string               `json:"policy"`     // digest of the permissions
	Expires     time.Time            `json:"expires"`
	Signature   string               `json:"signature"`
}

// A targetRecord is a resolved target.
type targetRecord struct {
	Kind      TargetKind `json:"kind"`
	Access    Access     `json:"access"`
	Value     string     `json:"value,omitempty"`
	Real      string     `json:"real,omitempty"`
	Tree      bool       `json:"tree,omitempty"`
	Aliases   []string   `json:"aliases,omitempty"`
	AskReason string     `json:"askReason,omitempty"`
}

func recordTargets(ts []Target) (records []targetRecord) {
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
			open.Targets = append(open.Targets, Target{Kind: t.Kind, Access: t.Access, Value: t.Value, Tree: t.Tree, Aliases: t.Aliases, AskReason: t.AskReason})
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
