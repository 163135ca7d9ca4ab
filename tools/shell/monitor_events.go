package shell

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"
)

// An monitorEvents takes the output of a command apart into events, and keeps those that
// wait to be told. What it holds is bounded, whatever is written.
type monitorEvents struct {
	// ready holds a token when there are events after there were none.
	ready chan struct{}

	mu        sync.Mutex
	partial   []byte // the beginning of a line whose end has not come
	truncated bool   // the line had more than part holds
	lines     []string
	size      int // bytes of the lines
	overflow  int // events that found no room among them
	stopped   bool
}

// What a monitor tells, and when it tells too much. The numbers are ours.
const (
	eventGatherTime = 200 * time.Millisecond // events that come within it are told together
	eventInterval   = time.Second            // the least time between two messages
	maxEvents       = 20                     // told in one message; the others are counted
	maxEventSize    = 500                    // bytes of one event; what is longer is cut
	maxMessageSize  = 4_000                  // bytes of all events of one message
	maxOverflows    = 5                      // messages in a row that lack events end the monitor
)

func newMonitorEvents() *monitorEvents { return &monitorEvents{ready: make(chan struct{}, 1)} }

// write takes a piece of output. It does not block.
func (f *monitorEvents) write(p []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for !f.stopped && len(p) > 0 {
		line, rest, ended := bytes.Cut(p, []byte{'\n'})
		room := min(len(line), maxEventSize-len(f.partial))
		f.partial = append(f.partial, line[:room]...)
		f.truncated = f.truncated || room < len(line)
		if ended {
			f.endLine()
		}
		p = rest
	}
}

// finish ends the last line, if it lacks its end.
func (f *monitorEvents) finish() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.endLine()
}

// stop makes the feed take no more.
func (f *monitorEvents) stop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stopped = true
}

// endLine makes an event of the line, unless it is blank. The lock is held.
func (f *monitorEvents) endLine() {
	line := eventText(f.partial, f.truncated)
	f.partial, f.truncated = f.partial[:0], false
	if f.stopped || line == "" {
		return
	}
	if len(f.lines) == maxEvents || f.size+len(line) > maxMessageSize {
		f.overflow++
		return
	}
	f.lines = append(f.lines, line)
	f.size += len(line)
	select {
	case f.ready <- struct{}{}:
	default:
	}
}

// drain removes and words the events that wait; there may be none. Each is indented,
// so that it cannot be taken for words of ours.
func (f *monitorEvents) drain() (text string, overflown bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	select {
	case <-f.ready:
	default:
	}
	if len(f.lines) == 0 {
		return "", false
	}
	var b strings.Builder
	switch n := len(f.lines) + f.overflow; {
	case f.overflow > 0:
		fmt.Fprintf(&b, "%d events, the first %d of them here, all in its output file:", n, len(f.lines))
	case n == 1:
		b.WriteString("1 event:")
	default:
		fmt.Fprintf(&b, "%d events:", n)
	}
	for _, line := range f.lines {
		b.WriteString("\n    " + line)
	}
	overflown = f.overflow > 0
	f.lines, f.size, f.overflow = nil, 0, 0
	return b.String(), overflown
}

// eventText returns a line as it is told: valid UTF-8 without control characters.
// If it was cut, that may have been within its last character.
func eventText(line []byte, cut bool) string {
	for range utf8.UTFMax - 1 {
		if r, width := utf8.DecodeLastRune(line); cut && r == utf8.RuneError && width == 1 {
			line = line[:len(line)-1]
		}
	}
	text := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(string(line), string(utf8.RuneError)))
	text = strings.TrimSpace(text)
	if len(text) > maxEventSize {
		text, cut = strings.ToValidUTF8(text[:maxEventSize], ""), true
	}
	if cut {
		text += "…"
	}
	return text
}
