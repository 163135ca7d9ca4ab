package pegboard

import (
	"errors"
	"fmt"

	"github.com/seed49eaa51d/pegboard/internal/asking"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/throttle"
)

// The errors that a host tests for with [errors.Is]. ErrDeferred is for tools and hooks, too:
// the host answers such a call later, by replacing the outcome's result before it sends the
// next message. For tools that the host executes, [Executor.SubmitResult] makes it; for a call that
// a hook has put off, see [Hooks], another run of the Call does.
var (
	ErrUnknownTool  = errors.New("unknown tool")
	ErrInvalidInput = errors.New("invalid input")
	ErrDenied       = errors.New("denied")
	ErrCancelled    = errors.New("cancelled")
	ErrTimeout      = errors.New("timed out")
	ErrDetached     = errors.New("call did not return")
	ErrDeferred     = errors.New("answered later")
	// ErrSuspended: the call waits for an answer of the user, or for an earlier call that does,
	// see [Session.Suspension]. It has not run. Its outcome wraps ErrDeferred, too.
	ErrSuspended = errors.New("suspended")
	// ErrOutcomeUnknown: an earlier process has started the call and has ended before the call
	// did. It may have done its work or not, and was not run again.
	ErrOutcomeUnknown = errors.New("the outcome of the call is not known")
	ErrPanic          = errors.New("panicked")
	ErrDuplicate      = errors.New("duplicate")
	ErrClosed         = errors.New("session closed")
	// ErrBudget: a [CallBudget] is used up.
	ErrBudget = errors.New("budget used up")
	// ErrDeadlock: the call and another would each wait for the other, see [GroupLimit].
	ErrDeadlock = throttle.ErrDeadlock
	// ErrToolFailed: the tool's Call returned an error of its own, which is wrapped, too.
	ErrToolFailed = errors.New("tool failed")
	// ErrInvalidOutput: the data of a result does not match the tool's output schema, see
	// [Outcome].OutputErr; or the host supplied a wrong output, see [ExternalResult].
	ErrInvalidOutput = errors.New("invalid output")
)

// Why there was no answer to a question. The outcome's error wraps ErrDenied, too,
// although no one refused the call. The user's refusal wraps ErrDenied alone, and the
// error of a call that ended while it was asked about wraps ErrCancelled.
var (
	ErrNoApprover = asking.ErrNoApprover
	ErrExpired    = asking.ErrExpired
)

// The errors of [Session.Answer].
var (
	ErrQuestionClosed = asking.ErrStale
	ErrNotSaved       = errors.New("permission update applied but not saved")
)

// ErrNoExternalCall is the error of [Session.SubmitResult] if no call with that id waits for its
// outcome: it was supplied before, or the call has ended.
var ErrNoExternalCall = errors.New("the outcome of the call is not awaited")

// The causes with which a host cancels the context of a batch, or a session's calls with
// [Session.Interrupt]. The model is told each in its own words, since a model that takes
// an interruption for a refusal argues with the user. Of any other cause it is told that
// the program stopped the call, and why.
var (
	// ErrUserInterrupt: the user stopped the turn.
	ErrUserInterrupt = errors.New("interrupted by the user")
	// ErrNewMessage: the user sent a message. Running calls end as their tool's
	// [Interrupt] says; the others do not run.
	ErrNewMessage = errors.New("the user sent a new message")
	// ErrSiblingFailed: another call of the batch failed, see
	// [Executor].CancelSiblings.
	ErrSiblingFailed = errors.New("a call beside it failed")
)

// ErrNotAttached is the error of [Registry.Replace] for a source that is not attached.
var ErrNotAttached = errors.New("no such source is attached")

// ErrNoPreview is returned by [Question.Preview] for a tool that cannot preview the changes of
// a call.
var ErrNoPreview = errors.New("the tool has no preview")

// ErrTransient marks a failure of the transport, after which a call may be attempted
// again, see [Transient] and [RetryPolicy].
var ErrTransient = errors.New("transport failed")

// ErrAlreadyStored is returned by [Call.StoreRaw] for a call that reads stored results.
var ErrAlreadyStored = errors.New("result is already stored")

// A PanicError is a recovered panic of the host's code: a tool, a hook, an Asker. It is in
// the chain of an error that wraps [ErrPanic], for [errors.As]. Value is the argument of
// panic, Stack the stack of the goroutine, and Site the file and line that panicked.
type PanicError = goroutine.PanicError

// crashError wraps a panic or a Goexit for the host, with the place of the panic.
func crashError(err error) error {
	if p := (*PanicError)(nil); errors.As(err, &p) && p.Site != "" {
		return fmt.Errorf("%w at %s: %w", ErrPanic, p.Site, err)
	}
	return fmt.Errorf("%w: %w", ErrPanic, err)
}

// unansweredError is the denial of a call that no one has refused.
type unansweredError struct {
	reason string
	cause  error
}

func (e *unansweredError) Error() string   { return ErrDenied.Error() + ": " + e.reason }
func (e *unansweredError) Unwrap() []error { return []error{ErrDenied, e.cause} }

// toolError is the error that a tool's Call returned.
type toolError struct{ cause error }

func (e *toolError) Error() string   { return e.cause.Error() }
func (e *toolError) Unwrap() []error { return []error{ErrToolFailed, e.cause} }

// errorClass returns the stage and the sentinel of err, without its text.
func errorClass(err error) string {
	stage := ""
	var ce *CallError
	if errors.As(err, &ce) {
		stage, err = string(ce.Stage)+": ", ce.Err
	}
	if e := sentinelOf(err); e != nil {
		return stage + e.Error()
	}
	return stage + "failed"
}

// sentinelOf returns the error of this package that says best what kind of failure err is,
// or nil.
func sentinelOf(err error) error {
	for _, e := range []error{ErrSuspended, ErrOutcomeUnknown, ErrUnknownTool, ErrInvalidInput, ErrNoApprover, ErrExpired, ErrDenied, ErrClosed, ErrTimeout, ErrDetached, ErrBudget, ErrDeadlock, ErrCancelled, ErrPanic, ErrDuplicate, ErrDeferred} {
		if errors.Is(err, e) {
			return e
		}
	}
	return nil
}

// A Stage is a stage of the pipeline that a call goes through.
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
	StageLimits     Stage = "limits" // budgets, groups and the worker
	StageCall       Stage = "call"
	StageResult     Stage = "result"
)

// A CallError says where and why a call failed. The text for the model is in the outcome's
// result.
type CallError struct {
	Tool   string // its name; for a name that the pool does not know, the name in the call
	CallID string
	Stage  Stage
	Err    error
}

// Error returns the stage, the tool and the cause.
func (e *CallError) Error() string { return string(e.Stage) + " " + e.Tool + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *CallError) Unwrap() error { return e.Err }

// Sentinel returns the error of this package that says best what kind of failure e is,
// such as [ErrInvalidInput], or nil if that is the tool's own. Its text has no part of the
// input, so that a log can hold it.
func (e *CallError) Sentinel() error { return sentinelOf(e.Err) }

// A BuildError describes a mistake in a [Definition], or in an argument of [Registry].
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
