package background

import (
	"sync"

	"github.com/seed49eaa51d/pegboard"
)

// A member is a session's place at its table.
type member struct {
	joined    sync.Once
	isMain    bool
	role      pegboard.Role
	agentID   string // its id
	agentType string // the agent's type
	ended     bool   // the session has ended; guarded by Tasks.mu
}

// members gives each session a seat of its own: a fork begins with a new one.
var members = pegboard.NewClonedKey("seat at the background tasks", func(*member) *member { return &member{} })

// reparents reports whether w outlives the session at st.
func (st *member) reparents(w *Work) bool {
	switch w.OwnerEnd {
	case Kill:
		return false
	case Reparent:
		return true
	}
	return st.role != pegboard.RoleSubAgent
}
