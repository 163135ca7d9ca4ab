package background

import (
	"time"
)

// A State says where a task stands.
type State string

// The states. Every state but Running is final.
const (
	Running   State = "running"
	Completed State = "completed" // it did what it was to do
	Failed    State = "failed"
	Killed    State = "killed" // somebody stopped it
	Lost      State = "lost"   // its host ended before it did; how it ended is unknown
)

// A Task is what is known of a task at one moment. It is a copy.
//
// As JSON it has the names that hooks see in background_tasks.
type Task struct {
	ID          string `json:"id"`
	Kind        string `json:"type"` // "shell", "monitor", "agent", or whatever else was added
	State       State  `json:"status"`
	Description string `json:"description"`
	Command     string `json:"command,omitempty"`
	AgentID     string `json:"agent_id,omitempty"` // of the agent that started it; empty for the main one
	AgentType   string `json:"agent_type,omitempty"`

	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended,omitzero"` // zero while it runs; of a lost task, when that was found out

	OutputFile string `json:"output_file,omitempty"` // an absolute path, or empty
	ExitCode   *int   `json:"exit_code,omitempty"`   // nil if there is none
	Err        string `json:"error,omitempty"`       // why it ended, if not by itself and well
}

// copied returns a Task that shares nothing with k.
func (k Task) copied() Task {
	if k.ExitCode != nil {
		code := *k.ExitCode
		k.ExitCode = &code
	}
	return k
}

// A Policy says what becomes of a task when the session that added it ends.
type Policy int

// The policies. Whatever they say, no task outlives its conversation.
const (
	// ByRole is Kill for a sub-agent, whose caller has its answer and waits for
	// nothing more, and Reparent for all others.
	ByRole Policy = iota
	// Kill stops the task. Nobody is told, but it stays in the list.
	Kill
	// Reparent hands the task to the main session, which is told of its end.
	Reparent
)

// Work is what a tool adds to a table. The zero Work is refused: Stop is needed.
type Work struct {
	Kind        string // the first part of the task's id; empty means "task"
	Description string
	Command     string
	OutputFile  string    // an absolute path, see [Tasks.NewFile]; empty if there is none
	Started     time.Time // zero means now; for work that began in the foreground

	// Stop asks the work to end because of cause, and returns at once. It is
	// called at most once, on a goroutine of its own, and not after
	// [Handle.Done]. Done must follow, however the work takes it.
	Stop func(cause error)
	// Output returns what the work has printed so far, or as much of it as
	// should be shown. It may be called concurrently, and after Done. Nil means
	// the last [MaxOutput] bytes of OutputFile.
	Output func() string
	// OwnerEnd says what becomes of it when its session ends.
	OwnerEnd Policy
}

// A Handle is the side of a task that does the work. Its methods may be called
// concurrently.
type Handle struct {
	id    string // the entry's task changes
	tasks *Tasks
	entry *entry
}

// ID returns the task's id.
func (h *Handle) ID() string { return h.id }

// Done says how the work ended. The first call counts, all others do nothing.
// exit may be nil. err says why it did not end well; what it says is shown to
// the model. Work that Failed after it was asked to stop counts as Killed, and
// a state that is not final as Failed.
//
// When Done returns, the task's record is on the disk, if it has one.
func (h *Handle) Done(state State, exit *int, err error) { h.tasks.ended(h.entry, state, exit, err) }

// Tell leaves a message for the conversation that the task belongs to, which
// gets it with [Tasks.Notices], before the task's end. The task's id is put in
// front. Of more than 256 messages that nobody has fetched the oldest are
// dropped and counted. After Done it does nothing.
func (h *Handle) Tell(text string) { h.tasks.tell(h.entry, text) }
