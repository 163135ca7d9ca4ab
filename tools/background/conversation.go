package background

import (
	"context"
	"sync"

	"github.com/seed49eaa51d/pegboard"
)

// tables holds the table of each conversation.
var tables = pegboard.NewKey[*Tasks]("background tasks")

func tableOf(s *pegboard.Session) *Tasks { return tables.GetOrInitRoot(s, newTasks) }

// A seat is a session's place at its table.
type seat struct {
	met   sync.Once
	main  bool
	role  pegboard.Role
	agent string // its id
	kind  string // the agent's type
	gone  bool   // the session has ended; guarded by Tasks.mu
}

// seats gives each session a seat of its own: a fork begins with a new one.
var seats = pegboard.NewClonedKey("seat at the background tasks", func(*seat) *seat { return &seat{} })

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

// reparents reports whether w outlives the session at st.
func (st *seat) reparents(w *Work) bool {
	switch w.OwnerEnd {
	case Kill:
		return false
	case Reparent:
		return true
	}
	return st.role != pegboard.RoleSubAgent
}
