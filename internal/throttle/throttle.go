// Package throttle limits how many jobs of a group run at once, and how many start in a
// period, whatever lanes they are in. It knows nothing of tools.
//
// A job goes through its groups like this:
//
//	var e throttle.Entry
//	e.Init(outer, slots, groups...)
//	if obstacle := e.Join(); obstacle != nil {
//		err := e.Wait(ctx) // it has to wait
//	}
//	…                          // it runs, with a worker slot
//	slots.ReleaseSlot()
//	e.Leave()
//
// A job starts when it has a place in each of its groups, the rate of each permits, and a
// worker slot is free, all at the same moment. Until then it holds none of these, so that
// groups and worker slots cannot deadlock. Of those that could start the one that joined
// first does.
//
// A job may run further jobs inside it and wait for them. One of them that is in the same
// group uses the place of the outer job, so it does not wait for itself. Two jobs that
// each wait inside for a place of the other would wait for ever: the later one gets
// [ErrDeadlock] instead.
package throttle

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/lock"
)

// ErrDeadlock is returned by Wait for a job that would wait for ever: all places that it
// needs are held by jobs that wait for it, or for jobs that wait for it.
var ErrDeadlock = errors.New("it would wait for a call that waits for it")

// Slots are the worker slots of the lane that a job is in.
type Slots interface {
	TryAcquireSlot() bool
	AcquireSlot(ctx context.Context) error
	ReleaseSlot()
}

// A Set is groups whose jobs may be inside each other. The zero Set is empty. It starts
// no goroutine and needs no closing.
//
// # Concurrency
//
// All methods of Set, Group and Entry may be called from any goroutine. Only Wait blocks,
// and it returns when its context ends.
type Set struct {
	mu        lock.Mutex
	waiting   []*Entry    // in the order of Join
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

// An Obstacle says why a job has to wait.
type Obstacle struct {
	Group *Group
	Rate  bool // the group's rate; otherwise its places are taken
	until time.Time
}

// advance starts the waiting entries that can start, in their order. The caller holds mu.
func (s *Set) advance() {
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
	s.failStuck()
}

func (s *Set) tick() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.advance()
}

// failStuck ends the wait of entries that would wait for ever. The caller holds mu.
func (s *Set) failStuck() {
	for s.nested > 0 || s.abandoned > 0 {
		e, err := s.findStuck()
		if e == nil {
			return
		}
		e.remove(failed)
		e.err = err
		e.notify()
	}
}

// findStuck returns an entry that should wait no longer, and why. It assumes that every
// waiting entry is stuck, and takes out those that will get a place from a job that is
// not, until all that are left only wait for each other and for abandoned jobs.
func (s *Set) findStuck() (*Entry, error) {
	stuck := slices.DeleteFunc(slices.Clone(s.waiting), func(e *Entry) bool { return e.state != waiting })
	for before := -1; before != len(stuck); {
		before = len(stuck)
		for _, e := range slices.Clone(stuck) {
			if !slices.ContainsFunc(e.groups, func(g *Group) bool { return g.isHopeless(e, stuck) }) {
				stuck = slices.DeleteFunc(stuck, func(other *Entry) bool { return other == e })
			}
		}
	}
	for _, e := range stuck {
		for _, g := range e.groups {
			if reason := g.abandonedReason(e); reason != nil {
				return e, reason
			}
		}
	}
	for _, e := range slices.Backward(stuck) {
		if e.outer != nil {
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
