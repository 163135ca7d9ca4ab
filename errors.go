package pegboard

import (
	"errors"

	"github.com/seed49eaa51d/pegboard/internal/asking"
)

// What a host branches on, with [errors.Is]. ErrDeferred is for tools, too: a
// call that returns it is answered by the host later, which replaces the result
// of its outcome before it sends the next message.
var (
	ErrUnknownTool  = errors.New("unknown tool")
	ErrInvalidInput = errors.New("invalid input")
	ErrDenied       = errors.New("denied")
	ErrCancelled    = errors.New("cancelled")
	ErrTimeout      = errors.New("timed out")
	ErrDetached     = errors.New("call did not return")
	ErrDeferred     = errors.New("answered later")
	ErrPanic        = errors.New("panicked")
	ErrDuplicate    = errors.New("duplicate")
	ErrClosed       = errors.New("session closed")
)

// Why there was no answer to a question. The error of the outcome wraps ErrDenied,
// too, but nobody refused the call. A person's refusal wraps ErrDenied alone, and a
// call that ended while it was asked about ErrCancelled.
var (
	ErrNoApprover = asking.ErrNoApprover
	ErrExpired    = asking.ErrExpired
)

// What is wrong with an answer, see [Session.Answer].
var (
	ErrQuestionClosed = asking.ErrStale
	ErrNotSaved       = errors.New("permission update applied but not saved")
)

// The causes with which a host cancels the context of a batch, or a session's
// calls by [Session.Interrupt]. Each is told to the model in its own words,
// because one that takes an interruption for a refusal argues with the user. Any
// other cause counts as ErrUserInterrupt.
var (
	// ErrUserInterrupt: the user stopped the turn.
	ErrUserInterrupt = errors.New("interrupted by the user")
	// ErrNewMessage: the user sent a message. Calls that have begun end as
	// their tool's [Interrupt] says; the others are not run.
	ErrNewMessage = errors.New("the user sent a new message")
	// ErrSiblingFailed: another call of the batch failed, see
	// [Executor].CancelSiblings.
	ErrSiblingFailed = errors.New("a call beside it failed")
)

// ErrAlreadyStored is why [Call.StoreRaw] does not store what comes from the store.
var ErrAlreadyStored = errors.New("result is already stored")

// unansweredError is the denial of a call that nobody refused.
type unansweredError struct {
	reason string
	cause  error
}

func (e *unansweredError) Error() string   { return ErrDenied.Error() + ": " + e.reason }
func (e *unansweredError) Unwrap() []error { return []error{ErrDenied, e.cause} }

// class names an error by the sentinel it wraps, without any of its text.
func class(err error) string {
	stage := ""
	var ce *CallError
	if errors.As(err, &ce) {
		stage = string(ce.Stage) + ": "
	}
	for _, e := range []error{ErrUnknownTool, ErrInvalidInput, ErrNoApprover, ErrExpired, ErrDenied, ErrClosed, ErrTimeout, ErrDetached, ErrCancelled, ErrPanic, ErrDuplicate, ErrDeferred} {
		if errors.Is(err, e) {
			return stage + e.Error()
		}
	}
	return stage + "failed"
}

// A Stage is a part of the way a call takes.
type Stage string

// The stages of a call, in order.
const (
	StageAdmit      Stage = "admit"
	StageLookup     Stage = "lookup"
	StageDecode     Stage = "decode"
	StageTargets    Stage = "targets"
	StageValidate   Stage = "validate"
	StageHook       Stage = "hook"
	StagePermission Stage = "permission"
	StageCall       Stage = "call"
	StageResult     Stage = "result"
)

// CallError says where a call failed and why. What the model is told stands in
// the outcome's result.
type CallError struct {
	Tool   string // as the model named it
	CallID string
	Stage  Stage
	Err    error
}

// Error returns the stage, the tool and the cause.
func (e *CallError) Error() string { return string(e.Stage) + " " + e.Tool + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *CallError) Unwrap() error { return e.Err }

// BuildError says what is wrong with a [Definition], or with what [Registry]
// was given.
type BuildError struct {
	Tool  string // may be empty
	Field string // of the Definition
	Err   error
}

// Error returns the tool, the field and the cause.
func (e *BuildError) Error() string {
	name := e.Tool
	if name == "" {
		name = "tool without a name"
	}
	return name + ": " + e.Field + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *BuildError) Unwrap() error { return e.Err }
