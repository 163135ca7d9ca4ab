// Package lane decides when jobs run: in the order in which they were admitted
// where they touch the same things, at once where they do not, and never more
// than a limit at a time. It knows nothing of tools.
//
// A job goes through a Lane like this:
//
//	ticket := l.Admit()                // in call order, before anything is known
//	defer ticket.Done()                // on every path, or later jobs wait forever
//	ticket.Claim(claim)                // once the keys of the job are known
//	err := ticket.Wait(ctx)            // until no conflicting job is in the way
//	err = ticket.AcquireSlot(ctx)      // until a worker is free
//	defer ticket.ReleaseSlot()
//
// Nothing overtakes an earlier job that it conflicts with. A job does overtake
// earlier ones that wait, if it conflicts with none of them. No sequence of
// claims deadlocks, as a job either holds all its keys or none; a job that
// waits for another one of the same lane while it holds its own keys can.
package lane

import "github.com/seed49eaa51d/pegboard/internal/lock"

// Lane is a line of jobs. It starts no goroutine and needs no closing. The zero Lane is
// empty and has no limit of worker slots.
//
// # Concurrency
//
//  1. All methods of Lane and Ticket may be called from any goroutine.
//  2. Places in the line are in the order of the calls of Admit.
//  3. Only Wait and AcquireSlot block, and both return when their context ends.
type Lane struct {
	slots chan struct{} // holds a token for each acquired slot; nil means no limit

	mu          lock.Mutex
	last        *Ticket   // end of the line of live tickets
	admitted    uint64    // tickets admitted so far
	ended       uint64    // jobs done so far that held their keys
	changes     uint64    // claims replaced so far
	recomputing int       // live tickets with a recompute function
	abandoned   []*Ticket // live tickets that were abandoned
}

// SetLimit sets the number of worker slots of a lane that has no tickets yet. It panics
// if limit is less than 1.
func (l *Lane) SetLimit(limit int) {
	if limit < 1 {
		panic("lane: the limit of worker slots is less than 1")
	}
	l.slots = make(chan struct{}, limit)
}

// Admit returns a ticket for the next place in line. Until its first Claim the
// ticket conflicts with every other, so later jobs wait for it.
func (l *Lane) Admit() *Ticket {
	t := new(Ticket)
	l.Enter(t)
	return t
}

// Enter is Admit for a ticket that the caller allocated. t must be zero.
func (l *Lane) Enter(t *Ticket) {
	t.lane, t.claim.Exclusive = l, true
	l.mu.Lock()
	defer l.mu.Unlock()
	l.admitted++
	t.place = l.admitted
	t.earlier = l.last
	if l.last != nil {
		l.last.later = t
	}
	l.last = t
}

// unlink takes t out of the line. The links of t itself stay, for a loop that
// continues from its place.
func (l *Lane) unlink(t *Ticket) {
	if t.earlier != nil {
		t.earlier.later = t.later
	}
	if t.later != nil {
		t.later.earlier = t.earlier
	} else {
		l.last = t.earlier
	}
}
