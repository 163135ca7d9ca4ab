package pegboard

import (
	"context"
	"fmt"
	"slices"
)

// A lease is one batch of calls that runs in a session.
type lease struct {
	batch *batch
	ended chan struct{} // made by Close, which waits for it
	place int           // among those of the session
}

// stop ends the batch's calls, whatever their tools' Interrupt.
func (l *lease) stop(cause error) {
	l.batch.halt(cause)
	l.batch.scope.Cancel(cause)
}

// wait returns when the batch has ended, or an error if ctx ends before that.
func (l *lease) wait(ctx context.Context) error {
	select {
	case <-l.ended:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("calls still running: %w", context.Cause(ctx))
	}
}

// hire registers a batch, so that Close can stop it and wait for it. It reports
// whether the session is open.
func (s *Session) hire(l *lease) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		l.place = -1
		return false
	}
	l.place = len(s.running)
	s.running = append(s.running, l)
	return true
}

// dismiss forgets a batch that has ended.
func (s *Session) dismiss(l *lease) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l.place >= 0 { // it was hired
		last := s.running[len(s.running)-1]
		s.running[l.place], last.place = last, l.place
		s.running[len(s.running)-1] = nil
		s.running = s.running[:len(s.running)-1]
	}
	if l.ended != nil {
		close(l.ended)
	}
}

// shut closes the session to further batches, and stops those that run. It returns
// them, to be waited for.
func (s *Session) shut() []*lease {
	s.mu.Lock()
	s.closed = true
	leases := slices.Clone(s.running)
	for _, l := range leases {
		if l.ended == nil {
			l.ended = make(chan struct{})
		}
	}
	s.mu.Unlock()
	for _, l := range leases {
		l.stop(ErrClosed)
	}
	return leases
}

// Detached returns the names of the calls that were given up and have not
// returned yet, in this session and all that belong to the same main session.
func (s *Session) Detached() []string { return s.main().detached.Names() }

// Interrupt stops the calls that run in s and its forks, as cancelling their
// contexts would, but whatever their tools' Interrupt says. It returns at once. A nil
// cause means [ErrUserInterrupt].
func (s *Session) Interrupt(cause error) {
	if cause == nil {
		cause = ErrUserInterrupt
	}
	s.mu.Lock()
	leases := slices.Clone(s.running)
	s.mu.Unlock()
	for _, l := range leases {
		l.stop(cause)
	}
	s.owned.Interrupt(cause)
}
