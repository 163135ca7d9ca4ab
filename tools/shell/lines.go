package shell

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

const (
	maxProgress     = 1000 // lines reported of one command; a build prints more than anybody reads
	maxProgressLine = 200  // bytes of a reported line
)

// lines reports output line by line while a command runs.
type lines struct {
	emit func(line string)
	sent int
	part []byte // the beginning of a line whose end has not come
}

func (l *lines) write(p []byte) {
	for l.sent < maxProgress {
		line, rest, ok := bytes.Cut(p, []byte{'\n'})
		if room := maxProgressLine - len(l.part); room > 0 {
			l.part = append(l.part, line[:min(len(line), room)]...)
		}
		if !ok {
			return
		}
		l.emit(strings.ToValidUTF8(strings.TrimRight(string(l.part), "\r"), string(utf8.RuneError)))
		l.sent++
		l.part, p = l.part[:0], rest
	}
}
