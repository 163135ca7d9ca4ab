package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A Worktree is one in use. Its methods must not be called concurrently.
type Worktree struct {
	Path   string // absolute, without links
	Dir    string // the directory that stands for that of the request, without links
	Branch string
	Base   string // the commit it began with, such as "origin/main"; its branch, if it was kept before
	Main   string // the working tree it was made from, absolute, without links
	Common string // the folder of the repository, absolute, without links; usually below Main
	// Included are the files that were copied because of .worktreeinclude, Skipped those that
	// it names and that were not, each with the reason. Both are relative to Path.
	Included []string
	Skipped  []string

	repo  *repository // that it was made from
	claim *claim
	// folder of git for the worktree, as git has written it; empty until it was made
	folder string
}

// An Ending tells how the use of a worktree has ended.
type Ending struct {
	Name, Path, Branch string
	Kept               bool
	Reason             string // why it was kept; empty otherwise
}

// IsWhole reports whether the file that leads git to the worktree is as it was made. Otherwise
// git may find another repository there, such as the one that the worktree was made from. It
// may be called concurrently.
func (w *Worktree) IsWhole() bool {
	dot := filepath.Join(w.Path, ".git")
	info, err := os.Lstat(dot)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxRecord {
		return false
	}
	text, err := os.ReadFile(dot)
	return err == nil && strings.TrimRight(string(text), "\r\n") == "gitdir: "+filepath.ToSlash(w.folder)
}

// Finish ends the use of a worktree: it is removed with its branch if nothing in it has
// changed, and kept unlocked otherwise. Where that cannot be told, it is kept. A worktree of
// which the directory is gone loses its branch if there is no commit on it.
//
// An error comes with an Ending that names the remains. A worktree that could not be
// removed is left to the next Clean. If ctx ends first, the worktree is kept. A second call fails.
func (w *Worktree) Finish(ctx context.Context) (Ending, error) {
	e := Ending{Name: w.claim.name, Path: w.Path, Branch: w.Branch}
	if w.claim.file == nil {
		return e, errors.New("the worktree is not in use")
	}
	reason, err := w.changes(ctx)
	if err != nil {
		reason = "it could not be told whether anything has changed: " + err.Error()
	}
	if reason == "" {
		if err = w.remove(ctx); err == nil {
			w.endClaim()
			return e, nil
		}
		e.Kept, e.Reason = true, "it could not be removed: "+err.Error()
		err = errors.Join(err, w.unlock())
		w.claim.release() // a part of it may be left, such as its branch
		w.claim.file = nil
		return e, err
	}
	e.Kept, e.Reason = true, reason
	err = errors.Join(err, w.unlock())
	w.endClaim()
	return e, err
}

// unlock works like git worktree unlock, also when there is no time for git.
func (w *Worktree) unlock() error {
	err := os.Remove(filepath.Join(w.claim.Folder, "locked"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (w *Worktree) endClaim() {
	w.claim.end()
	w.claim.file = nil
}

// changes describes the changes in the worktree, or returns an empty string.
func (w *Worktree) changes(ctx context.Context) (string, error) {
	if w.claim.Base == "" {
		return "an earlier run had left it, and a worktree is removed only by the run that has made it", nil
	}
	tip, err := w.repo.commit(ctx, "refs/heads/"+w.Branch)
	if err != nil {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		tip = w.claim.Base // the branch was removed by hand
	}
	if tip != w.claim.Base {
		return "there are commits on its branch", nil
	}
	if _, err := os.Lstat(w.Path); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	at := w.repo.at(w.Path, w.claim.Folder)
	head, err := os.ReadFile(filepath.Join(w.claim.Folder, "HEAD"))
	if err != nil {
		return "", err
	}
	if strings.TrimSpace(string(head)) != "ref: refs/heads/"+w.Branch {
		return "it is on another branch", nil
	}
	if out, err := w.repo.alone(ctx, "worktree", "list", "--porcelain"); err != nil {
		return "", err
	} else if strings.Contains(string(out), "worktree "+filepath.ToSlash(w.Path)+"/") {
		return "it holds other worktrees", nil
	}
	if reason, err := at.submodules(ctx); reason != "" || err != nil {
		return reason, err
	}
	out, err := at.git(ctx, "status", "--porcelain", "-z", "--untracked-files=all", "--ignore-submodules=dirty")
	if err != nil {
		return "", err
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		half := w.claim.Removing && strings.HasPrefix(line, " D ") // the removal was interrupted
		if line != "" && !half {
			return "it has changes that are not committed", nil
		}
	}
	return "", nil
}

// submodules returns a reason if a submodule is checked out: changes there are not looked
// at.
func (r *repository) submodules(ctx context.Context) (string, error) {
	out, err := r.git(ctx, "ls-files", "-s", "-z")
	if err != nil {
		return "", err
	}
	for line := range strings.SplitSeq(string(out), "\x00") {
		info, name, _ := strings.Cut(line, "\t")
		if !strings.HasPrefix(info, "160000 ") || !filepath.IsLocal(filepath.FromSlash(name)) {
			continue
		}
		if _, err := os.Lstat(filepath.Join(r.top, filepath.FromSlash(name), ".git")); err == nil {
			return "a submodule is checked out in it", nil
		}
	}
	return "", nil
}

// remove removes a worktree in which nothing has changed, and its branch. Git looks again, and
// refuses if something has changed since.
func (w *Worktree) remove(ctx context.Context) error {
	if _, err := os.Lstat(w.Path); errors.Is(err, fs.ErrNotExist) || w.claim.Removing {
		return w.discard(ctx) // at most a part of it is left
	}
	w.claim.Removing = true
	if err := w.claim.save(); err != nil {
		return err
	}
	if err := w.unlock(); err != nil {
		return err
	}
	if _, err := w.repo.alone(ctx, "worktree", "remove", w.Path); err != nil {
		return err
	}
	return w.removeBranch(ctx)
}

// removeBranch removes the branch if it still is at its base.
func (w *Worktree) removeBranch(ctx context.Context) error {
	ref := "refs/heads/" + w.Branch
	tip, err := w.repo.commit(ctx, ref)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err == nil && tip != w.claim.Base:
		return fmt.Errorf("the branch %s has commits", w.Branch)
	case err == nil:
		_, err = w.repo.git(ctx, "update-ref", "-d", ref, w.claim.Base)
		return err
	}
	return nil // it is gone
}

// discard removes the things that Add has made, without looking at them: no agent has worked
// there. Things that the record does not name stay.
func (w *Worktree) discard(ctx context.Context) error {
	var err error
	if w.claim.Path == "" && w.claim.Wanted != "" && isDirectory(w.claim.Wanted) {
		_ = os.Remove(w.claim.Wanted) // if it is empty
	}
	if w.claim.Path != "" {
		// Git fails if it was killed while it made or removed the worktree.
		_, _ = w.repo.alone(ctx, "worktree", "remove", "--force", "--force", w.claim.Path)
		err = w.repo.removeDirectory(w.claim.Path)
		if err == nil {
			err = w.repo.removeAdminFolder(ctx, w.claim.Path)
		}
	}
	if w.claim.Branch != "" {
		err = errors.Join(err, w.removeBranch(ctx))
	}
	return err
}

// removeDirectory removes the directory of a worktree. No link on the way leads elsewhere.
func (r *repository) removeDirectory(path string) error {
	root, err := os.OpenRoot(filepath.Dir(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	return root.RemoveAll(filepath.Base(path))
}

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

// Loss counts the files and commits that would be lost if the worktree was removed.
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

// Discard removes a worktree with its branch, and with the losses that l has counted before. The
// branch stays if it has moved since. An error comes with a worktree that is kept.
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

// A Loss counts the losses if a worktree is removed with its branch.
type Loss struct {
	Files   int    // changed, and new ones that git does not ignore
	Commits int    // that neither another branch has, nor a tag, nor the checkout
	Reason  string // why more may be lost that was not counted, such as changes in a submodule; empty otherwise

	tip string // of the branch, when it was counted; empty if it was removed
}

// Any reports whether anything is lost, or may be.
func (l Loss) Any() bool { return l.Files > 0 || l.Commits > 0 || l.Reason != "" }
