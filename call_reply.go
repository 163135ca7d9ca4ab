package pegboard

import (
	"encoding/json"
	"errors"
	"fmt"
)

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
