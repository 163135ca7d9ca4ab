package background

import (
	"sync"

	"github.com/seed49eaa51d/pegboard"
)

// A member is a session that uses the task table of its conversation.
type member struct {
	joined    sync.Once
	session   *pegboard.Session
	isMain    bool
	role      pegboard.Role
	agentID   string
	agentType string
	ended     bool // the session was closed; guarded by Tasks.mu
	announced bool // notices wait, and the session knows it; guarded by Tasks.mu
}

// newsName is the name of the notices among the news of a session.
const newsName = "background tasks"

// members holds the member of each session. A fork gets a member of its own.
var members = pegboard.NewClonedKey("member of the background tasks", func(*member) *member { return &member{} })

// reparents reports whether w goes on when the session is closed.
func (m *member) reparents(w *Work) bool {
	switch w.OwnerEnd {
	case Kill:
		return false
	case Reparent:
		return true
	}
	return m.role != pegboard.RoleSubAgent
}
