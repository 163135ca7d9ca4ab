package worktree

import (
	"context"
	"errors"
	"fmt"
)

// Clean ends the worktrees that programs have left without finishing them, such as one that
// was killed, in the repository of a directory: those in which nothing has changed are removed,
// the others unlocked, kept and returned. Worktrees in use stay. On a system without file
// locks it does nothing.
func (t *Trees) Clean(ctx context.Context, dir string) ([]Ending, error) {
	repo, err := t.open(ctx, dir)
	if err != nil {
		return nil, err
	}
	claims, err := repo.abandoned(ctx)
	if err != nil {
		return nil, err
	}
	var kept []Ending
	var problems []error
	for _, c := range claims {
		if !c.isPlausible() {
			c.end()
			problems = append(problems, fmt.Errorf("the record of the worktree %s was not understood and is removed; git worktree list names what is left", c.name))
			continue
		}
		w := &Worktree{Path: c.Path, Dir: c.Path, Branch: c.Branch, Main: repo.top, repo: repo, claim: c}
		if c.Folder == "" { // it was not finished, and no agent has worked there
			problems = append(problems, w.discard(ctx))
			w.endClaim()
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
