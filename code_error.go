package pegboard

import (
	"errors"
)

// The kinds of a [CodeError].
const (
	KindInvalidInput = "invalid_input" // the input does not fit; another one may
	KindUnknownTool  = "unknown_tool"  // there is no such tool
	KindDenied       = "denied"        // a rule or a person refused the call
	KindCancelled    = "cancelled"     // the call was stopped
	KindTimeout      = "timeout"       // it took too long
	KindBudget       = "budget"        // a budget is used up
	KindCrashed      = "crashed"       // the tool has a defect
	KindFailed       = "failed"        // the tool failed, or could not return all
)

// A CodeError says to code why a call has no value. Its text is that for the model.
type CodeError struct {
	Tool string
	Kind string // one of the constants above, such as KindDenied
	Text string
	Data any   // of the result, if there is one: what the tool could do
	Err  error // [Outcome].Err, or nil
}

// Error returns the text for the model.
func (e *CodeError) Error() string { return e.Text }

// Unwrap returns e.Err.
func (e *CodeError) Unwrap() error { return e.Err }

// codeKindOf returns the kind of a failure with the error err, which may be nil.
func codeKindOf(err error) string {
	for _, k := range []struct {
		kind string
		is   bool
	}{
		{KindBudget, errors.As(err, new(*BudgetError))},
		{KindTimeout, errors.Is(err, ErrTimeout)},
		{KindCancelled, errors.Is(err, ErrCancelled)},
		{KindDenied, errors.Is(err, ErrDenied)},
		{KindUnknownTool, errors.Is(err, ErrUnknownTool)},
		{KindInvalidInput, errors.Is(err, ErrInvalidInput)},
		{KindCrashed, errors.Is(err, ErrPanic)},
	} {
		if k.is {
			return k.kind
		}
	}
	return KindFailed
}
