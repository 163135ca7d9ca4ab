package background

import (
	"context"
	"errors"
	"slices"

	"github.com/seed49eaa51d/pegboard"
)

// mainSessions tells main sessions from forks, of which a session does not say which
// it is: a fork writes its own value, and SetRoot another session's.
var mainSessions = pegboard.NewClonedKey("main session", func(bool) bool { return false })

// join returns the seat of s. The table ends with the main session, and learns
// of the end of every other one, from the first time that this is seen here.
func (t *Tasks) join(s *pegboard.Session) *member {
	st := members.GetOrInit(s, func() *member { return &member{} })
	st.joined.Do(func() {
		st.role, st.agentID, st.agentType = s.Role(), s.AgentID(), s.AgentType()
		mainSessions.Set(s, false)
		mainSessions.SetRoot(s, true)
		st.isMain, _ = mainSessions.Get(s)
		t.mu.Lock()
		t.allowReads = s.AllowReads
		if dir := t.files.tempDir; dir != "" {
			t.allowReads(dir)
		}
		if st.isMain {
			t.mainJoined = true
		} else {
			t.liveForks++
		}
		t.mu.Unlock()
		if st.isMain {
			s.OnClose("background tasks", t.close)
		} else {
			s.OnClose("background tasks of agent "+st.agentID, func(ctx context.Context) error { return t.leave(ctx, st) })
		}
	})
	return st
}

// leave is called when a session that added work ends, but for the main one.
func (t *Tasks) leave(ctx context.Context, st *member) error {
	t.mu.Lock()
	st.ended = true
	t.liveForks--
	var kill, silent []*entry
	for _, e := range t.entriesOf(st) {
		switch {
		case !st.reparents(&e.work):
			e.silent = true
			silent = append(silent, e)
			if e.task.State == Running {
				kill = append(kill, e)
			}
		case e.task.State == Running && !t.mainJoined:
			kill = append(kill, e) // nobody would end it later
			fallthrough
		default:
			e.owner = nil
		}
	}
	t.pending = slices.DeleteFunc(t.pending, func(n notice) bool { return n.entry.silent })
	t.mu.Unlock()
	err := t.stopAll(ctx, kill, ErrOwnerEnded)
	for _, e := range silent {
		if t.snapshot(e).State != Running {
			t.removeRecord(e)
		}
	}
	t.removeTempDir()
	return err
}

// entriesOf returns what belongs to the session at st: its tasks in the table, and
// those that were pruned before their end was told.
func (t *Tasks) entriesOf(st *member) (all []*entry) {
	for _, e := range t.entries {
		if e.owner == st {
			all = append(all, e)
		}
	}
	for _, n := range t.pending {
		if n.entry.pruned && n.entry.owner == st {
			all = append(all, n.entry)
		}
	}
	return all
}

// isOver reports whether nobody is left to end what might be started: the
// conversation has ended, or all of it that was seen here.
func (t *Tasks) isOver() bool { return t.closed || !t.mainJoined && t.liveForks == 0 }

// close ends the conversation.
func (t *Tasks) close(ctx context.Context) error {
	t.mu.Lock()
	t.closed = true
	var all []*entry
	for _, e := range t.entries {
		if e.task.State == Running {
			all = append(all, e)
		}
	}
	t.mu.Unlock()
	err := t.stopAll(ctx, all, pegboard.ErrClosed)
	t.savePending()
	t.removeTempDir()
	t.mu.Lock()
	defer t.mu.Unlock()
	return errors.Join(append([]error{err}, t.errs...)...)
}
