package shell

import (
	"bytes"
	"strings"
	"sync"
	"unicode/utf8"
)

// A lineReporter reports the output of a command line by line, until it is stopped. The
// executor limits how many of the reports are events. Its methods may be called
// concurrently, except write.
type lineReporter struct {
	emit func(line string)

	mu      sync.Mutex
	sent    int
	partial []byte // the beginning of an unfinished line
	stopped bool
}

const (
	maxProgress     = 1000 // lines of one command of which each is reported; then the last of each piece is
	maxProgressLine = 200  // bytes of a reported line
)

// write adds a piece of output.
func (l *lineReporter) write(p []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for !l.stopped {
		if l.sent >= maxProgress {
			p = l.lastLine(p)
		}
		line, rest, ok := bytes.Cut(p, []byte{'\n'})
		if room := maxProgressLine - len(l.partial); room > 0 {
			l.partial = append(l.partial, line[:min(len(line), room)]...)
		}
		if !ok {
			return
		}
		l.emit(strings.ToValidUTF8(strings.TrimRight(string(l.partial), "\r"), string(utf8.RuneError)))
		l.sent++
		l.partial, p = l.partial[:0], rest
	}
}

// lastLine returns p from its last complete line on, and forgets the unfinished line if
// that is not its end. A command that prints very many lines is not slowed down by it.
func (l *lineReporter) lastLine(p []byte) []byte {
	end := bytes.LastIndexByte(p, '\n')
	if end < 0 {
		return p
	}
	if before := bytes.LastIndexByte(p[:end], '\n'); before >= 0 {
		l.partial = l.partial[:0]
		return p[before+1:]
	}
	return p
}

// stop ends the reports.
func (l *lineReporter) stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stopped = true
}
