package background

import (
	"sync"
	"time"

	"github.com/seed49eaa51d/pegboard"
)

// Work is the work of a task, as a tool adds it to a table. Stop is required.
type Work struct {
	Kind        string // the first part of the task's id; empty means "task"
	Description string
	Command     string
	// Names are other names of the task, such as the id and the name of an agent. Where a
	// method takes the id of a task, a name stands for the task that was added last of
	// those in the table that have it. A task's id goes before a name.
	Names      []string
	OutputFile string    // an absolute path, see [Tasks.NewFile]; empty if it has no output file
	Started    time.Time // zero means now; set for work that began in the foreground

	// Stop asks the work to end because of cause and returns without waiting. It is
	// called at most once, on its own goroutine, and not after [Handle.Done]. Done
	// must still be called afterwards.
	Stop func(cause error)
	// Output returns the output of the work so far, or as much of it as should be
	// shown. It may be called concurrently and after Done. Nil means the last
	// [MaxOutput] bytes of OutputFile.
	Output func() string
	// Report returns the findings of the work, such as the answer of an agent. The notice
	// of the end has it whole, up to [MaxOutput] bytes, in place of the last lines of the
	// output. It is called after Done, possibly several times and concurrently. If the
	// work has neither Output nor OutputFile, the report is its output, too. Nil or an
	// empty report means that the notice ends with the last lines of the output.
	Report func() string
	// OwnerEnd says what happens to the work when its session is closed.
	OwnerEnd Policy
}

// A Policy says what happens to a task when the session that added it is closed.
type Policy int

// The policies. None of them lets a task outlive its conversation.
const (
	// ByRole is Kill for a sub-agent and Reparent for every other agent. The caller
	// of a sub-agent already has its result and does not wait for its tasks.
	ByRole Policy = iota
	// Kill stops the task. Its end is not reported, but the task stays in the list.
	Kill
	// Reparent gives the task to the main session, which gets its notices.
	Reparent
)

// A Handle is given to the code that runs the work of a task. Its methods may be
// called concurrently.
type Handle struct {
	id    string // entry.task.ID, which needs no lock here
	tasks *Tasks
	entry *entry
}

// ID returns the task's id.
func (h *Handle) ID() string { return h.id }

// Done reports how the work ended. Only the first call has an effect. exit may be
// nil. err is the reason if the work did not end well; the model gets its text. Work
// that Failed after it was asked to stop counts as Killed. A state that is not final
// counts as Failed.
//
// When Done returns, the task's record, if it has one, has been written.
func (h *Handle) Done(state State, exit *int, err error) { h.tasks.finish(h.entry, state, exit, err) }

// Notify queues a message for the session that the task belongs to. [Tasks.Notices]
// returns it, with the task's id in front, before the notice of the task's end. At
// most 256 messages of a task are queued; after that the oldest ones are dropped and
// counted. After Done it does nothing.
func (h *Handle) Notify(text string) { h.tasks.addMessage(h.entry, text) }

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
