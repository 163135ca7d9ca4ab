package pegboard

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"time"
)

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

// A decisionRecord is a [Decision] without what belongs to the process.
type decisionRecord struct {
	Behavior Behavior           `json:"behavior,omitempty"`
	Reason   string             `json:"reason,omitempty"`
	Input    []byte             `json:"input,omitempty"`
	By       string             `json:"by,omitempty"`
	Rule     *Rule              `json:"rule,omitempty"`
	Remember []PermissionUpdate `json:"remember,omitempty"`
	StopTurn bool               `json:"stopTurn,omitempty"`
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

func recordDecision(d *Decision) decisionRecord {
	return decisionRecord{Behavior: d.Behavior, Reason: d.Reason, Input: d.Input, By: d.By.String(), Rule: d.Rule, Remember: d.Remember, StopTurn: d.StopTurn}
}

// decision returns the decision that r is the record of.
func (r *decisionRecord) decision() Decision {
	d := Decision{Behavior: r.Behavior, Reason: r.Reason, Input: r.Input, Rule: r.Rule, Remember: r.Remember, StopTurn: r.StopTurn}
	for by := ByDefault; by <= ByGuard; by++ {
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
