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
	lane    *Lane
	place   uint64      // fixed; lower is earlier
	hasSlot atomic.Bool // it holds a worker slot

	// Guarded by lane.mu.
	earlier, later *Ticket // neighbours in line
	state          state
	claim          Claim
	recompute      func() Claim  // set by Renew
	replaced       bool          // claimed more than once: later tickets may hold its keys
	wakeup         chan struct{} // made by Wait, closed when Wait should look again
	abandoned      error         // set by Detach

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
	done
)

// Claim says what the job touches. Claiming again, for an input that was
// rewritten or names that now lead elsewhere, first gives up the keys that are
// held and then stands in line for the new ones at the same place: the ticket
// waits for later jobs that already hold what it wants, and no other later job
// gets ahead of it. It must not be called while the job runs. Another goroutine
// may call it for a ticket inside Wait, which then waits for the new keys.
// After Done it does nothing. The caller must not change c.Keys afterwards.
func (t *Ticket) Claim(c Claim) {
	t.lane.mu.Lock()
	defer t.lane.mu.Unlock()
	t.setClaim(c)
}

// EndedJobs returns how many jobs of the lane that held their keys are done.
func (t *Ticket) EndedJobs() uint64 {
	t.lane.mu.Lock()
	defer t.lane.mu.Unlock()
	return t.lane.ended
}

// ClaimIfNoneEnded is Claim unless a job was done since Ended returned ended: then it
// does nothing and returns false, as what the names in c lead to may have changed
// while they were looked up.
func (t *Ticket) ClaimIfNoneEnded(ended uint64, c Claim) bool {
	t.lane.mu.Lock()
	defer t.lane.mu.Unlock()
	if t.lane.ended != ended {
		return false
	}
	t.setClaim(c)
	return true
}

func (t *Ticket) setClaim(c Claim) {
	switch t.state {
	case done:
		return
	case waiting, holding:
		if t.claim.equal(c) {
			return
		}
		t.replaced = true
		t.lane.changes++
		t.unpark()
	}
	t.claim = c
	t.state = waiting
	t.grant(t.earlier)
	t.wake(t)
	t.notify() // a detached ticket may be in the way of the new claim
}

// SetRecompute sets what makes the claim anew for a ticket that waits, because what its
// names lead to may have changed: when an exclusive job that it waits for is done,
// or the very job whose keys it waits for, the line asks renew before anybody goes
// on. So of two jobs that turn out to want the same thing the earlier still goes
// first. renew runs on the goroutine that calls Done; it must not use the lane.
func (t *Ticket) SetRecompute(renew func() Claim) {
	t.lane.mu.Lock()
	defer t.lane.mu.Unlock()
	if t.state != done {
		t.setRecompute(renew)
	}
}

// setRecompute keeps count of those who have one, so that most lines need not be
// searched for them.
func (t *Ticket) setRecompute(renew func() Claim) {
	if t.recompute != nil {
		t.lane.recomputing--
	}
	if renew != nil {
		t.lane.recomputing++
	}
	t.recompute = renew
}

// Wait returns nil once the ticket holds what it claimed: no earlier job that
// conflicts is left, and no later one holds its keys. A ticket that claimed
// nothing yet waits for that too. Wait returns context.Cause(ctx) if ctx ends
// first or has ended, the reason given to Detach if a detached ticket is in
// the way, and ErrDone after Done. After an error the ticket is still in line.
func (t *Ticket) Wait(ctx context.Context) error {
	for ctx.Err() == nil {
		granted, err := t.check()
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

// check returns what Wait returns, or the channel that says when to look again.
func (t *Ticket) check() (<-chan struct{}, error) {
	t.lane.mu.Lock()
	defer t.lane.mu.Unlock()
	switch t.state {
	case holding:
		return nil, nil
	case done:
		return nil, ErrDone
	}
	var first *Ticket // the earliest, so that the same jobs name the same holder
	for _, u := range t.lane.abandoned {
		if u.blocks(t) && (first == nil || u.place < first.place) {
			first = u
		}
	}
	if first != nil {
		return nil, first.abandoned
	}
	if t.wakeup == nil {
		t.wakeup = make(chan struct{})
	}
	return t.wakeup, nil
}

// AcquireSlot takes one of the lane's worker slots, first come first served, or
// returns context.Cause(ctx) if ctx ends first or has ended. The slot is held
// until Free, and is independent of Done. Take it after Wait, and once: a job
// that waits for keys should occupy no worker.
func (t *Ticket) AcquireSlot(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if t.lane.slots == nil {
		return nil
	}
	select {
	case t.lane.slots <- struct{}{}: // most often; who has no use for ctx.Done need not make it
	default:
		select {
		case t.lane.slots <- struct{}{}:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	t.hasSlot.Store(true)
	if ctx.Err() != nil { // it ended, and a slot was free as well
		t.ReleaseSlot()
		return context.Cause(ctx)
	}
	return nil
}

// ReleaseSlot gives back the worker slot if the ticket holds one.
func (t *Ticket) ReleaseSlot() {
	if t.hasSlot.CompareAndSwap(true, false) {
		<-t.lane.slots
	}
}

// Abandon says that the job may never end. It keeps its place and its keys until
// Done, but jobs in whose way it is no longer wait: their Wait returns reason,
// which should name the job. A second call replaces the reason for later calls
// of Wait; after Done it does nothing.
func (t *Ticket) Abandon(reason error) {
	l := t.lane
	l.mu.Lock()
	defer l.mu.Unlock()
	if t.state == done {
		return
	}
	if t.abandoned == nil {
		l.abandoned = append(l.abandoned, t)
	}
	t.abandoned = reason
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
	if t.state == holding {
		l.ended++ // who claims from now on looks again: what t did is done
		t.recomputeWaiting()
	}
	if t.state == done {
		return
	}
	t.state = done
	t.unpark()
	l.unlink(t)
	if t.abandoned != nil {
		l.abandoned = slices.DeleteFunc(l.abandoned, func(u *Ticket) bool { return u == t })
	}
	t.wake(t.earlier)
	t.notify()
	t.setRecompute(nil)
	t.claim, t.earlier, t.later = Claim{}, nil, nil // a kept ticket keeps no other alive
}

// recomputeWaiting makes the claims anew of tickets whose names may lead elsewhere now that
// t is done, in the order of the line. It lets go of the lane meanwhile, so some of
// them may be done themselves by then.
func (t *Ticket) recomputeWaiting() {
	if t.lane.recomputing == 0 {
		return
	}
	var stale []*Ticket
	var renews []func() Claim
	for u := t.later; u != nil; u = u.later {
		if u.state == waiting && u.recompute != nil && (t.claim.Exclusive || u.blocker == t) {
			stale, renews = append(stale, u), append(renews, u.recompute)
		}
	}
	claims := t.lane.unlocked(renews)
	for i, u := range stale {
		if u.state == waiting {
			u.setClaim(claims[i])
		}
	}
}

// unlocked calls what takes its time while others have the lane.
func (l *Lane) unlocked(renews []func() Claim) []Claim {
	l.mu.Unlock()
	defer l.mu.Lock()
	claims := make([]Claim, len(renews))
	for i, renew := range renews {
		claims[i] = renew()
	}
	return claims
}

// blocks reports whether t is in the way of u.
func (t *Ticket) blocks(u *Ticket) bool {
	return (t.place < u.place || t.state == holding) && t.claim.Conflicts(u.claim)
}
