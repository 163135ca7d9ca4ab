package throttle

import (
	"context"
	"slices"
	"time"
)

// An Entry is one job's way through its groups. The zero value is in none, and its Leave
// and Abandon do nothing. Call Init before Join. An Entry may join again after it has left.
type Entry struct {
	outer  *Entry // the nearest job around this one, or nil
	slots  Slots
	groups []*Group
	set    *Set // nil before Init

	// Guarded by set.mu.
	state     state
	err       error         // of a failed entry
	wake      chan struct{} // signalled when state has changed
	abandoned error         // the reason given to Abandon, or nil
}

type state uint8

const (
	outside   state = iota // not joined, or left
	waiting                // for places and rates
	wantsSlot              // places and rates permitted a start, and no worker slot was free
	running                // with places and a slot
	failed                 // it would have waited for ever
)

// Init says in which groups a job is, at least one and all of one set, and from where it
// gets its worker slot. Outer is the entry of the nearest job around this one, or nil. It
// may be of another set: then the nearest one around it that is of this set counts.
func (e *Entry) Init(outer *Entry, slots Slots, groups ...*Group) {
	e.set, e.slots, e.groups = groups[0].set, slots, groups
	for outer != nil && outer.set != e.set {
		outer = outer.outer
	}
	e.outer, e.wake = outer, make(chan struct{}, 1)
}

// Join lets the job start, or puts it in line. It returns nil if the job has started: it
// then holds its places and a worker slot. Otherwise the caller calls Wait, and the result
// names the obstacle. It is empty if the job lacks only a worker slot.
func (e *Entry) Join() *Obstacle {
	s := e.set
	s.mu.Lock()
	defer s.mu.Unlock()
	e.state, e.err = waiting, nil
	s.waiting = append(s.waiting, e)
	if e.outer != nil {
		s.nested++
	}
	obstacle := e.obstacle(time.Now())
	s.advance()
	if e.state == running {
		return nil
	}
	if obstacle == nil {
		return &Obstacle{}
	}
	return obstacle
}

// Wait returns nil when the job has started. It returns context.Cause(ctx) if ctx ends
// first or has ended, the reason given to Abandon if abandoned jobs hold all places of a
// group, and [ErrDeadlock]. After an error the job is not in line any more.
func (e *Entry) Wait(ctx context.Context) error {
	for ctx.Err() == nil {
		switch e.current() {
		case running:
			return nil
		case failed:
			return e.err
		case wantsSlot:
			if e.slots.AcquireSlot(ctx) == nil {
				e.startWithSlot()
			}
		default:
			select {
			case <-e.wake:
			case <-ctx.Done():
			}
		}
	}
	e.giveUp()
	return context.Cause(ctx)
}

func (e *Entry) current() state {
	e.set.mu.Lock()
	defer e.set.mu.Unlock()
	return e.state
}

// startWithSlot starts an entry that has waited for its worker slot. If a place was taken
// or a rate used up meanwhile, it gives the slot back and waits for these again.
func (e *Entry) startWithSlot() {
	e.set.mu.Lock()
	defer e.set.mu.Unlock()
	if now := time.Now(); e.obstacle(now) == nil {
		e.start(now)
		return
	}
	e.slots.ReleaseSlot()
	e.state = waiting
	e.set.advance()
}

// giveUp takes the entry out of line. If it has just started, it gives back its places and its
// worker slot.
func (e *Entry) giveUp() {
	e.set.mu.Lock()
	defer e.set.mu.Unlock()
	if e.state == running {
		e.slots.ReleaseSlot()
	}
	e.remove(outside)
	e.set.advance()
}

// Leave gives back the places of the job, if it has any. The caller releases the worker
// slot before, so that a job of the same lane can have it.
func (e *Entry) Leave() {
	if e.set == nil {
		return
	}
	e.set.mu.Lock()
	defer e.set.mu.Unlock()
	if e.state != running {
		return
	}
	if e.abandoned != nil {
		e.abandoned = nil
		e.set.abandoned--
	}
	e.remove(outside)
	e.set.advance()
}

// Abandon marks a running job as one that may never end. It keeps its places until Leave,
// but other jobs do not wait for it: if such jobs hold all places of a group, Wait returns
// reason, which should name the job.
func (e *Entry) Abandon(reason error) {
	if e.set == nil {
		return
	}
	e.set.mu.Lock()
	defer e.set.mu.Unlock()
	if e.state != running || e.abandoned != nil {
		return
	}
	e.abandoned = reason
	e.set.abandoned++
	e.set.advance()
}

// obstacle returns what keeps e from starting now, a worker slot aside, or nil. The
// caller holds set.mu.
func (e *Entry) obstacle(now time.Time) *Obstacle {
	var first *Obstacle
	for _, g := range e.groups {
		if g.limit.Parallel > 0 && g.placeFor(e) == nil {
			return &Obstacle{Group: g} // how long is not known, whatever the rates say
		}
		if at := g.startsAt(); g.limit.Interval > 0 && now.Before(at) && (first == nil || at.After(first.until)) {
			first = &Obstacle{Group: g, Rate: true, until: at}
		}
	}
	return first
}

// start lets e start. The caller holds set.mu, and e has a worker slot.
func (e *Entry) start(now time.Time) {
	e.remove(running)
	for _, g := range e.groups {
		g.start(e, now)
	}
}

// remove takes e out of line and gives its places back. The caller holds set.mu.
func (e *Entry) remove(next state) {
	s := e.set
	if e.state == waiting || e.state == wantsSlot {
		s.waiting = slices.DeleteFunc(s.waiting, func(other *Entry) bool { return other == e })
		if e.outer != nil {
			s.nested--
		}
	}
	if e.state == running {
		for _, g := range e.groups {
			g.leave(e)
		}
	}
	e.state = next
}

// isBlocked reports whether a running job does not end as long as the entries in stuck
// wait. The caller holds set.mu.
func (e *Entry) isBlocked(stuck []*Entry) bool {
	return e.abandoned != nil || slices.ContainsFunc(stuck, func(w *Entry) bool {
		for o := w.outer; o != nil; o = o.outer {
			if o == e {
				return true
			}
		}
		return false
	})
}

// notify wakes Wait. The caller holds set.mu.
func (e *Entry) notify() {
	select {
	case e.wake <- struct{}{}:
	default:
	}
}
