package background

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
func (h *Handle) Done(state State, exit *int, err error) { h.tasks.finish(h.entry, state, exit, err) }

// Tell leaves a message for the conversation that the task belongs to, which
// gets it with [Tasks.Notices], before the task's end. The task's id is put in
// front. Of more than 256 messages that nobody has fetched the oldest are
// dropped and counted. After Done it does nothing.
func (h *Handle) Tell(text string) { h.tasks.addMessage(h.entry, text) }
