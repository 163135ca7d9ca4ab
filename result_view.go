package pegboard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
)

// View returns what a user interface shows of a call that has ended. Its After is
// Result.Line, or why the call failed, or a line derived from the result.
func (o *Outcome) View() View {
	c, r := o.Call, o.Result
	if c == nil { // not made by an executor
		c = &Call{}
	}
	if r == nil {
		r = &Result{}
	}
	v := c.View()
	v.Failed, v.Diffs, v.SearchText = r.IsError || o.Err != nil, r.Diffs, cmp.Or(r.SearchText, r.Text())
	if o.Err != nil {
		v.After = OneLine(o.failureLine())
		return v
	}
	switch v.After = OneLine(r.Line); {
	case v.After != "":
	case r.IsError:
		v.After = OneLine("Failed: " + r.Text())
	default:
		v.After = OneLine(r.summary())
	}
	return v
}

const deniedLine = "Denied"

// failureLines word errors for a person. The first that is wrapped counts.
var failureLines = []struct {
	err  error
	line string
	why  bool // the cause follows
}{
	{ErrDetached, "Goes on in the background", false},
	{ErrSuspended, "Waits for an answer", false},
	{ErrOutcomeUnknown, "Started, and its outcome is not known", false},
	{ErrDeferred, "Will be answered later", false},
	{ErrPanic, "Failed inside, which is a fault of the program", false},
	{ErrUnknownTool, "There is no such tool", false},
	{ErrDuplicate, "Not run: another call has the same id", false},
	{ErrInvalidInput, "Wrong input", true},
	{ErrDenied, deniedLine, true},
	{ErrBudget, "Budget used up", true},
	{ErrDeadlock, "Not run: it would wait for itself", false},
	{ErrTimeout, "Took too long", false},
	{ErrSiblingFailed, "Stopped: a call beside it failed", false},
	{ErrNewMessage, "Stopped: a new message came", false},
	{ErrClosed, "Stopped: the session is closing", false},
	{ErrUserInterrupt, "Stopped by the user", false},
	{context.DeadlineExceeded, "Stopped: the time for this turn is over", false},
	{context.Canceled, "Stopped by the user", false}, // a cancellation without a cause counts as the user's
	{ErrCancelled, "Stopped", true},
}

// failureLine says for a person why a call failed.
func (o *Outcome) failureLine() string {
	why := o.Err
	if failed := (*CallError)(nil); errors.As(o.Err, &failed) {
		why = failed.Err
	}
	for _, f := range failureLines {
		if !errors.Is(o.Err, f.err) {
			continue
		}
		cause := strings.TrimPrefix(strings.TrimPrefix(why.Error(), f.err.Error()), ": ")
		if b := (*BudgetError)(nil); errors.As(o.Err, &b) { // which may have stopped the call
			cause = b.what()
		}
		if f.line == deniedLine && o.Decision.Behavior == Deny {
			cause = cmp.Or(o.Decision.Reason, cause)
		}
		if !f.why || cause == "" {
			return f.line
		}
		return f.line + ": " + cause
	}
	return "Failed: " + why.Error()
}

// summary returns the first line of the result and how many follow, or what else there is.
func (r *Result) summary() string {
	text := strings.TrimSpace(r.Text())
	if text == "" {
		switch n := len(r.Parts); n {
		case 0:
			return "Done"
		case 1:
			return "1 part that is no text"
		default:
			return fmt.Sprintf("%d parts that are no text", n)
		}
	}
	first, rest, _ := strings.Cut(text, "\n")
	if rest == "" {
		return first
	}
	const room = 40 // for the number
	first = oneLine(first, MaxLine-room)
	if n := strings.Count(rest, "\n") + 1; n > 1 {
		return fmt.Sprintf("%s (and %d more lines)", first, n)
	}
	return first + " (and 1 more line)"
}
