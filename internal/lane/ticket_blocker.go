package lane

import "context"

// Blocker returns the ticket that t has to wait for, and why: the nearest that conflicts with
// t and has claimed its keys. While t only waits for jobs that have not said what they touch,
// so does Blocker. The result is false once it is known that t waits for no such ticket: it
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
