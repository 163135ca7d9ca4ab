package background

import (
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
)

// tell is Handle.Tell.
func (t *Tasks) tell(e *entry, text string) {
	t.mu.Lock()
	if e.task.State != Running || e.silent {
		t.mu.Unlock()
		return
	}
	if e.waits == maxMessages {
		oldest := slices.IndexFunc(t.owed, func(n notice) bool { return n.entry == e })
		t.owed = slices.Delete(t.owed, oldest, oldest+1)
		e.waits--
		e.missed++
	}
	t.owed = append(t.owed, notice{entry: e, text: strings.ToValidUTF8(text, "\uFFFD")})
	e.waits++
	t.changed()
	t.mu.Unlock()
	t.watch.deliver()
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
	mine := t.take(t.meet(s))
	parts := make([]pegboard.Part, len(mine))
	for i, n := range mine {
		parts[i].Text = n.words()
	}
	for _, n := range mine {
		if n.end {
			t.forget(n.entry)
		}
	}
	return parts
}

// take removes and returns what is owed to the session at st.
func (t *Tasks) take(st *seat) (mine []told) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return nil
	}
	kept := t.owed[:0:0]
	for _, n := range t.owed {
		if n.entry.belongsTo(st) {
			mine = append(mine, told{notice: n, task: n.entry.task, missed: n.entry.missed, gone: n.entry.gone})
			n.entry.waits, n.entry.missed = 0, 0
		} else {
			kept = append(kept, n)
		}
	}
	t.owed = kept
	return mine
}

// Told says that s has learnt of a task's end in another way, such as a tool's
// result, so that no notice follows. It reports whether one would have: if the
// task belongs to another agent, that one is told all the same.
func (t *Tasks) Told(s *pegboard.Session, id string) bool {
	if tableOf(s) != t {
		return false
	}
	st := t.meet(s)
	t.mu.Lock()
	kept := t.owed[:0:0]
	var e *entry
	for _, n := range t.owed {
		if n.end && n.entry.task.ID == id && n.entry.belongsTo(st) {
			e = n.entry
		} else {
			kept = append(kept, n)
		}
	}
	t.owed = kept
	t.mu.Unlock()
	if e == nil {
		return false
	}
	t.forget(e)
	return true
}
