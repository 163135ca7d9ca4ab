package stdio

import (
	"bytes"
	"strings"
	"sync"
)

// tail keeps the end of a server's stderr.
type tail struct {
	limit int
	log   func(line string)

	mu   sync.Mutex
	kept []byte // at most twice the limit
	line []byte // the beginning of a line, for log
}

func (t *tail) write(p []byte) {
	t.mu.Lock()
	t.kept = append(t.kept, p[max(0, len(p)-t.limit):]...)
	if len(t.kept) > 2*t.limit {
		t.kept = append(t.kept[:0], t.kept[len(t.kept)-t.limit:]...)
	}
	t.mu.Unlock()
	if t.log == nil {
		return
	}
	for line := range bytes.Lines(p) {
		t.line = append(t.line, line...)
		if end := len(t.line) - 1; t.line[end] == '\n' || end >= t.limit {
			t.log(strings.ToValidUTF8(strings.TrimSpace(string(t.line)), "\uFFFD"))
			t.line = t.line[:0]
		}
	}
}

// text returns the end of stderr, as whole characters.
func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	kept := t.kept[max(0, len(t.kept)-t.limit):]
	return strings.TrimSpace(strings.ToValidUTF8(string(kept), "\uFFFD"))
}
