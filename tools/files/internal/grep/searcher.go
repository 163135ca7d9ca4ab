package grep

import (
	"context"
	"errors"
	"io"
)

// A Searcher searches one file after another and reuses its buffers. It must not be
// used concurrently.
type Searcher struct {
	program   *Program
	finder    *finder
	machine   *machine
	automaton *automaton
	stopped   func() bool // reports whether the context of the search has ended

	passedBytes int // bytes searched
	failedBytes int // bytes of lines that contain the needle without a match

	buf []byte
	fileSearch
}

// The sizes of the buffer, in bytes.
const (
	windowSize    = 64 << 10 // initially; longer lines make it grow
	maxWindowSize = 64 << 20 // for one line, or for a file if matches may cross lines
	maxKeptWindow = 1 << 20  // between two files
)

// ErrTooLong means that a line is longer than 64 MiB, or a file if matches may cross
// lines.
var ErrTooLong = errors.New("a line is longer than 64 MiB")

// NewSearcher returns a Searcher for p.
func NewSearcher(p *Program) *Searcher {
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

// Search searches the text of r until r or ctx ends. The error is that of r or ctx, or
// ErrTooLong; the result then has the matches up to that point.
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
		s.result.Matches = 0 // a partial count is useless
	}
	return s.result, err
}

// collect searches f and adds the result to c. path returns the path of f in the report, and
// is called if there is a match. If the search ends early, the matches up
// to then are added, except in the mode Count. The end of ctx is not returned as an
// error.
func (s *Searcher) collect(ctx context.Context, c *collector, path func() string, f io.Reader, binary bool) error {
	var name string
	found, err := s.Search(ctx, f, SearchOptions{
		Accept:        func() (int, bool) { name = path(); return c.accept(name) },
		MaxBytes:      c.maxBytes,
		IncludeBinary: binary,
	})
	if err == nil || s.program.query.Mode != Count {
		c.add(name, found)
	}
	if err != nil && ctx.Err() == nil {
		return err
	}
	return nil
}
