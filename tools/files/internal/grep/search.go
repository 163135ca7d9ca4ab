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

// Report returns the result of what was searched so far.
func (s *Search) Report() Report {
	r := s.collector.result()
	r.Searched, r.Unreadable = int(s.numFiles.Load()), int(s.unreadable.Load())
	return r
}
