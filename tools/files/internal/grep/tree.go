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

// DefaultMaxBytes is how much of what was found is kept; our choice.
const DefaultMaxBytes = 20 << 20

// TreeOptions say which files are searched and how much is kept of what is
// found.
type TreeOptions struct {
	Walk walk.Options
	// Skip is how many rows are left out, and Limit how many are returned then,
	// in the order of paths, byte by byte. A file is a row in the modes Files and
	// Count. Limit 0 means all.
	Skip, Limit int
	// MaxBytes is how much memory the rows take, about; 0 means DefaultMaxBytes.
	// At least the first row is kept.
	MaxBytes int
	// Allow says whether it may be told that there is a match in a file. It is
	// called once for each file that has one, one after the other, and before
	// anything of the file is kept. Nil allows all.
	Allow func(rel string) bool
}

// A Report is what was found in several files. The numbers count all that was
// found, also what is beyond the limits, but nothing of what may not be told of.
type Report struct {
	Files      []FileFound // in the order of their paths
	NumFiles   int         // with a match
	NumRows    int         // in the mode Content
	NumMatches int         // as Count counts them
	Cut        bool        // MaxBytes were reached
	Hidden     int         // files with a match that Allow refused
	Unreadable int         // files and directories
	Binary     int         // files with a match that cease to be text
}

// Tree searches the files below the directory root, whose absolute path without
// links is dir. If the search ends early, the error says why and the report holds
// what was found until then. A *walk.GlobError or a *walk.TypeError says that it
// did not begin.
func (p *Program) Tree(ctx context.Context, root *os.Root, dir string, o TreeOptions) (Report, error) {
	c := newCollector(p.q.Mode, o)
	searchers := make([]*Searcher, o.Walk.NumWorkers())
	var unreadable atomic.Int64
	walked, err := walk.Run(ctx, root, dir, o.Walk, func(worker int, e *walk.Entry) error {
		s := searchers[worker]
		if s == nil {
			s = p.Searcher()
			searchers[worker] = s
		}
		f, err := e.Open()
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				unreadable.Add(1)
			}
			return nil
		}
		defer func() { _ = f.Close() }()
		if err := s.collect(ctx, c, e.Rel, f, false); err != nil {
			unreadable.Add(1)
		}
		return nil
	})
	r := c.result()
	r.Unreadable = int(unreadable.Load()) + walked.Unreadable
	return r, err
}

// File searches what f holds, which is called name. It is searched even if it is
// not text, although nothing of it is shown then. Of o only what limits the
// result counts.
func (p *Program) File(ctx context.Context, name string, f io.Reader, o TreeOptions) (Report, error) {
	c := newCollector(p.q.Mode, o)
	err := p.Searcher().collect(ctx, c, name, f, true)
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return c.result(), err
}

// collect searches f and adds what it finds to c. What was found before the
// search was given up counts, but for counts. The end of ctx is no error.
func (s *Searcher) collect(ctx context.Context, c *collector, rel string, f io.Reader, binary bool) error {
	found, err := s.Search(ctx, f, Want{
		Accept: func() (int, bool) { return c.accept(rel) },
		Bytes:  c.most,
		Binary: binary,
	})
	if err == nil || s.p.q.Mode != Count {
		c.add(rel, found)
	}
	if err != nil && ctx.Err() == nil {
		return err
	}
	return nil
}
