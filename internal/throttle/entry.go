package throttle

import (
	"context"
	"slices"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/lane"
)

// An Entry is one job's way through its keys and groups. The zero value has none, and its
// Leave, LeaveKeys and Abandon do nothing. Call Init before Join. An Entry may join again after
// it has left its places and keys.
type Entry struct {
	Owner  any  // of the caller, who finds it in [Obstacle].Holder
	Inside bool // the job is inside another one; set before Join, and by Init if outer is not nil

	outer  *Entry // the nearest job around this one, or nil
	slots  Slots
	keys   lane.Claim // not exclusive
	groups []*Group
	set    *Set // nil before Init

	// Guarded by set.mu.
	state     state
	err       error         // of a failed entry
	wake      chan struct{} // signalled when state has changed; nil if nobody waits yet
	abandoned error         // the reason given to Abandon, or nil
	holds     bool          // its keys
}

type state uint8

const (
	outside   state = iota // not joined, or left
	waiting                // for keys, places and rates
	wantsSlot              // these permitted a start, and no worker slot was free
	running                // with places and a slot
	failed                 // it would have waited for ever
)

// Init says what a job needs: keys, and places in groups of s. Slots is where it gets its worker
// slot from. Outer is the entry of the nearest job around this one that has one, or nil. It may be
// of another set: then the nearest one around it that is of s counts.
func (e *Entry) Init(s *Set, outer *Entry, slots Slots, keys []lane.Key, groups ...*Group) {
	e.set, e.slots, e.keys.Keys, e.groups = s, slots, keys, groups
	e.Inside = e.Inside || outer != nil
	for outer != nil && outer.set != s {
		outer = outer.outer
	}
	e.outer = outer
}

// Join lets the job start, or puts it in line. It returns nil if the job has started: it
// then holds its keys, its places and a worker slot. Otherwise the caller calls Wait, and the
// result names the obstacle. It is empty if the job lacks only a worker slot.
func (e *Entry) Join() *Obstacle {
	s := e.set
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	obstacle := e.obstacle(now)
	if obstacle == nil && len(s.waiting) == 0 && e.slots.TryAcquireSlot() {
		e.start(now)
		return nil
	}
	e.state, e.err = waiting, nil
	if e.wake == nil {
		e.wake = make(chan struct{}, 1)
	}
	s.waiting = append(s.waiting, e)
	if e.Inside {
		s.nested++
	}
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
// group, a [*KeysError] if one holds a key, and [ErrDeadlock]. After an error the job is not in
// line any more.
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

// startWithSlot starts an entry that has waited for its worker slot. If a key or a place was taken
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

// giveUp takes the entry out of line. If it has just started, it gives back its keys, its places
// and its worker slot.
func (e *Entry) giveUp() {
	e.set.mu.Lock()
	defer e.set.mu.Unlock()
	if e.state == running {
		e.slots.ReleaseSlot()
	}
	e.remove(outside)
	e.dropKeys()
	e.set.advance()
}

// Leave gives back the places of the job, if it has any, and not its keys. The caller releases the
// worker slot before, so that a job of the same lane can have it.
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

// LeaveKeys gives back the keys of the job, if it holds any.
func (e *Entry) LeaveKeys() {
	if e.set == nil {
		return
	}
	e.set.mu.Lock()
	defer e.set.mu.Unlock()
	if e.holds {
		e.dropKeys()
		e.set.advance()
	}
}

// dropKeys takes the keys of e back. The caller holds set.mu.
func (e *Entry) dropKeys() {
	if e.holds {
		e.holds = false
		e.set.holding = slices.DeleteFunc(e.set.holding, func(other *Entry) bool { return other == e })
	}
}

// Abandon marks a running job as one that may never end. It keeps its places until Leave and
// its keys until LeaveKeys, but other jobs do not wait for it: if such jobs hold all places of a
// group, or a key, Wait returns reason, which should name the job.
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
	if h, x := e.inTheWay(nil); h != nil {
		return &Obstacle{Holder: h.Owner, Keys: x}
	}
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

// inTheWay returns the first entry that counts, all if counts is nil, and has keys that conflict
// with those of e: one that holds them, or that has waited for them longer. An entry inside
// another passes those that wait, since the job around it may hold what these wait for. The
// caller holds set.mu.
func (e *Entry) inTheWay(counts func(*Entry) bool) (*Entry, lane.Conflict) {
	if len(e.keys.Keys) == 0 {
		return nil, lane.Conflict{}
	}
	for _, h := range e.set.holding {
		if h == e || e.isInside(h) || counts != nil && !counts(h) {
			continue
		}
		if x, ok := e.keys.Conflict(h.keys); ok {
			return h, x
		}
	}
	if e.Inside {
		return nil, lane.Conflict{}
	}
	for _, w := range e.set.waiting {
		if w == e {
			break
		}
		if counts != nil && !counts(w) {
			continue
		}
		if x, ok := e.keys.Conflict(w.keys); ok {
			return w, x
		}
	}
	return nil, lane.Conflict{}
}

// isInside reports whether other is a job around e.
func (e *Entry) isInside(other *Entry) bool {
	for o := e.outer; o != nil; o = o.outer {
		if o == other {
			return true
		}
	}
	return false
}

// start lets e start. The caller holds set.mu, and e has a worker slot.
func (e *Entry) start(now time.Time) {
	e.remove(running)
	for _, g := range e.groups {
		g.start(e, now)
	}
	if len(e.keys.Keys) > 0 {
		e.holds = true
		e.set.holding = append(e.set.holding, e)
	}
}

// remove takes e out of line and gives its places back. The caller holds set.mu.
func (e *Entry) remove(next state) {
	s := e.set
	if e.state == waiting || e.state == wantsSlot {
		s.waiting = slices.DeleteFunc(s.waiting, func(other *Entry) bool { return other == e })
		if e.Inside {
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
	return e.abandoned != nil || slices.ContainsFunc(stuck, func(w *Entry) bool { return w.isInside(e) })
}

// isHopeless reports whether e does not start as long as the entries in stuck wait. The caller
// holds set.mu.
func (e *Entry) isHopeless(stuck []*Entry) bool {
	if slices.ContainsFunc(e.groups, func(g *Group) bool { return g.isHopeless(e, stuck) }) {
		return true
	}
	h, _ := e.inTheWay(func(other *Entry) bool { return slices.Contains(stuck, other) || other.holds && other.isBlocked(stuck) })
	return h != nil
}

// abandonedReason returns the reason of an abandoned job that keeps e, which is stuck, from
// starting, or nil. The caller holds set.mu.
func (e *Entry) abandonedReason() error {
	if h, _ := e.inTheWay(func(other *Entry) bool { return other.abandoned != nil }); h != nil {
		return &KeysError{h.abandoned}
	}
	for _, g := range e.groups {
		if reason := g.abandonedReason(e); reason != nil {
			return reason
		}
	}
	return nil
}

// notify wakes Wait. The caller holds set.mu.
func (e *Entry) notify() {
	select {
	case e.wake <- struct{}{}:
	default:
	}
}
