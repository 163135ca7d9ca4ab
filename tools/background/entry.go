package background

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/tools/internal/output"
)

// An entry is a task in the table.
type entry struct {
	work   Work
	names  []string      // see Work.Names
	done   chan struct{} // closed when the task has ended
	record *record       // nil if the host has chosen no directory

	// Guarded by Tasks.mu.
	task      Task
	owner     *member // nil means the main session
	silent    bool    // its end is not reported
	stopCause error   // given to Work.Stop; nil if it was not asked to stop
	pruned    bool    // it was removed from the table
	unread    int     // messages in Tasks.pending
	dropped   int     // messages that were dropped since the last Notices
}

// reportsTo reports whether the session of m gets the notices of the task.
func (e *entry) reportsTo(m *member) bool { return e.owner == m || e.owner == nil && m.isMain }

// setEnd sets the task's final state.
func (e *entry) setEnd(state State, exit *int, err error) {
	switch {
	case state == Completed || state == Killed || state == Lost:
	case e.stopCause != nil:
		state = Killed
	default:
		state = Failed
	}
	if err == nil && state == Killed {
		err = e.stopCause
	}
	e.task.State, e.task.ExitCode, e.task.Ended = state, exit, time.Now()
	e.task = e.task.copied()
	if err != nil {
		e.task.Err = err.Error()
	}
}

// output returns the output of the work. A panic of Work.Output becomes an error.
func (e *entry) output() (text string, err error) {
	if e.work.Output != nil {
		err = goroutine.Try(func() error { text = e.work.Output(); return nil })
		return strings.ToValidUTF8(text, "\uFFFD"), err
	}
	if e.work.OutputFile == "" {
		return e.report(), nil
	}
	return readTail(e.work.OutputFile)
}

// report returns the report of work that has ended, or "" if it has no report. A panic of
// Work.Report counts as no report.
func (e *entry) report() (text string) {
	select {
	case <-e.done:
	default:
		return ""
	}
	if e.work.Report == nil {
		return ""
	}
	_ = goroutine.Try(func() error { text = e.work.Report(); return nil })
	return strings.TrimRight(strings.ToValidUTF8(text, "\uFFFD"), "\n")
}

// readTail returns the last MaxOutput bytes of a file. If the beginning was cut off,
// the text starts with a whole line, unless it has only one.
func readTail(path string) (string, error) {
	end, from, err := output.ReadEnd(path, MaxOutput)
	if err != nil {
		return "", err
	}
	text := string(end)
	if from > 0 {
		if _, rest, ok := strings.Cut(text, "\n"); ok && rest != "" {
			text = rest
		}
		for text != "" && !utf8.RuneStart(text[0]) {
			text = text[1:]
		}
	}
	return strings.ToValidUTF8(text, "\uFFFD"), nil
}
