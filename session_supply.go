package pegboard

import (
	"errors"

	"github.com/seed49eaa51d/pegboard/internal/asking"
)

// Awaited returns the calls that the host executes and whose outcomes it has not supplied
// yet, of a main session and all its agents, in the order in which they began. A fork has
// none: its owner may be an agent, which must not answer for the host.
func (s *Session) Awaited() []*AwaitedCall {
	if s.parent != nil {
		return nil
	}
	var calls []*AwaitedCall
	for _, a := range s.awaited.Open() {
		calls = append(calls, a.call())
	}
	return calls
}

// Supply supplies the outcome of a call that the host has executed: of a main session or any
// of its agents, with the ID of an [AwaitedCall]. It may be called from anywhere, also from
// [Executor].OnEvent. What follows is as for any tool: the hooks after the call, the limits
// of results, the events.
//
// The error is [ErrNotAwaited] if no call with that id is open: it was supplied before, its
// call has ended, or s is a fork. It is [ErrInvalidOutput] if the output is not one of the
// tool, and the call stays open. Nil means that the outcome is what was supplied, even if
// the call is stopped in that moment.
func (s *Session) Supply(id string, out Supply) error {
	if s.parent != nil {
		return ErrNotAwaited
	}
	err := s.awaited.Answer(id, func(a *awaiting) (supplied, error) { return a.accept(out) })
	if errors.Is(err, asking.ErrStale) {
		return ErrNotAwaited
	}
	return err
}
