package grep

import (
	"context"
	"errors"
	"io"
)

// A Searcher searches one file after the other. It is for one goroutine, and
// reuses its memory.
type Searcher struct {
	program   *Program
	finder    *finder
	machine   *machine
	automaton *automaton
	stopped   func() bool

	passedBytes, failedBytes int // bytes of text that were passed, and of lines that held the needle and did not match

	buf []byte
	fileSearch
}

// Sizes of what is read, in bytes.
const (
	windowSize    = 64 << 10 // at once, if lines are short
	maxWindowSize = 64 << 20 // one line, or one file if matches cross lines
	maxKeptWindow = 1 << 20  // between two files
)

// ErrTooLong says that a line, or a file across whose lines is searched, is
// longer than 64 MiB.
var ErrTooLong = errors.New("a line is longer than 64 MiB")

// NewSearcher returns a Searcher for p.
func (p *Program) NewSearcher() *Searcher {
	s := &Searcher{program: p, buf: make([]byte, windowSize)}
	r := charReader{ascii: p.query.ASCII}
	if p.hasAssertions && !r.ascii {
		r.wordChars = wordSet(false)
	}
	s.stopped = func() bool { return false }
	s.machine = newMachine(p, r, func() bool { return s.stopped() })
	s.automaton = newAutomaton(p, r)
	if p.needle != nil {
		s.finder = newFinder(p.needle)
	}
	return s
}

// Search searches what r returns until it ends or ctx does. The error is that of
// r or ctx, or ErrTooLong; what was found until then is returned with it.
func (s *Searcher) Search(ctx context.Context, r io.Reader, w SearchOptions) (Result, error) {
	s.fileSearch = fileSearch{options: w}
	s.stopped = func() bool { return ctx.Err() != nil }
	var err error
	if s.program.wholeFile {
		err = s.searchWhole(ctx, r)
	} else {
		err = s.searchLines(ctx, r)
	}
	if len(s.buf) > maxKeptWindow {
		s.buf = make([]byte, windowSize)
	}
	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if s.result.Denied {
		return Result{Denied: true}, err
	}
	if s.result.Binary && !w.IncludeBinary && s.program.query.Mode == Count {
		s.result.Matches = 0 // a part of a count is none
	}
	return s.result, err
}

// collect searches f and adds what it finds to c. What was found before the
// search was given up counts, but for counts. The end of ctx is no error.
func (s *Searcher) collect(ctx context.Context, c *collector, rel string, f io.Reader, binary bool) error {
	found, err := s.Search(ctx, f, SearchOptions{
		Accept:        func() (int, bool) { return c.accept(rel) },
		MaxBytes:      c.maxBytes,
		IncludeBinary: binary,
	})
	if err == nil || s.program.query.Mode != Count {
		c.add(rel, found)
	}
	if err != nil && ctx.Err() == nil {
		return err
	}
	return nil
}
