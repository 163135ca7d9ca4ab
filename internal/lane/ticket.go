package lane

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
)

// ErrDone is returned by Wait for a ticket that has left the line.
var ErrDone = errors.New("the ticket has left the line")

// Ticket is one job's place in the line of a Lane.
type Ticket struct {
	lane  *Lane
	place uint64 // fixed; lower is earlier

	// Guarded by lane.mu.
	earlier, later *Ticket // neighbours in line
	state          state
	claim          Claim
	replaced       bool          // claimed more than once: later tickets may hold its keys
	granted        chan struct{} // made by Wait, closed when Wait should look again
	detached       error         // set by Detach

	// A waiting ticket is parked on one of those in its way, and looks again
	// when that one changes. So a change costs only those it may set free.
	blocker *Ticket
	changes uint64 // lane.changes when it was parked
	parked  []*Ticket
}

type state uint8

const (
	unclaimed state = iota
	waiting
	holding
	gone
)

// Claim says what the job touches. Claiming again, for an input that was
// rewritten or names that now lead elsewhere, first gives up the keys that are
// held and then stands in line for the new ones at the same place: the ticket
// waits for later jobs that already hold what it wants, and no other later job
// gets ahead of it. It must not be called while the job runs. Another goroutine
// may call it for a ticket inside Wait, which then waits for the new keys.
// After Done it does nothing. The caller must not change c.Keys afterwards.
func (t *Ticket) Claim(c Claim) {
	l := t.lane
	l.mu.Lock()
	defer l.mu.Unlock()
	switch t.state {
	case gone:
		return
	case waiting, holding:
		t.replaced = true
		l.changes++
		t.unpark()
	}
	t.claim = c
	t.state = waiting
	t.settle(t.earlier)
	t.wake(t)
	t.notify() // a detached ticket may be in the way of the new claim
}

// Wait returns nil once the ticket holds what it claimed: no earlier job that
// conflicts is left, and no later one holds its keys. A ticket that claimed
// nothing yet waits for that too. Wait returns context.Cause(ctx) if ctx ends
// first or has ended, the reason given to Detach if a detached ticket is in
// the way, and ErrDone after Done. After an error the ticket is still in line.
func (t *Ticket) Wait(ctx context.Context) error {
	for ctx.Err() == nil {
		granted, err := t.look()
		if granted == nil {
			return err
		}
		select {
		case <-granted:
		case <-ctx.Done():
		}
	}
	return context.Cause(ctx)
}

// look returns what Wait returns, or the channel that says when to look again.
func (t *Ticket) look() (<-chan struct{}, error) {
	t.lane.mu.Lock()
	defer t.lane.mu.Unlock()
	switch t.state {
	case holding:
		return nil, nil
	case gone:
		return nil, ErrDone
	}
	var first *Ticket // the earliest, so that the same jobs name the same holder
	for _, u := range t.lane.detached {
		if u.blocks(t) && (first == nil || u.place < first.place) {
			first = u
		}
	}
	if first != nil {
		return nil, first.detached
	}
	if t.granted == nil {
		t.granted = make(chan struct{})
	}
	return t.granted, nil
}

// Slot takes one of the lane's worker slots, first come first served, or
// returns context.Cause(ctx) if ctx ends first or has ended. The slot is held
// until release, which may be called more than once, and is independent of
// Done. Take it after Wait: a job that waits for keys should occupy no worker.
func (t *Ticket) Slot(ctx context.Context) (release func(), err error) {
	slots := t.lane.slots
	if err := slots.Acquire(ctx, 1); err != nil {
		return nil, context.Cause(ctx)
	}
	var released atomic.Bool
	return func() {
		if released.CompareAndSwap(false, true) {
			slots.Release(1)
		}
	}, nil
}

// Detach says that the job may never end. It keeps its place and its keys until
// Done, but jobs in whose way it is no longer wait: their Wait returns reason,
// which should name the job. A second call replaces the reason for later calls
// of Wait; after Done it does nothing.
func (t *Ticket) Detach(reason error) {
	l := t.lane
	l.mu.Lock()
	defer l.mu.Unlock()
	if t.state == gone {
		return
	}
	if t.detached == nil {
		l.detached = append(l.detached, t)
	}
	t.detached = reason
	for u := l.last; u != nil; u = u.earlier {
		if u != t && t.blocks(u) {
			u.notify()
		}
	}
}

// Done leaves the line and gives up the keys. Further calls do nothing.
func (t *Ticket) Done() {
	l := t.lane
	l.mu.Lock()
	defer l.mu.Unlock()
	if t.state == gone {
		return
	}
	t.state = gone
	t.unpark()
	l.unlink(t)
	if t.detached != nil {
		l.detached = slices.DeleteFunc(l.detached, func(u *Ticket) bool { return u == t })
	}
	t.wake(t.earlier)
	t.notify()
	t.claim, t.earlier, t.later = Claim{}, nil, nil // a kept ticket keeps no other alive
}

// blocks reports whether t is in the way of u.
func (t *Ticket) blocks(u *Ticket) bool {
	return (t.place < u.place || t.state == holding) && t.claim.Conflicts(u.claim)
}
