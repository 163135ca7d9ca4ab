package grep

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"sync/atomic"

	"github.com/seed49eaa51d/pegboard/tools/files/internal/grep/walk"
)

// A Search searches files and directories one after another, with one result. Its methods
// must not be called concurrently.
type Search struct {
	program    *Program
	collector  *collector
	searchers  []*Searcher
	numFiles   atomic.Int64 // files that were opened
	unreadable atomic.Int64
}

// NewSearch returns a search for p.
func NewSearch(p *Program, o Limits) *Search {
	return &Search{program: p, collector: newCollector(p.query.Mode, o)}
}

// Tree searches the files below the directory root that o selects. dir is the absolute
// path of root, without links. The paths in the report begin with prefix. If the search
// ends early, the report has the results up to then, and the error says why. The error is
// a *walk.GlobError or a *walk.TypeError if the search did not begin.
func (s *Search) Tree(ctx context.Context, root *os.Root, dir, prefix string, o walk.Options) error {
	for len(s.searchers) < o.NumWorkers() {
		s.searchers = append(s.searchers, nil)
	}
	walked, err := walk.Run(ctx, root, dir, o, func(worker int, e *walk.Entry) error {
		r := s.searchers[worker]
		if r == nil {
			r = NewSearcher(s.program)
			s.searchers[worker] = r
		}
		f, err := e.Open()
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				s.unreadable.Add(1)
			}
			return nil
		}
		defer func() { _ = f.Close() }()
		s.numFiles.Add(1)
		if err := r.collect(ctx, s.collector, func() string { return prefix + e.Rel }, f, false); err != nil {
			s.unreadable.Add(1)
		}
		return nil
	})
	s.unreadable.Add(int64(walked.Unreadable))
	return err
}

// File searches the file f, whose path in the report is name. It searches binary files as
// well, although the report has no text of them.
func (s *Search) File(ctx context.Context, name string, f io.Reader) error {
	s.numFiles.Add(1)
	err := NewSearcher(s.program).collect(ctx, s.collector, func() string { return name }, f, true)
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return err
}

// Report returns the result of the search so far.
func (s *Search) Report() Report {
	r := s.collector.result()
	r.Searched, r.Unreadable = int(s.numFiles.Load()), int(s.unreadable.Load())
	return r
}

// SearchOptions limit the search of one file.
type SearchOptions struct {
	// Accept is called at the first match, before anything of the file is kept. It
	// returns the maximum number of rows to keep, and whether the caller may learn of
	// the file at all. Nil accepts the file without a limit.
	Accept func() (rows int, ok bool)
	// MaxBytes is the approximate memory that the rows may use, in bytes; 0 means no
	// limit.
	MaxBytes int
	// IncludeBinary makes the search go on after a zero byte, although the result has
	// no rows from there on.
	IncludeBinary bool
}

// A Report is the result of a search of several files. The numbers also count results
// beyond the limits; except for Hidden, they do not count files that Allow refused.
type Report struct {
	Files      []FileResult // in the order of their paths
	NumFiles   int          // files with a match
	NumRows    int          // in the mode Content
	NumMatches int          // in the sense of the mode Count
	Truncated  bool         // the result reached MaxBytes
	Hidden     int          // files with a match that Allow refused
	Searched   int          // files that were searched, with a match or without
	Unreadable int          // files and directories that could not be read
	Binary     int          // files with a match that are not text throughout
}
