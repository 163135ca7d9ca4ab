package shell

import (
	"bytes"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/shellparse"
	lines "github.com/seed49eaa51d/pegboard/policy/shell"
)

// programKinds are the programs that search, read or list, if they only read. A program
// with KindOther says nothing about the line that it is a part of.
var programKinds = map[string]pegboard.CallKind{
	"grep": pegboard.KindSearch, "egrep": pegboard.KindSearch, "fgrep": pegboard.KindSearch, "rg": pegboard.KindSearch,
	"find": pegboard.KindSearch, "fd": pegboard.KindSearch, "locate": pegboard.KindSearch, "which": pegboard.KindSearch,
	"whereis": pegboard.KindSearch, "git grep": pegboard.KindSearch, "select-string": pegboard.KindSearch, "findstr": pegboard.KindSearch,

	"cat": pegboard.KindRead, "head": pegboard.KindRead, "tail": pegboard.KindRead, "nl": pegboard.KindRead, "tac": pegboard.KindRead,
	"wc": pegboard.KindRead, "stat": pegboard.KindRead, "file": pegboard.KindRead, "strings": pegboard.KindRead, "jq": pegboard.KindRead,
	"cut": pegboard.KindRead, "sort": pegboard.KindRead, "uniq": pegboard.KindRead, "tr": pegboard.KindRead, "sed": pegboard.KindRead,
	"awk": pegboard.KindRead, "diff": pegboard.KindRead, "get-content": pegboard.KindRead, "select-object": pegboard.KindRead,

	"ls": pegboard.KindList, "tree": pegboard.KindList, "du": pegboard.KindList, "dir": pegboard.KindList, "get-childitem": pegboard.KindList,

	"cd": pegboard.KindOther, "echo": pegboard.KindOther, "printf": pegboard.KindOther, "true": pegboard.KindOther, ":": pegboard.KindOther,
}

// kindOf returns the kind of a line that only reads: that of its programs, if each of them
// searches, reads or lists.
func kindOf(line *lines.Line) pegboard.CallKind {
	kind := pegboard.KindOther
	for i := range line.Commands {
		own, known := programKinds[strings.ToLower(shellparse.SubcommandOf(line.Commands[i].Text))]
		switch {
		case !known:
			return pegboard.KindRun
		case own == pegboard.KindOther || kind == pegboard.KindSearch:
		case kind == pegboard.KindOther || own == pegboard.KindSearch:
			kind = own
		case kind != own: // it reads and lists
			kind = pegboard.KindRead
		}
	}
	if kind == pegboard.KindOther {
		return pegboard.KindRun
	}
	return kind
}

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
