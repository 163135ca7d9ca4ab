package pegboard

import (
	"fmt"
	"slices"
)

// Suspension returns the value of a message whose calls wait for answers, or nil if none of its
// outcomes wraps [ErrSuspended]. Outcomes are those of [Executor.Run], [Executor.Resume] or of a
// [Stream] whose Outcomes has ended, at least one that is suspended among them.
//
// The host saves the value beside the conversation, and sends no request before the message is
// answered as a whole: no result of it belongs into the history. Every [Executor.Resume] that
// leaves a question open makes a new value; the old one is then of no use.
func (s *Session) Suspension(outcomes []Outcome) (*Suspension, error) {
	s.mustExist("Suspension")
	i := slices.IndexFunc(outcomes, func(o Outcome) bool { return o.suspended != nil })
	if i < 0 {
		return nil, nil
	}
	b := outcomes[i].suspended.job.batch
	if b.pool.session != s || b.record == nil {
		return nil, fmt.Errorf("%w: the outcomes are of a pool of another session", ErrOtherSession)
	}
	turn, err := b.suspendedTurn()
	if err != nil {
		return nil, err
	}
	return newSuspension(turn, b.record.seal)
}
