package grep

import (
	"context"
	"errors"
	"io"
)

// Sizes of what is read, in bytes.
const (
	window     = 64 << 10 // at once, if lines are short
	maxWindow  = 64 << 20 // one line, or one file if matches cross lines
	keptWindow = 1 << 20  // between two files
)

// ErrTooLong says that a line, or a file across whose lines is searched, is
// longer than 64 MiB.
var ErrTooLong = errors.New("a line is longer than 64 MiB")

// A Searcher searches one file after the other. It is for one goroutine, and
// reuses its memory.
type Searcher struct {
	p         *Program
	finder    *finder
	machine   *machine
	automaton *automaton
	stopped   func() bool

	checked, failed int // bytes of text that were passed, and of lines that held the needle and did not match

	buf []byte
	scan
}

// Searcher returns a Searcher for p.
func (p *Program) Searcher() *Searcher {
	s := &Searcher{p: p, buf: make([]byte, window)}
	r := reader{ascii: p.q.ASCII}
	if p.asserts && !r.ascii {
		r.word = wordSet(false)
	}
	s.stopped = func() bool { return false }
	s.machine = newMachine(p, r, func() bool { return s.stopped() })
	s.automaton = newAutomaton(p, r)
	if p.needle != nil {
		s.finder = newFinder(p.needle)
	}
	return s
}

// A Want says what is wanted of one file.
type Want struct {
	// Accept is asked when the first match is found, and before anything is kept
	// of it. It returns how many rows to keep and whether the file may be told of
	// at all. Nil means all.
	Accept func() (rows int, ok bool)
	// Bytes is how much memory the rows may take, about; 0 means any.
	Bytes int
	// Binary makes a file be searched that holds zero bytes, although nothing of
	// it is shown.
	Binary bool
}

// Search searches what r returns until it ends or ctx does. The error is that of
// r or ctx, or ErrTooLong; what was found until then is returned with it.
func (s *Searcher) Search(ctx context.Context, r io.Reader, w Want) (Found, error) {
	s.scan = scan{want: w}
	s.stopped = func() bool { return ctx.Err() != nil }
	var err error
	if s.p.across {
		err = s.searchWhole(ctx, r)
	} else {
		err = s.searchLines(ctx, r)
	}
	if len(s.buf) > keptWindow {
		s.buf = make([]byte, window)
	}
	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if s.found.Denied {
		return Found{Denied: true}, err
	}
	if s.found.Binary && !w.Binary && s.p.q.Mode == Count {
		s.found.Matches = 0 // a part of a count is none
	}
	return s.found, err
}

// nextLine returns the first line with a match in b that begins at from or
// behind, without its line feed.
func (s *Searcher) nextLine(b []byte, from int) (start, end int, found bool) {
	switch {
	case from >= len(b):
		return 0, 0, false
	case s.automaton.always:
		return from, lineEnd(b, from), true
	case s.finder != nil:
		return s.nextCandidate(b, from)
	}
	return s.nextByAutomaton(b, from)
}

func (s *Searcher) nextByAutomaton(b []byte, from int) (start, end int, found bool) {
	if s.automaton.worn {
		return s.nextByMachine(b, from)
	}
	_, i, found := s.automaton.find(b, from, edge, b[len(b)-1] != '\n')
	if !found {
		return 0, 0, false
	}
	return lineStart(b, from, i), lineEnd(b, i), true
}

func (s *Searcher) nextByMachine(b []byte, from int) (start, end int, found bool) {
	for from < len(b) && !s.stopped() {
		end := lineEnd(b, from)
		if _, _, ok := s.machine.find(b[from:end], 0, false); ok {
			return from, end, true
		}
		from = end + 1
	}
	return 0, 0, false
}

// nextCandidate looks only at lines that hold the needle.
func (s *Searcher) nextCandidate(b []byte, from int) (start, end int, found bool) {
	for at := from; at < len(b); {
		p := s.finder.find(b, at)
		if p < 0 {
			s.checked += len(b) - at
			break
		}
		start, end = lineStart(b, at, p), lineEnd(b, p)
		if s.p.needle.whole || s.matches(b[start:end]) {
			return start, end, true
		}
		s.checked += end - at
		s.failed += end - start
		if s.checked > window && s.failed > s.checked/2 {
			s.finder = nil // most lines hold it
			return s.nextLine(b, end+1)
		}
		at = end + 1
	}
	return 0, 0, false
}

// matches reports whether there is a match in line.
func (s *Searcher) matches(line []byte) bool {
	if s.automaton.worn {
		_, _, found := s.machine.find(line, 0, false)
		return found
	}
	_, _, found := s.automaton.find(line, 0, edge, true)
	return found
}

// nextMatch returns the first match in b that begins at from or behind.
func (s *Searcher) nextMatch(b []byte, from int) (start, end int, found bool) {
	if s.finder != nil && s.p.needle.prefix {
		for p := s.finder.find(b, from); p >= 0; p = s.finder.find(b, p+1) {
			if start, end, found := s.machine.find(b, p, true); found {
				return start, end, true
			}
		}
		return 0, 0, false
	}
	if s.finder != nil && s.finder.find(b, from) < 0 {
		return 0, 0, false
	}
	if !s.automaton.worn && !s.automaton.always {
		low, _, found := s.automaton.find(b, from, s.machine.before(b, from), true)
		if !found {
			return 0, 0, false
		}
		from = low
	}
	return s.machine.find(b, from, false)
}
