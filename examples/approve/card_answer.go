package main

import (
	"errors"
	"fmt"

	"github.com/seed49eaa51d/pegboard/policy"
)

// submit answers the question of c. After an error the question stays open, unless
// the error is [pegboard.ErrQuestionClosed] or [pegboard.ErrNotSaved].
func (c *card) submit(a answer) error {
	d, err := c.decision(a)
	if err != nil {
		return err
	}
	return c.question.Answer(d)
}

// decision converts an answer to a decision.
func (c *card) decision(a answer) (policy.Decision, error) {
	d := policy.Decision{Behavior: policy.Allow, Reason: a.Reason}
	switch a.Answer {
	case once:
	case always:
		switch n := len(c.remember); {
		case n == 0:
			return d, errors.New("of this call nothing can be remembered")
		case a.N < 1 || a.N > n:
			return d, fmt.Errorf("suggestion %d is not there; choose from 1 to %d", a.N, n)
		}
		d.Remember = c.remember[a.N-1]
	case edit:
		if len(a.Input) == 0 {
			return d, errors.New("the new input is missing")
		}
		d.Input = a.Input
	case deny, stop:
		d.Behavior, d.StopTurn = policy.Deny, a.Answer == stop
	default:
		return d, fmt.Errorf("the answer is %q, not %s, %s, %s, %s or %s", a.Answer, once, always, edit, deny, stop)
	}
	return d, nil
}
