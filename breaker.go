package pegboard

import (
	"errors"

	"github.com/seed49eaa51d/pegboard/internal/breaker"
)

// BreakerLimits say when the loop breaker steps in: it stops a model that makes no
// progress. Every agent counts for itself, from [Session.NewTurn] on, which a loop calls
// for every message of the user. A negative number turns a count off.
//
// The breaker counts messages of the model: a model cannot react to a result that it has
// not read, so equal calls in one message are no repetition, and any number of denials in
// it counts as one. Within a message it goes by request order, whatever ended first. It
// does not count calls that a tool makes with [Call.Run].
//
// The defaults are for what is never useful work. The same calls with the same results,
// and nothing else in between, tell the model nothing new; a tool that polls says so in
// its [Info]. A model that is denied in message after message, and in between does nothing
// that is allowed, does not take no for an answer. Errors are different: tests that fail
// while the model repairs the code are how the work is done. So errors count only on
// request.
type BreakerLimits struct {
	// Errors is how many messages in a row have an error of one tool, without a success
	// of that tool, before its next call is asked about; 0 means off.
	Errors int
	// Repeats is how often in a row the same calls are made with the same results: the
	// last time, the user is asked about them, and after twice as often the turn should
	// end. Two messages that alternate count as one. 0 means 3.
	Repeats int
	// Denials is how many messages in a row have denied calls, with none that ran in
	// between, before the turn should end, see Outcome.StopTurn; 0 means 3.
	Denials int
}

// breakerOutcome classifies an outcome for the loop breaker.
func breakerOutcome(o *Outcome) breaker.Outcome {
	is := func(err error) bool { return errors.Is(o.Err, err) }
	switch {
	case o.SameAs != nil: // the breaker has counted that call
		return breaker.NotRun
	case is(ErrDenied), is(ErrBudget) && !is(ErrCancelled): // the model was told that it has none left
		return breaker.Denied
	case is(ErrInvalidInput), is(ErrUnknownTool):
		return breaker.Invalid
	case is(ErrCancelled), is(ErrDeferred), is(ErrDuplicate), is(ErrDeadlock):
		return breaker.NotRun
	case o.Result.IsError:
		return breaker.Failed
	}
	return breaker.Succeeded
}
