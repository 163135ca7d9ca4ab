package worktree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Clean ends the worktrees that programs have left without finishing them, such as one that
// was killed, in the repository of a directory: those in which nothing has changed are removed,
// the others unlocked, kept and returned. Worktrees in use stay. What cannot be removed now is
// named by the error, and left to the next Clean. On a system without file locks it does
// nothing.
func (t *Trees) Clean(ctx context.Context, dir string) ([]Ending, error) {
	repo, err := t.open(ctx, dir)
	if err != nil {
		return nil, err
	}
	claims, err := repo.abandoned(ctx)
	if err != nil {
		return nil, err
	}
	// A worktree that git has not finished may keep git from looking at the others.
	slices.SortStableFunc(claims, func(a, b *claim) int { return cmp.Compare(a.progress(), b.progress()) })
	var kept []Ending
	var problems []error
	for _, c := range claims {
		if !c.isPlausible() {
			c.end()
			problems = append(problems, fmt.Errorf("the record of the worktree %s was not understood and is removed; git worktree list names what is left", c.name))
			continue
		}
		w := &Worktree{Path: c.Path, Dir: c.Path, Branch: c.Branch, Main: repo.top, Common: repo.common, repo: repo, claim: c}
		// A git that was killed with the program may have left its lock of the branch.
		_ = os.Remove(filepath.Join(repo.common, "refs", "heads", BranchPrefix+c.name+".lock"))
		if c.Folder == "" { // it was not finished, and no agent has worked there
			if err := w.discard(ctx); err != nil {
				problems = append(problems, err)
				c.release()
			} else {
				c.end()
			}
			continue
		}
		e, err := w.Finish(ctx)
		problems = append(problems, err)
		if e.Kept {
			kept = append(kept, e)
		}
	}
	return kept, errors.Join(problems...)
}
