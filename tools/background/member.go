package background

import (
	"sync"

	"github.com/seed49eaa51d/pegboard"
)

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
