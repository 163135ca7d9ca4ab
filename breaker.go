package pegboard

import (
	"errors"

	"github.com/seed49eaa51d/pegboard/internal/breaker"
)

// BreakerLimits say after how many calls in a row the loop breaker steps in. For each
// limit, 0 means 3 and a negative number turns it off. Every agent counts for itself,
// from [Session.NewTurn] on.
type BreakerLimits struct {
	Errors  int // failures of one tool: its next call is asked about
	Repeats int // equal calls with equal results: the next is asked about
	Denials int // denied calls: the turn should end, see Outcome.StopTurn
}

// breakerOutcome classifies an outcome for the loop breaker.
func breakerOutcome(o *Outcome) breaker.Outcome {
	is := func(err error) bool { return errors.Is(o.Err, err) }
	switch {
	case is(ErrDenied):
		return breaker.Denied
	case is(ErrInvalidInput), is(ErrUnknownTool):
		return breaker.Invalid
	case is(ErrCancelled), is(ErrDeferred), is(ErrDuplicate):
		return breaker.NotRun
	case o.Result.IsError:
		return breaker.Failed
	}
	return breaker.Succeeded
}
