package shell

import (
	"bytes"
	"strings"
	"sync"
	"unicode/utf8"
)

// lineReporter watches the output of a command: it reports it line by line until it is
// stopped or the output turns out to be no text, and counts the lines. Its methods
// may be called concurrently, write excepted.
type lineReporter struct {
	emit func(line string)

	mu       sync.Mutex
	sent     int
	partial  []byte // the beginning of a line whose end has not come
	stopped  bool
	binary   bool  // there was a NUL
	lineEnds int64 // line ends
}

const (
	maxProgress     = 1000 // lines reported of one command; a build prints more than anybody reads
	maxProgressLine = 200  // bytes of a reported line
)

// write takes a piece of output.
func (l *lineReporter) write(p []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lineEnds += int64(bytes.Count(p, []byte{'\n'}))
	l.binary = l.binary || bytes.IndexByte(p, 0) >= 0
	for l.sent < maxProgress && !l.stopped && !l.binary {
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

// stop makes it report nothing more.
func (l *lineReporter) stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stopped = true
}

// isBinary reports whether the output is no text.
func (l *lineReporter) isBinary() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.binary
}

// lineCount returns how many line ends there were.
func (l *lineReporter) lineCount() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lineEnds
}
