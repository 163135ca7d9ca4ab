package lane

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
)

// ErrDone is returned by Wait after Done.
var ErrDone = errors.New("the ticket has left the line")

// Ticket is one job's place in the line of a Lane.
type Ticket struct {
	lane    *Lane
	place   uint64      // position in the order of admission, from 1
	hasSlot atomic.Bool // whether it holds a worker slot

	// Guarded by lane.mu.
	earlier, later *Ticket // neighbours in line
	state          state
	claim          Claim
	recompute      func() Claim  // see SetRecompute; may be nil
	replaced       bool          // whether it claimed again, so that later tickets may hold keys it conflicts with
	wakeup         chan struct{} // made by Wait, closed when Wait must check again
	abandoned      error         // the reason given to Abandon, or nil
	wantsBlocker   bool          // Blocker wants to know when a job that has claimed its keys blocks this one

	// A waiting ticket is parked on one of the tickets that block it, and is checked
	// again when that one changes. So a change costs time only for tickets that it
	// may unblock.
	blocker *Ticket
	changes uint64    // lane.changes when it was parked
	parked  []*Ticket // tickets whose blocker is this one
}

type state uint8

const (
	unclaimed state = iota
	waiting
	holding
	done
)

// Claim sets the things that the job touches. A second call, after the job's input was
// rewritten or its names resolve to other things, releases the keys that are held and
// waits for the new ones at the same place in line: the ticket waits for later jobs
// that already hold keys it conflicts with, and no other later job overtakes it. Claim
// must not be called while the job runs. Another goroutine may call it for a ticket
// inside Wait, which then waits for the new keys. After Done it does nothing. The
// caller must not change c.Keys afterwards.
func (t *Ticket) Claim(c Claim) {
	t.lane.mu.Lock()
	defer t.lane.mu.Unlock()
	t.setClaim(c)
}

// EndedJobs returns the number of jobs of the lane that held their keys and are done.
func (t *Ticket) EndedJobs() uint64 {
	t.lane.mu.Lock()
	defer t.lane.mu.Unlock()
	return t.lane.ended
}

// ClaimIfNoneEnded is Claim if EndedJobs still returns ended. Otherwise a job ended
// while the caller resolved the names in c, and may have changed the result: then it
// does nothing and returns false.
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
	t.notify() // an abandoned ticket may block the new claim
}

// SetRecompute sets the function that computes the claim of a waiting ticket again when
// its names may resolve to other things: when an earlier exclusive job, or the job that
// the ticket is parked on, is done. The claim is replaced before that job's keys are
// given to other tickets, so if two waiting jobs turn out to touch the same thing, the
// earlier one still runs first. Done calls f on its own goroutine; f must not use the
// lane. A nil f removes the function.
func (t *Ticket) SetRecompute(f func() Claim) {
	t.lane.mu.Lock()
	defer t.lane.mu.Unlock()
	if t.state != done {
		t.setRecompute(f)
	}
}

// setRecompute also counts the tickets with such a function, so that Done need not
// search a line without any.
func (t *Ticket) setRecompute(f func() Claim) {
	if t.recompute != nil {
		t.lane.recomputing--
	}
	if f != nil {
		t.lane.recomputing++
	}
	t.recompute = f
}

// Wait returns nil once the ticket holds its keys: no earlier ticket conflicts with its
// claim, and no later one holds conflicting keys. Before the first Claim, Wait waits
// for the claim too. It returns context.Cause(ctx) if ctx ends first or has ended, the
// reason given to Abandon if an abandoned ticket blocks this one, and ErrDone after
// Done. After an error the ticket is still in line.
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

// Waits reports whether the ticket has claimed keys and does not hold them yet.
func (t *Ticket) Waits() bool {
	t.lane.mu.Lock()
	defer t.lane.mu.Unlock()
	return t.state == waiting
}

// check returns the result of Wait, or the channel to wait for before the next check.
func (t *Ticket) check() (<-chan struct{}, error) {
	t.lane.mu.Lock()
	defer t.lane.mu.Unlock()
	switch t.state {
	case holding:
		return nil, nil
	case done:
		return nil, ErrDone
	}
	if u := t.abandonedBlocker(); u != nil {
		return nil, u.abandoned
	}
	return t.nextWakeup(), nil
}

// abandonedBlocker returns the earliest abandoned ticket that blocks t, or nil, so that the
// reason that Wait returns does not depend on the order of Abandon.
func (t *Ticket) abandonedBlocker() (first *Ticket) {
	for _, u := range t.lane.abandoned {
		if u.blocks(t) && (first == nil || u.place < first.place) {
			first = u
		}
	}
	return first
}

// nextWakeup returns the channel that notify closes.
func (t *Ticket) nextWakeup() <-chan struct{} {
	if t.wakeup == nil {
		t.wakeup = make(chan struct{})
	}
	return t.wakeup
}

// AcquireSlot acquires one of the lane's worker slots, first come first served, or
// returns context.Cause(ctx) if ctx ends first or has ended. The slot is held until
// ReleaseSlot, independently of Done. Call it after Wait, since a job that waits for keys
// should occupy no worker, and not while the ticket holds a slot.
func (t *Ticket) AcquireSlot(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if t.lane.slots == nil {
		return nil
	}
	select {
	case t.lane.slots <- struct{}{}: // the usual case; ctx.Done may allocate, so it is called only below
	default:
		select {
		case t.lane.slots <- struct{}{}:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	t.hasSlot.Store(true)
	if ctx.Err() != nil { // both cases were ready, and select took the slot
		t.ReleaseSlot()
		return context.Cause(ctx)
	}
	return nil
}

// TryAcquireSlot acquires a worker slot if one is free, and reports whether it did.
func (t *Ticket) TryAcquireSlot() bool {
	if t.lane.slots == nil {
		return true
	}
	select {
	case t.lane.slots <- struct{}{}:
		t.hasSlot.Store(true)
		return true
	default:
		return false
	}
}

// ReleaseSlot releases the worker slot if the ticket holds one.
func (t *Ticket) ReleaseSlot() {
	if t.hasSlot.CompareAndSwap(true, false) {
		<-t.lane.slots
	}
}

// Abandon marks the job as one that may never end. It keeps its place and its keys until
// Done, but other jobs no longer wait for it: Wait of a ticket that it blocks returns
// reason, which should name the job. A second call replaces the reason for later calls
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

// Done releases the keys and removes the ticket from the line. Further calls do nothing.
func (t *Ticket) Done() {
	l := t.lane
	l.mu.Lock()
	defer l.mu.Unlock()
	if t.state == holding {
		l.ended++ // from now on ClaimIfNoneEnded refuses names that were resolved before
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
	t.claim, t.earlier, t.later = Claim{}, nil, nil // so that a reference to t keeps no other ticket alive
}

// recomputeWaiting replaces the claims of waiting tickets whose names may resolve to
// other things now that t is done, in the order of the line. It unlocks the lane in
// between, so some of these tickets may be done before their claim is replaced.
func (t *Ticket) recomputeWaiting() {
	if t.lane.recomputing == 0 {
		return
	}
	var stale []*Ticket
	var recomputes []func() Claim
	for u := t.later; u != nil; u = u.later {
		if u.state == waiting && u.recompute != nil && (t.claim.Exclusive || u.blocker == t) {
			stale, recomputes = append(stale, u), append(recomputes, u.recompute)
		}
	}
	claims := t.lane.callUnlocked(recomputes)
	for i, u := range stale {
		if u.state == waiting {
			u.setClaim(claims[i])
		}
	}
}

// callUnlocked calls the functions with l.mu unlocked, since they may take long, and
// returns their results.
func (l *Lane) callUnlocked(fs []func() Claim) []Claim {
	l.mu.Unlock()
	defer l.mu.Lock()
	claims := make([]Claim, len(fs))
	for i, f := range fs {
		claims[i] = f()
	}
	return claims
}

// Blocker returns the ticket that t has to wait for, and why: the nearest that conflicts with
// t and has claimed its keys. While t only waits for jobs that have not claimed their keys, so
// does Blocker. The result is false once it is known that t waits for no such ticket: it
// holds its keys, ctx has ended, or Wait would return an error. Blocker is for the goroutine
// that calls Wait.
func (t *Ticket) Blocker(ctx context.Context) (by *Ticket, why Conflict, ok bool) {
	for {
		by, why, wakeup := t.findBlocker()
		if wakeup == nil {
			return by, why, by != nil
		}
		select {
		case <-wakeup:
		case <-ctx.Done():
			return nil, Conflict{}, false
		}
	}
}

// findBlocker returns the result of Blocker, or the channel to wait for before the next call.
func (t *Ticket) findBlocker() (by *Ticket, why Conflict, wakeup <-chan struct{}) {
	t.lane.mu.Lock()
	defer t.lane.mu.Unlock()
	t.wantsBlocker = false
	if t.state == holding || t.state == done || t.abandonedBlocker() != nil {
		return nil, Conflict{}, nil
	}
	if t.state == waiting {
		if by, why, ok := t.claimedBlocker(); ok {
			return by, why, nil
		}
	}
	t.wantsBlocker = true
	return nil, Conflict{}, t.nextWakeup()
}

// claimedBlocker searches as grant does. The caller holds lane.mu.
func (t *Ticket) claimedBlocker() (by *Ticket, why Conflict, ok bool) {
	for u := t.earlier; u != nil; u = u.earlier {
		if u.state != unclaimed && u.blocks(t) {
			why, ok = t.claim.Conflict(u.claim)
			return u, why, ok
		}
	}
	for u := t.later; u != nil; u = u.later {
		if u.blocks(t) { // it holds its keys
			why, ok = t.claim.Conflict(u.claim)
			return u, why, ok
		}
	}
	return nil, Conflict{}, false
}
