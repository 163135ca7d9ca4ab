package otel

import (
	"errors"

	"github.com/seed49eaa51d/pegboard"
)

// errorTypes are the values of error.type, in the order in which they are looked for: an error
// may wrap several.
var errorTypes = []struct {
	err  error
	name string
}{
	{pegboard.ErrUnknownTool, "unknown_tool"},
	{pegboard.ErrInvalidInput, "invalid_input"},
	{pegboard.ErrNoApprover, "no_approver"},
	{pegboard.ErrExpired, "expired"},
	{pegboard.ErrDenied, "denied"},
	{pegboard.ErrClosed, "closed"},
	{pegboard.ErrTimeout, "timeout"},
	{pegboard.ErrDetached, "detached"},
	{pegboard.ErrBudget, "budget"},
	{pegboard.ErrCancelled, "cancelled"},
	{pegboard.ErrPanic, "panic"},
	{pegboard.ErrDuplicate, "duplicate"},
	{pegboard.ErrDeferred, "deferred"},
	{pegboard.ErrInvalidOutput, "invalid_output"},
	{pegboard.ErrTransient, "transient"},
	{pegboard.ErrToolFailed, "tool_failed"},
}

// errorType returns the kind of failure that an outcome is, or "". It says nothing of the
// input or the result.
func errorType(o *pegboard.Outcome) string {
	if o.Err == nil {
		if o.Result.IsError {
			return "tool_failed"
		}
		return ""
	}
	for _, t := range errorTypes {
		if errors.Is(o.Err, t.err) {
			return t.name
		}
	}
	return errorTypeOther
}
