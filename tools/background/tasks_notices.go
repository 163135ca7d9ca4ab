package background

import (
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
)

// addMessage is Handle.Tell.
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
	t.queueUpdate()
	t.mu.Unlock()
	t.watchers.deliver()
}

// Notices returns what s has to be told since it last asked: the tasks that have
// ended, each once, and the messages of those that run, in the order in which
// all this happened. A task's news belong to the session that added it, or to
// the main session once that one has ended. The parts are plain text, for
// Result.Messages or a message of the host's. Once the conversation has ended
// there are none.
func (t *Tasks) Notices(s *pegboard.Session) []pegboard.Part {
	if known, ok := tables.Get(s); !ok || known != t {
		return nil
	}
	mine := t.takeNotices(t.join(s))
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

// takeNotices removes and returns what is owed to the session at st.
func (t *Tasks) takeNotices(st *member) (mine []noticeSnapshot) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return nil
	}
	kept := t.pending[:0:0]
	for _, n := range t.pending {
		if n.entry.reportsTo(st) {
			mine = append(mine, noticeSnapshot{notice: n, task: n.entry.task, dropped: n.entry.dropped, pruned: n.entry.pruned})
			n.entry.unread, n.entry.dropped = 0, 0
		} else {
			kept = append(kept, n)
		}
	}
	t.pending = kept
	return mine
}

// Acknowledge says that s has learnt of a task's end in another way, such as a tool's
// result, so that no notice follows. It reports whether one would have: if the
// task belongs to another agent, that one is told all the same.
func (t *Tasks) Acknowledge(s *pegboard.Session, id string) bool {
	if tableOf(s) != t {
		return false
	}
	st := t.join(s)
	t.mu.Lock()
	kept := t.pending[:0:0]
	var e *entry
	for _, n := range t.pending {
		if n.end && n.entry.task.ID == id && n.entry.reportsTo(st) {
			e = n.entry
		} else {
			kept = append(kept, n)
		}
	}
	t.pending = kept
	t.mu.Unlock()
	if e == nil {
		return false
	}
	t.removeRecord(e)
	return true
}
