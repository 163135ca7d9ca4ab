package worktree

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// ErrForeign is the error of [Trees.Enter] for a directory in no working tree of the repository.
var ErrForeign = errors.New("it is no worktree of this repository")

// Enter takes a worktree into use that is there: that of path, of the repository of r.Dir. One
// below the folder of the worktrees is locked like one that [Trees.Reopen] takes, and any other
// is left as it is. [Worktree.Keep] ends the use. Of r only Dir counts.
func (t *Trees) Enter(ctx context.Context, r Request, path string) (*Worktree, error) {
	repo, err := t.open(ctx, r.Dir)
	if err != nil {
		return nil, err
	}
	path = realpath.Resolve(filepath.Clean(path))
	if !filepath.IsAbs(path) || !isDirectory(path) {
		return nil, fmt.Errorf("%s is no directory: %w", path, ErrForeign)
	}
	other, err := t.open(ctx, path)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil, other.common != repo.common:
		return nil, fmt.Errorf("%s: %w", path, ErrForeign)
	case other.top == repo.top:
		return nil, fmt.Errorf("%s is in the working tree that you are in: %w", path, ErrForeign)
	}
	admin, err := adminFolder(other.top, repo.common)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, ErrForeign) // the first working tree of the repository
	}
	if name, ok := repo.nameOf(other.top); ok {
		w, err := t.Reopen(ctx, Request{Dir: r.Dir, Name: name})
		if err == nil {
			w.Dir = path
		}
		return w, err
	}
	branch, err := other.branch(ctx)
	if err != nil {
		return nil, err
	}
	return &Worktree{Path: other.top, Dir: path, Branch: branch, Base: branch, Main: repo.top, Common: repo.common, repo: repo, claim: &claim{record: record{Path: other.top, Folder: admin}}, folder: admin}, nil
}
