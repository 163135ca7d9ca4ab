package lane

import "slices"

// This file decides which waiting ticket gets its keys. The caller of every function
// here holds lane.mu.

// grant gives t its keys if no other ticket blocks it, and parks it on a blocking one
// otherwise. It checks the earlier tickets backwards, beginning with from: the nearest
// ticket probably ends last, so t is checked again as seldom as possible.
func (t *Ticket) grant(from *Ticket) {
	for u := from; u != nil; u = u.earlier {
		if u.blocks(t) {
			t.park(u)
			return
		}
	}
	if t.replaced { // until its first claim t blocked all later tickets, so none held keys
		for u := t.later; u != nil; u = u.later {
			if u.blocks(t) {
				t.park(u)
				return
			}
		}
	}
	t.state = holding
	t.notify()
}

// wake checks the tickets that are parked on t again. Nothing between t and a parked
// ticket blocked that ticket, so the check begins with from, the ticket at or before
// t's place, unless a claim was replaced since it was parked: then a ticket between
// them may block it now.
func (t *Ticket) wake(from *Ticket) {
	parked := t.parked
	t.parked = nil
	for _, u := range parked {
		u.blocker = nil
		if t.place < u.place && u.changes == t.lane.changes {
			u.grant(from)
		} else {
			u.grant(u.earlier)
		}
	}
}

func (t *Ticket) park(u *Ticket) {
	t.blocker = u
	t.changes = t.lane.changes
	u.parked = append(u.parked, t)
	if t.wantsBlocker && u.state != unclaimed {
		t.notify()
	}
}

func (t *Ticket) unpark() {
	u := t.blocker
	if u == nil {
		return
	}
	t.blocker = nil
	u.parked = slices.DeleteFunc(u.parked, func(v *Ticket) bool { return v == t })
}

// notify wakes the goroutines in Wait, if any, so that they check again.
func (t *Ticket) notify() {
	if t.wakeup != nil {
		close(t.wakeup)
		t.wakeup = nil
	}
}

// blocks reports whether u must wait for t.
func (t *Ticket) blocks(u *Ticket) bool {
	return (t.place < u.place || t.state == holding) && t.claim.Conflicts(u.claim)
}
