package background

import (
	"errors"
	"io"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// An entry is a task in the table.
type entry struct {
	work   Work
	done   chan struct{} // closed when it has ended
	record *record       // nil without a directory of the host's

	// Guarded by Tasks.mu.
	task      Task
	owner     *member // nil is the main session
	silent    bool    // nobody is told of its end
	stopCause error   // why it was asked to stop
	pruned    bool    // it was pruned
	unread    int     // messages that nobody has fetched
	dropped   int     // messages that were dropped
}

// reportsTo reports whether the session at st is told of the end.
func (e *entry) reportsTo(st *member) bool { return e.owner == st || e.owner == nil && st.isMain }

// setEnd writes down how the work ended.
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

// output is what the work says, whose mistakes are not those of who asks.
func (e *entry) output() (text string, err error) {
	if e.work.Output != nil {
		err = goroutine.Try(func() error { text = e.work.Output(); return nil })
		return strings.ToValidUTF8(text, "\uFFFD"), err
	}
	if e.work.OutputFile == "" {
		return "", nil
	}
	return readTail(e.work.OutputFile)
}

// readTail returns the end of a file, which begins with a whole line if it was cut
// and has more than one. The work may have put a link in the place of its file,
// to something that may not be shown; it is not followed.
func readTail(path string) (_ string, err error) {
	f, err := realpath.Open(filepath.Join(realpath.Resolve(filepath.Dir(path)), filepath.Base(path)))
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	fi, err := f.Stat()
	if err != nil {
		return "", err
	}
	from := max(0, fi.Size()-MaxOutput)
	b, err := io.ReadAll(io.NewSectionReader(f, from, MaxOutput))
	if err != nil {
		return "", err
	}
	text := string(b)
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
