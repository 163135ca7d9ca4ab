package pegboard

import (
	"context"
	"fmt"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// askGuard asks the session's Guard about the call, which was decided as d. It returns the
// Guard's decision if that is a stricter one or changes the input.
func (j *job) askGuard(ctx context.Context, d Decision, o opinions) (*Decision, *failure) {
	guard := j.session().cfg.Guard
	if guard == nil || d.Behavior == Deny {
		return nil, nil
	}
	q := j.inquiry(d, o).question("")
	q.Decision = d
	var said Decision
	err := markPanic(goroutine.Try(func() (err error) {
		j.foreign("the Guard", func() { said, err = guard(ctx, q) })
		return err
	}))
	if err != nil && ctx.Err() != nil {
		return nil, j.stopped(context.Cause(ctx))
	}
	if err != nil {
		j.batch.logCrash(j.call, StagePermission, err)
		j.recordDecision(Decision{Behavior: Deny, By: ByGuard, Reason: "the guard failed: " + err.Error()})
		return nil, &failure{err: fmt.Errorf("%w: %w", ErrDenied, err),
			text: fmt.Sprintf("%s was denied: the program could not check it. Tell the user; repeating the call will not help.", j.call.Name)}
	}
	if said = stricter(said, Decision{}); said.Behavior <= Allow && j.rewritten(said) == nil {
		return nil, nil
	}
	if said.Behavior == Deny && said.StopTurn {
		j.stopTurn()
	}
	return &Decision{Behavior: said.Behavior, By: ByGuard, Reason: said.Reason, Input: said.Input}, nil
}

// decideGuarded decides the call with the opinion of the Guard, whose reason to ask is
// added to any other.
func (j *job) decideGuarded(o opinions) Decision {
	d := j.call.decide(o)
	if d.Behavior == Ask && d.By != ByGuard && o.guard.Reason != "" {
		d.Reason += "; " + o.guard.Reason
	}
	return d
}
