package background

import (
	"context"
	"errors"
	"slices"

	"github.com/seed49eaa51d/pegboard"
)

// mainSessions is true for main sessions and false for forks. A session does not say
// which of the two it is: join sets false for the session and then, with SetRoot,
// true for its main session.
var mainSessions = pegboard.NewClonedKey("main session", func(bool) bool { return false })

// join returns the member of s. The first call for s registers the session: its News
// hand out the notices; if s is the main session, closing it closes the table; otherwise
// closing it calls leave.
func (t *Tasks) join(s *pegboard.Session) *member {
	m := members.GetOrInit(s, func() *member { return &member{} })
	m.joined.Do(func() {
		m.session, m.role, m.agentID, m.agentType = s, s.Role(), s.AgentID(), s.AgentType()
		mainSessions.Set(s, false)
		mainSessions.SetRoot(s, true)
		m.isMain, _ = mainSessions.Get(s)
		t.mu.Lock()
		t.allowReads = s.AllowReads
		if t.session == nil || m.isMain {
			t.session = s
		}
		if dir := t.files.tempDir; dir != "" {
			t.allowReads(dir)
		}
		if m.isMain {
			t.mainJoined, t.main = true, m
		} else {
			t.liveForks++
		}
		t.announce(m)
		t.mu.Unlock()
		s.OnNews(newsName, func() []pegboard.Part { return t.handOut(m) })
		if m.isMain {
			s.OnClose("background tasks", t.close)
		} else {
			s.OnClose("background tasks of agent "+m.agentID, func(ctx context.Context) error { return t.leave(ctx, m) })
		}
	})
	return m
}

// leave is called when a fork that has joined is closed.
func (t *Tasks) leave(ctx context.Context, m *member) error {
	t.mu.Lock()
	m.ended = true
	t.liveForks--
	var kill, silent []*entry
	for _, e := range t.entriesOf(m) {
		switch {
		case !m.reparents(&e.work):
			e.silent = true
			silent = append(silent, e)
			if e.task.State == Running {
				kill = append(kill, e)
			}
		case e.task.State == Running && !t.mainJoined:
			kill = append(kill, e) // no session is left that could stop it later
			fallthrough
		default:
			e.owner = nil
		}
	}
	t.pending = slices.DeleteFunc(t.pending, func(n notice) bool { return n.entry.silent })
	t.announce(m)
	t.announce(t.main)
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

// entriesOf returns the entries that belong to the session of m: those in the table,
// and those that were pruned before their end was reported.
func (t *Tasks) entriesOf(m *member) (all []*entry) {
	for _, e := range t.entries {
		if e.owner == m {
			all = append(all, e)
		}
	}
	for _, n := range t.pending {
		if n.entry.pruned && n.entry.owner == m {
			all = append(all, n.entry)
		}
	}
	return all
}

// isOver reports whether no session is left that would stop a new task: the
// conversation has ended, or every session that joined was closed. The caller holds
// the lock.
func (t *Tasks) isOver() bool { return t.closed || !t.mainJoined && t.liveForks == 0 }

// close stops all tasks and ends the conversation.
func (t *Tasks) close(ctx context.Context) error {
	t.mu.Lock()
	t.closed = true
	t.announce(t.main)
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
