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

// SearchTree searches the files below the directory root, whose absolute path without
// links is dir. If the search ends early, the error says why and the report holds
// what was found until then. A *walk.GlobError or a *walk.TypeError says that it
// did not begin.
func (p *Program) SearchTree(ctx context.Context, root *os.Root, dir string, o TreeOptions) (Report, error) {
	c := newCollector(p.query.Mode, o)
	searchers := make([]*Searcher, o.Walk.NumWorkers())
	var unreadable atomic.Int64
	walked, err := walk.Run(ctx, root, dir, o.Walk, func(worker int, e *walk.Entry) error {
		s := searchers[worker]
		if s == nil {
			s = p.NewSearcher()
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

// SearchFile searches what f holds, which is called name. It is searched even if it is
// not text, although nothing of it is shown then. Of o only what limits the
// result counts.
func (p *Program) SearchFile(ctx context.Context, name string, f io.Reader, o TreeOptions) (Report, error) {
	c := newCollector(p.query.Mode, o)
	err := p.NewSearcher().collect(ctx, c, name, f, true)
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return c.result(), err
}
