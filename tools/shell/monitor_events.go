package shell

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/internal/terminal"
	"github.com/seed49eaa51d/pegboard/tools/internal/output"
)

// monitorEvents splits the output of a command into events and queues them. Its
// memory is bounded.
type monitorEvents struct {
	// ready holds a token after the queue has become non-empty.
	ready chan struct{}

	mu        sync.Mutex
	cleaner   terminal.Cleaner
	partial   []byte // the beginning of an unfinished line
	truncated bool   // the line is longer than partial
	lines     []string
	size      int // bytes of the lines
	overflow  int // events that did not fit into lines
	stopped   bool
}

// How events are grouped into messages, and which load ends a monitor. Claude Code
// does not document these numbers.
const (
	eventGatherTime = 200 * time.Millisecond // events within it are sent together
	eventInterval   = time.Second            // minimum time between two messages
	maxEvents       = 20                     // in one message; further events are only counted
	maxEventSize    = 500                    // bytes of one event; the rest is cut off
	maxMessageSize  = 4_000                  // bytes of all events of one message
	maxOverflows    = 5                      // incomplete messages in a row that end the monitor
)

func newMonitorEvents() *monitorEvents { return &monitorEvents{ready: make(chan struct{}, 1)} }

// write adds a piece of output. It does not block.
func (e *monitorEvents) write(p []byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.stopped {
		e.add(e.cleaner.Append(nil, p))
	}
}

// add adds a piece of clean output. The caller holds the lock.
func (e *monitorEvents) add(p []byte) {
	for len(p) > 0 {
		line, rest, ended := bytes.Cut(p, []byte{'\n'})
		room := min(len(line), maxEventSize-len(e.partial))
		e.partial = append(e.partial, line[:room]...)
		e.truncated = e.truncated || room < len(line)
		if ended {
			e.endLine()
		}
		p = rest
	}
}

// finish makes an event of the last line, if it has no newline.
func (e *monitorEvents) finish() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.add(e.cleaner.Rest())
	e.endLine()
}

// stop makes the queue ignore further output.
func (e *monitorEvents) stop() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.stopped = true
}

// endLine makes an event of the line, unless the line is blank. The caller holds the
// lock.
func (e *monitorEvents) endLine() {
	line := eventText(e.partial, e.truncated)
	e.partial, e.truncated = e.partial[:0], false
	if e.stopped || line == "" {
		return
	}
	if len(e.lines) == maxEvents || e.size+len(line) > maxMessageSize {
		e.overflow++
		return
	}
	e.lines = append(e.lines, line)
	e.size += len(line)
	select {
	case e.ready <- struct{}{}:
	default:
	}
}

// drain empties the queue and words its events; text is empty if the queue was. Each
// event is indented, so that the model can tell it from the text around it.
func (e *monitorEvents) drain() (text string, incomplete bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	select {
	case <-e.ready:
	default:
	}
	if len(e.lines) == 0 {
		return "", false
	}
	var b strings.Builder
	switch n := len(e.lines) + e.overflow; {
	case e.overflow > 0:
		fmt.Fprintf(&b, "%d events, the first %d of them here, all in its output file:", n, len(e.lines))
	case n == 1:
		b.WriteString("1 event:")
	default:
		fmt.Fprintf(&b, "%d events:", n)
	}
	for _, line := range e.lines {
		b.WriteString("\n    " + line)
	}
	incomplete = e.overflow > 0
	e.lines, e.size, e.overflow = nil, 0, 0
	return b.String(), incomplete
}

// eventText returns a line as an event: valid UTF-8 without control characters. If
// the line was cut, its last character may be incomplete.
func eventText(line []byte, cut bool) string {
	for range utf8.UTFMax - 1 {
		if r, width := utf8.DecodeLastRune(line); cut && r == utf8.RuneError && width == 1 {
			line = line[:len(line)-1]
		}
	}
	text := output.Line(string(line))
	if len(text) > maxEventSize {
		text, cut = strings.ToValidUTF8(text[:maxEventSize], ""), true
	}
	if cut {
		text += "…"
	}
	return text
}
