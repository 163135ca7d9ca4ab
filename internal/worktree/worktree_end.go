package worktree

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// Keep ends the use of a worktree and leaves it as it is, unlocked. It needs no git. A second
// call does nothing.
func (w *Worktree) Keep() error {
	if w.claim.file == nil {
		return nil
	}
	err := w.unlock()
	w.endClaim()
	return err
}

// IsThere reports whether the directory of the worktree is still there.
func (w *Worktree) IsThere() bool { return isDirectory(w.Dir) && isDirectory(w.Path) }

// Loss counts what would be lost if the worktree was removed.
func (w *Worktree) Loss(ctx context.Context) (Loss, error) {
	l := Loss{}
	at := w.repo.at(w.Path, w.claim.Folder)
	if w.IsThere() {
		out, err := at.git(ctx, "status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--ignore-submodules=dirty")
		if err != nil {
			return Loss{}, err
		}
		for line := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
			if line != "" {
				l.Files++
			}
		}
		if l.Reason, err = at.submodules(ctx); err != nil {
			return Loss{}, err
		}
	}
	own := "refs/heads/" + w.Branch
	tips := []string{}
	if tip, err := w.repo.commit(ctx, own); err == nil {
		l.tip, tips = tip, append(tips, tip)
	}
	if head, err := at.commit(ctx, "HEAD"); err == nil {
		tips = append(tips, head)
	}
	if ctx.Err() != nil {
		return Loss{}, context.Cause(ctx)
	}
	if len(tips) == 0 {
		return l, nil
	}
	not := []string{"--not", "--exclude=" + w.Branch, "--branches", "--tags", "--remotes"}
	if main, err := w.repo.commit(ctx, "HEAD"); err == nil {
		not = append(not, main)
	}
	if w.claim.Base != "" {
		not = append(not, w.claim.Base)
	}
	out, err := w.repo.git(ctx, append(append([]string{"rev-list", "--count"}, tips...), not...)...)
	if err != nil {
		return Loss{}, err
	}
	if _, err := fmt.Sscan(string(out), &l.Commits); err != nil {
		return Loss{}, fmt.Errorf("git rev-list: %w", err)
	}
	return l, nil
}

// Below returns a reason if other worktrees of the repository are below this one, with which
// they would be lost.
func (w *Worktree) Below(ctx context.Context) (string, error) {
	out, err := w.repo.alone(ctx, "worktree", "list", "--porcelain")
	if err != nil || !strings.Contains(string(out), "worktree "+filepath.ToSlash(w.Path)+"/") {
		return "", err
	}
	return "it holds other worktrees", nil
}

// Discard removes a worktree with its branch, and with what l has counted before. The branch
// stays if it has moved since. An error comes with a worktree that is kept.
func (w *Worktree) Discard(ctx context.Context, l Loss) error {
	if w.claim.file == nil {
		return errors.New("the worktree is not in use")
	}
	reason, err := w.Below(ctx)
	if err == nil && reason != "" {
		err = errors.New(reason)
	}
	if err == nil {
		err = w.unlock()
	}
	if err == nil {
		_, _ = w.repo.alone(ctx, "worktree", "remove", "--force", "--force", w.Path) // it fails if the directory is gone in part
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		} else if err = w.repo.removeDirectory(w.Path); err == nil {
			err = w.repo.removeAdminFolder(ctx, w.Path)
		}
	}
	if err == nil && l.tip != "" {
		_, err = w.repo.git(ctx, "update-ref", "-d", "refs/heads/"+w.Branch, l.tip)
	}
	w.endClaim()
	return err
}
