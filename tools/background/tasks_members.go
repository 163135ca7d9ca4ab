package background

import (
	"context"
	"errors"
	"slices"

	"github.com/seed49eaa51d/pegboard"
)

// mains tells main sessions from forks, of which a session does not say which
// it is: a fork writes its own value, and SetRoot another session's.
var mains = pegboard.NewClonedKey("main session", func(bool) bool { return false })

// meet returns the seat of s. The table ends with the main session, and learns
// of the end of every other one, from the first time that this is seen here.
func (t *Tasks) meet(s *pegboard.Session) *seat {
	st := seats.GetOrInit(s, func() *seat { return &seat{} })
	st.met.Do(func() {
		st.role, st.agent, st.kind = s.Role(), s.AgentID(), s.AgentType()
		mains.Set(s, false)
		mains.SetRoot(s, true)
		st.main, _ = mains.Get(s)
		t.mu.Lock()
		t.lend = s.AllowReads
		if dir := t.files.temp; dir != "" {
			t.lend(dir)
		}
		if st.main {
			t.mainMet = true
		} else {
			t.forks++
		}
		t.mu.Unlock()
		if st.main {
			s.OnClose("background tasks", t.close)
		} else {
			s.OnClose("background tasks of agent "+st.agent, func(ctx context.Context) error { return t.leave(ctx, st) })
		}
	})
	return st
}

// leave is called when a session that added work ends, but for the main one.
func (t *Tasks) leave(ctx context.Context, st *seat) error {
	t.mu.Lock()
	st.gone = true
	t.forks--
	var kill, silent []*entry
	for _, e := range t.owned(st) {
		switch {
		case !st.reparents(&e.work):
			e.silent = true
			silent = append(silent, e)
			if e.task.State == Running {
				kill = append(kill, e)
			}
		case e.task.State == Running && !t.mainMet:
			kill = append(kill, e) // nobody would end it later
			fallthrough
		default:
			e.owner = nil
		}
	}
	t.owed = slices.DeleteFunc(t.owed, func(n notice) bool { return n.entry.silent })
	t.mu.Unlock()
	err := t.end(ctx, kill, ErrOwnerEnded)
	for _, e := range silent {
		if t.snapshot(e).State != Running {
			t.forget(e)
		}
	}
	t.sweep()
	return err
}

// owned returns what belongs to the session at st: its tasks in the table, and
// those that were pruned before their end was told.
func (t *Tasks) owned(st *seat) (all []*entry) {
	for _, e := range t.entries {
		if e.owner == st {
			all = append(all, e)
		}
	}
	for _, n := range t.owed {
		if n.entry.gone && n.entry.owner == st {
			all = append(all, n.entry)
		}
	}
	return all
}

// over reports whether nobody is left to end what might be started: the
// conversation has ended, or all of it that was seen here.
func (t *Tasks) over() bool { return t.closed || !t.mainMet && t.forks == 0 }

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
	err := t.end(ctx, all, pegboard.ErrClosed)
	t.release()
	t.sweep()
	t.mu.Lock()
	defer t.mu.Unlock()
	return errors.Join(append([]error{err}, t.faults...)...)
}
