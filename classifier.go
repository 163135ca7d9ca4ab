package pegboard

import (
	"context"
	"sync/atomic"
)

// A Classifier decides in [ModeAuto] calls that no rule decides, in the user's place. Any
// behavior but Allow and Deny, and an error, leave the call to the user. It may be called
// concurrently.
//
// Its question has the tool's text about the call, see [Question].ClassifierInput. It is
// not asked about a call whose tool has no such text: the user is. A tool of the host's own
// has one if its [Definition] has a ClassifierInput.
type Classifier func(ctx context.Context, q *Question) (Decision, error)

// ClassifyByTargets is the default classifier. It denies calls that need the user's
// attention, such as the removal of a home directory, and leaves all others to the user.
// It calls no model.
func ClassifyByTargets(_ context.Context, q *Question) (Decision, error) {
	for _, t := range q.Targets {
		if t.AskReason != "" {
			return Decision{Behavior: Deny, Reason: t.AskReason}, nil
		}
	}
	return Decision{}, nil
}

// After this many denials by the classifier, in a row or in all, the user is asked
// again: the numbers that Claude Code documents for its auto mode.
const (
	maxRefusalsInARow = 3
	maxRefusals       = 20
)

// classifierRefusals count the calls that a session's classifier has denied.
type classifierRefusals struct{ inARow, all atomic.Int64 }

func (c *classifierRefusals) tooMany() bool {
	return c.inARow.Load() >= maxRefusalsInARow || c.all.Load() >= maxRefusals
}

// count counts a decision.
func (c *classifierRefusals) count(d Decision) {
	switch {
	case d.Behavior == Allow:
		c.inARow.Store(0)
	case d.By == ByClassifier:
		c.inARow.Add(1)
		c.all.Add(1)
	}
}
