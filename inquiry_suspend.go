package pegboard

import (
	"cmp"
	"context"
	"errors"

	"github.com/seed49eaa51d/pegboard/internal/asking"
)

// suspends reports whether the question can be put off: that of a call of the model that has not
// begun, in a main session that suspends.
func (q *inquiry) suspends() bool {
	return q.job.durable != nil && !q.running && !q.session().cfg.NoPrompts
}

// suspend asks those who answer without the user. If none of them does, the call is suspended,
// unless it is decided by now in another way.
func (q *inquiry) suspend(ctx context.Context, deciders []func(context.Context) (Decision, bool)) (Decision, error) {
	alone := asking.Race[*pending, Decision]{Line: q.session().line, Deciders: deciders}
	d, err := alone.Run(ctx)
	if !errors.Is(err, ErrNoApprover) {
		return q.finish(ctx, d, err)
	}
	if err := q.job.waitForAnswers(ctx); err != nil {
		return Decision{}, err
	}
	if now := q.again(); now.Behavior != Ask {
		return now, nil
	}
	r, s := q.job.newQuestionRecord(q), q.job.durable.record.suspending
	r.Suggestions = q.question("").Suggestions(cmp.Or(s.Suggest, SourceSession))
	return Decision{}, &suspendedError{question: r}
}
