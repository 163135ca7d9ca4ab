package pegboard

import (
	"context"
)

// A Guard decides about each call that would run or be asked about, whoever has approved
// it: a rule, the mode, a hook, the tool, the caller. Question.Decision is how the call was
// decided so far. It can deny the call or have it asked about, and only the user answers
// then. It can change the input by Decision.Input, which is then decoded, validated and
// decided again, with the Guard. Deny with StopTurn ends the turn. It cannot allow anything:
// any other decision changes nothing, and Decision.Remember is ignored.
//
// An error or a panic denies the call. A Guard may be called concurrently. It is called
// before the user is asked, so that the user sees the input that runs. It is not called for
// targets that a running call checks.
type Guard func(ctx context.Context, q *Question) (Decision, error)

// joinGuards returns a Guard that calls both. The stricter decision wins, and of two
// changed inputs the second.
func joinGuards(a, b Guard) Guard {
	return joinOpinions(a, b, func(q *Question, x, y Decision) Decision {
		d := stricter(x, y)
		d.Input = x.Input
		if q.Call.replacement(y.Input) != nil {
			d.Input = y.Input
		}
		return d
	})
}
