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

// SearchTree searches the files below the directory root. dir is the absolute path of
// root, without links. If the search ends early, the report has the results up to then,
// and the error says why. The error is a *walk.GlobError or a *walk.TypeError if the
// search did not begin.
func (p *Program) SearchTree(ctx context.Context, root *os.Root, dir string, o TreeOptions) (Report, error) {
	c := newCollector(p.query.Mode, o)
	searchers := make([]*Searcher, o.Walk.NumWorkers())
	var unreadable atomic.Int64
	walked, err := walk.Run(ctx, root, dir, o.Walk, func(worker int, e *walk.Entry) error {
		s := searchers[worker]
		if s == nil {
			s = NewSearcher(p)
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

// SearchFile searches the file f, whose path in the report is name. It searches binary
// files as well, although the report has no text of them. Of o, only the limits of the
// result and Allow apply.
func (p *Program) SearchFile(ctx context.Context, name string, f io.Reader, o TreeOptions) (Report, error) {
	c := newCollector(p.query.Mode, o)
	err := NewSearcher(p).collect(ctx, c, name, f, true)
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return c.result(), err
}
