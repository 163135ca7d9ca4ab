package background

import (
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
)

// addMessage implements Handle.Tell.
func (t *Tasks) addMessage(e *entry, text string) {
	t.mu.Lock()
	if e.task.State != Running || e.silent {
		t.mu.Unlock()
		return
	}
	if e.unread == maxMessages {
		oldest := slices.IndexFunc(t.pending, func(n notice) bool { return n.entry == e })
		t.pending = slices.Delete(t.pending, oldest, oldest+1)
		e.unread--
		e.dropped++
	}
	t.pending = append(t.pending, notice{entry: e, text: strings.ToValidUTF8(text, "\uFFFD")})
	e.unread++
	t.announce(t.readerOf(e))
	t.queueUpdate()
	t.mu.Unlock()
	t.watchers.deliver()
}

// Notices removes and returns the notices for s, in the order of the events: one for
// each task that has ended, and the messages of running tasks. The notices of a task
// belong to the session that added it, or to the main session once that session was
// closed. After the conversation has ended there are no notices.
//
// [pegboard.Session.News] calls it for each session that has used the table, so a loop
// that asks for news needs no other call. Each notice is returned once, by whichever of
// the two is called first.
func (t *Tasks) Notices(s *pegboard.Session) []pegboard.Part {
	if known, ok := tables.Get(s); !ok || known != t {
		return nil
	}
	return t.handOut(t.join(s))
}

// handOut implements Notices for the session of m.
func (t *Tasks) handOut(m *member) []pegboard.Part {
	mine := t.takeNotices(m)
	parts := make([]pegboard.Part, len(mine))
	for i, n := range mine {
		parts[i].Text = n.message()
	}
	for _, n := range mine {
		if n.end {
			t.removeRecord(n.entry)
		}
	}
	return parts
}

// takeNotices removes and returns the pending notices for the session of m.
func (t *Tasks) takeNotices(m *member) (mine []noticeSnapshot) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return nil
	}
	kept := t.pending[:0:0]
	for _, n := range t.pending {
		if n.entry.reportsTo(m) {
			mine = append(mine, noticeSnapshot{notice: n, task: n.entry.task, dropped: n.entry.dropped, pruned: n.entry.pruned})
			n.entry.unread, n.entry.dropped = 0, 0
		} else {
			kept = append(kept, n)
		}
	}
	t.pending = kept
	t.announce(m)
	return mine
}

// Unreported returns the tasks that have ended and whose ends s has not been told, the oldest end
// first: [pegboard.Session.News] or Notices will tell it. A tool that waits for something uses it
// to say what has happened.
func (t *Tasks) Unreported(s *pegboard.Session) (ended []Task) {
	if tableOf(s) != t {
		return nil
	}
	m := t.join(s)
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, n := range t.pending {
		if n.end && !t.closed && n.entry.reportsTo(m) {
			ended = append(ended, n.entry.task.copied())
		}
	}
	return ended
}

// readerOf returns the member that is told of an entry; nil if that is the main session, which
// has not joined. The caller holds the lock.
func (t *Tasks) readerOf(e *entry) *member {
	if e.owner != nil {
		return e.owner
	}
	return t.main
}

// announce tells the session of m whether notices wait for it, for those who wait with
// [pegboard.Session.Arrival]. M may be nil. The caller holds the lock.
func (t *Tasks) announce(m *member) {
	if m == nil {
		return
	}
	waits := !t.closed && slices.ContainsFunc(t.pending, func(n notice) bool { return n.entry.reportsTo(m) })
	if waits != m.announced {
		m.announced = waits
		m.session.AnnounceNews(newsName, waits)
	}
}

// Acknowledge removes the pending notice of a task's end, because s has learnt of the
// end in another way, such as from the result of a tool. It reports whether there was
// such a notice for s. If the task belongs to another agent, that agent still gets
// its notice.
func (t *Tasks) Acknowledge(s *pegboard.Session, id string) bool {
	if tableOf(s) != t {
		return false
	}
	m := t.join(s)
	t.mu.Lock()
	if named := t.find(id); named != nil {
		id = named.task.ID
	}
	kept := t.pending[:0:0]
	var e *entry
	for _, n := range t.pending {
		if n.end && n.entry.task.ID == id && n.entry.reportsTo(m) {
			e = n.entry
		} else {
			kept = append(kept, n)
		}
	}
	t.pending = kept
	t.announce(m)
	t.mu.Unlock()
	if e == nil {
		return false
	}
	t.removeRecord(e)
	return true
}
