package background

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

// Tell queues a message for the session that the task belongs to. [Tasks.Notices]
// returns it, with the task's id in front, before the notice of the task's end. At
// most 256 messages of a task are queued; after that the oldest ones are dropped and
// counted. After Done it does nothing.
func (h *Handle) Tell(text string) { h.tasks.addMessage(h.entry, text) }
