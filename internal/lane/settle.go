package lane

import "slices"

// This file holds the decision who may run. All of it is called with lane.mu
// held.

// grant gives t its keys if nothing is in the way, and parks it on what is
// otherwise. It looks at earlier tickets from the given one backwards: the
// nearest is likely to end last, so t has to look again seldom.
func (t *Ticket) grant(from *Ticket) {
	for u := from; u != nil; u = u.earlier {
		if u.blocks(t) {
			t.park(u)
			return
		}
	}
	if t.replaced { // a first claim blocked all later ones until now
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

// wake makes those parked on t look again. They found nothing in their way
// between t and themselves, so they go on from the given ticket at its place,
// unless a claim that was replaced since may have put something there.
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
}

func (t *Ticket) unpark() {
	u := t.blocker
	if u == nil {
		return
	}
	t.blocker = nil
	u.parked = slices.DeleteFunc(u.parked, func(v *Ticket) bool { return v == t })
}

// notify makes Wait look again, if anybody is in it.
func (t *Ticket) notify() {
	if t.wakeup != nil {
		close(t.wakeup)
		t.wakeup = nil
	}
}
