// Package throttle keeps jobs apart that touch the same things, limits how many jobs of a group
// run at once, and how many start in a period, whatever lanes they are in. It knows nothing of
// tools.
//
// A job goes through it like this:
//
//	var e throttle.Entry
//	e.Init(set, outer, slots, keys, groups...)
//	if obstacle := e.Join(); obstacle != nil {
//		err := e.Wait(ctx) // it has to wait
//	}
//	…                          // it runs, with a worker slot
//	slots.ReleaseSlot()
//	e.Leave()
//	…                          // it still holds its keys
//	e.LeaveKeys()
//
// A job starts when no other job holds a key that conflicts with one of its own, it has a place in
// each of its groups, the rate of each permits, and a worker slot is free, all at the same moment.
// Until then it holds none of these, so that keys, groups and worker slots cannot deadlock. Of
// those that could start the one that joined first does, and none overtakes an earlier one that
// waits for a key of its own.
//
// A job may run further jobs inside it and wait for them. One of them does not wait for the keys
// of the jobs around it, nor for jobs that only wait, and in the same group it uses the place of
// the outer job. So it does not wait for itself. Two jobs that each wait inside for what the
// other holds would wait for ever: the later one inside gets [ErrDeadlock] instead.
package throttle

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/lane"
	"github.com/seed49eaa51d/pegboard/internal/lock"
)

// ErrDeadlock is returned by Wait for a job that would wait for ever: what it needs is held by
// jobs that wait for it, or for jobs that wait for it.
var ErrDeadlock = errors.New("it would wait for a call that waits for it")

// A KeysError says that an abandoned job holds a key that the job needs. It wraps the reason given
// to [Entry.Abandon].
type KeysError struct{ Reason error }

func (e *KeysError) Error() string { return e.Reason.Error() }
func (e *KeysError) Unwrap() error { return e.Reason }

// Slots are the worker slots of the lane that a job is in.
type Slots interface {
	TryAcquireSlot() bool
	AcquireSlot(ctx context.Context) error
	ReleaseSlot()
}

// A Set is the jobs of a conversation, which may be inside each other, and their groups. The zero Set is empty. It starts
// no goroutine and needs no closing.
//
// # Concurrency
//
// All methods of Set, Group and Entry may be called from any goroutine. Only Wait blocks,
// and it returns when its context ends.
type Set struct {
	mu        lock.Mutex
	waiting   []*Entry    // in the order of Join
	holding   []*Entry    // hold keys, in the order of their starts
	timer     *time.Timer // calls advance when a rate next permits a start; nil if none is awaited
	nested    int         // waiting entries that are inside another
	abandoned int         // entries that were abandoned and have not left
}

// Group adds a group.
func (s *Set) Group(name string, l Limit) *Group {
	g := &Group{set: s, name: name, limit: l}
	g.setSlack()
	return g
}

// An Obstacle says why a job has to wait: for another job, or for a group.
type Obstacle struct {
	Holder any           // Owner of the job that holds a key, or has waited for one longer
	Keys   lane.Conflict // the keys: first that of the job, then that of the other one

	Group *Group
	Rate  bool // the group's rate; otherwise its places are taken
	until time.Time
}

// advance starts the waiting entries that can start, in their order, and ends the wait of those
// that never could. The caller holds mu.
func (s *Set) advance() {
	s.startReady()
	for s.failStuck() {
		s.startReady() // those that waited behind it
	}
}

// startReady starts the waiting entries that can start, in their order. The caller holds mu.
func (s *Set) startReady() {
	if len(s.waiting) == 0 && s.timer == nil {
		return
	}
	now := time.Now()
	var next time.Time
	for _, e := range slices.Clone(s.waiting) {
		if e.state != waiting { // it waits for a worker slot
			continue
		}
		if o := e.obstacle(now); o != nil {
			if o.Rate && (next.IsZero() || o.until.Before(next)) {
				next = o.until
			}
			continue
		}
		if e.slots.TryAcquireSlot() {
			e.start(now)
		} else {
			e.state = wantsSlot
		}
		e.notify()
	}
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
	if !next.IsZero() {
		s.timer = time.AfterFunc(next.Sub(now), s.tick)
	}
}

func (s *Set) tick() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.advance()
}

// failStuck ends the wait of one entry that would wait for ever, and reports whether there is
// one. The caller holds mu.
func (s *Set) failStuck() bool {
	if s.nested == 0 && s.abandoned == 0 {
		return false
	}
	e, err := s.findStuck()
	if e == nil {
		return false
	}
	e.remove(failed)
	e.err = err
	e.notify()
	return true
}

// findStuck returns an entry that should wait no longer, and why. It assumes that every
// waiting entry is stuck, and takes out those that will start after a job that is
// not, until all that are left only wait for each other and for abandoned jobs.
func (s *Set) findStuck() (*Entry, error) {
	stuck := slices.DeleteFunc(slices.Clone(s.waiting), func(e *Entry) bool { return e.state != waiting })
	for before := -1; before != len(stuck); {
		before = len(stuck)
		for _, e := range slices.Clone(stuck) {
			if !e.isHopeless(stuck) {
				stuck = slices.DeleteFunc(stuck, func(other *Entry) bool { return other == e })
			}
		}
	}
	for _, e := range stuck {
		if reason := e.abandonedReason(); reason != nil {
			return e, reason
		}
	}
	for _, e := range slices.Backward(stuck) {
		if e.Inside {
			return e, ErrDeadlock
		}
	}
	return nil, nil
}

// isHopeless reports whether e gets no place in g as long as the entries in stuck wait.
func (g *Group) isHopeless(e *Entry, stuck []*Entry) bool {
	if g.limit.Parallel <= 0 || g.placeFor(e) != nil {
		return false
	}
	for _, p := range g.places {
		own := 0 // of a place of a job around e, only the jobs inside that one have to leave
		for o := e.outer; o != nil && own == 0; o = o.outer {
			own = slices.Index(p.holders, o) + 1
		}
		if !slices.ContainsFunc(p.holders[own:], func(h *Entry) bool { return h.isBlocked(stuck) }) {
			return false
		}
	}
	return true
}

// abandonedReason returns the reason of an abandoned job if such jobs hold every place
// of g that e could get, or else nil.
func (g *Group) abandonedReason(e *Entry) error {
	if g.limit.Parallel <= 0 || g.placeFor(e) != nil {
		return nil
	}
	var first error
	for _, p := range g.places {
		i := slices.IndexFunc(p.holders, func(h *Entry) bool { return h.abandoned != nil })
		if i < 0 {
			return nil
		}
		if first == nil {
			first = p.holders[i].abandoned
		}
	}
	return first
}
