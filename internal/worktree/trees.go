// Package worktree gives an agent a checkout of its own: a linked worktree of git below the
// folder .claude/worktrees of a directory, on a new branch.
//
// The repository has chosen its configuration, so nothing that it names runs: no hook, no
// filter, no file system monitor. Files are checked out as they are stored, and those of Git
// LFS as pointers. Nothing is fetched.
//
// While a worktree is in use, a file beside it is locked, see [Trees.Add]. A program that was
// killed leaves the worktree and that file, and [Trees.Clean] removes both or names those that
// it leaves. The package does not notice that another process changes the configuration between
// two commands of git.
package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/proc"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// Errors of the package, for callers that branch.
var (
	ErrNoRepository = errors.New("it is in no git repository with a working tree")
	ErrTaken        = errors.New("the worktree is taken")
	ErrInUse        = fmt.Errorf("%w: an agent or a program works in it", ErrTaken)
	ErrName         = errors.New("the name of the worktree is not usable")
)

// Folder is the folder of the worktrees, below the directory for which they are made.
const Folder = ".claude/worktrees"

// BranchPrefix is the beginning of a branch's name; the name of the worktree follows.
const BranchPrefix = "worktree-"

// maxName is the length of the longest name, in bytes.
const maxName = 64

// Trees makes and removes worktrees. The zero value is ready. Its methods may be called from
// any goroutine, and by several processes for one directory.
type Trees struct {
	table proc.Table
}

// Close ends the commands of git that still run. Later calls fail.
func (t *Trees) Close(ctx context.Context) error { return t.table.Close(ctx) }

// A Request says which worktree is wanted.
type Request struct {
	Dir  string // absolute; its repository is used
	Name string // of letters, digits, ".", "-" and "_", at most 64; not taken
	Base string // "fresh" or empty: the default branch of the remote as it is known; "head": the commit that is checked out
	// MayRead reports whether a file that .worktreeinclude names may be copied. Nil copies
	// none.
	MayRead func(path string) bool
}

var nameForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// CheckName refuses names that would leave the folder, or that git has no branch for.
func CheckName(name string) error {
	switch {
	case len(name) > maxName:
		return fmt.Errorf("%w: it is longer than %d bytes", ErrName, maxName)
	case !nameForm.MatchString(name), strings.Contains(name, ".."), strings.HasSuffix(name, "."), strings.HasSuffix(strings.ToLower(name), ".lock"):
		return fmt.Errorf("%w: %q; use letters, digits, dots, hyphens and underscores, with a letter or digit first, no two dots in a row, and neither a dot nor .lock at the end", ErrName, name)
	}
	return nil
}

// Add makes a worktree and locks it until [Worktree.Finish]. Where nothing was made, nothing
// is left. An error wraps ErrNoRepository, ErrTaken or ErrName where one of them is the reason.
func (t *Trees) Add(ctx context.Context, r Request) (*Worktree, error) {
	if err := CheckName(r.Name); err != nil {
		return nil, err
	}
	repo, err := t.open(ctx, r.Dir)
	if err != nil {
		return nil, err
	}
	base, err := repo.base(ctx, r.Base)
	if err != nil {
		return nil, err
	}
	f, err := openFolder(repo.dir)
	if err != nil {
		return nil, err
	}
	defer f.close()
	if err := repo.checkCase(ctx, f.path, r.Name); err != nil {
		return nil, err
	}
	c, err := repo.claim(ctx, r.Name, record{Base: base.commit, Wanted: filepath.Join(f.path, r.Name)}, false)
	if err != nil {
		return nil, err
	}
	w := &Worktree{Dir: filepath.Join(f.path, r.Name, repo.prefix), Path: filepath.Join(f.path, r.Name), Branch: BranchPrefix + r.Name, Base: base.name, Main: repo.top, Common: repo.common, repo: repo, claim: c}
	if err := w.create(ctx, f); err != nil {
		err = errors.Join(err, w.discard(context.WithoutCancel(ctx)))
		w.endClaim()
		return nil, err
	}
	w.Included, w.Skipped = repo.include(ctx, w.Path, r.MayRead)
	return w, nil
}

// Reopen takes a worktree of the name and the directory of r into use again that was kept, or
// left by a program that was killed. It is kept again at the end, whatever has changed. The error wraps fs.ErrNotExist if there is
// none.
func (t *Trees) Reopen(ctx context.Context, r Request) (*Worktree, error) {
	if err := CheckName(r.Name); err != nil {
		return nil, err
	}
	repo, err := t.open(ctx, r.Dir)
	if err != nil {
		return nil, err
	}
	path, branch := filepath.Join(repo.dir, filepath.FromSlash(Folder), r.Name), BranchPrefix+r.Name
	if realpath.Resolve(path) != path {
		return nil, fmt.Errorf("%s leads elsewhere by a link", path)
	}
	admin, err := adminFolder(path, repo.common)
	if err != nil {
		return nil, err
	}
	c, err := repo.claim(ctx, r.Name, record{Path: path, Branch: branch, Folder: admin}, true)
	if err != nil {
		return nil, err
	}
	w := &Worktree{Path: path, Dir: filepath.Join(path, repo.prefix), Branch: branch, Base: branch, Main: repo.top, Common: repo.common, repo: repo, claim: c, folder: admin}
	if err := errors.Join(os.WriteFile(filepath.Join(admin, "locked"), []byte(lockReason()), 0o666), w.makeDir()); err != nil {
		w.endClaim()
		return nil, errors.Join(err, w.unlock())
	}
	return w, nil
}

// lockReason returns the reason that git gives for a locked worktree.
func lockReason() string { return fmt.Sprintf("%s (process %d)", lockPrefix, os.Getpid()) }

// create makes the directory and lets git fill it. The record names each
// thing before it is made.
func (w *Worktree) create(ctx context.Context, f *folder) error {
	_, err := w.repo.git(ctx, "show-ref", "--verify", "--quiet", "refs/heads/"+w.Branch)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err == nil:
		return fmt.Errorf("%w: the branch %s exists already", ErrTaken, w.Branch)
	}
	if err := f.root.Mkdir(f.inRoot(w.claim.name), 0o777); errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%w: %s exists already", ErrTaken, w.Path)
	} else if err != nil {
		return err
	}
	w.claim.Path, w.claim.Branch = w.Path, w.Branch
	if err := w.claim.save(); err != nil {
		return err
	}
	if _, err := w.repo.alone(ctx, "worktree", "add", "--no-checkout", "--no-track", "--lock", "--reason", lockReason(), "-b", w.Branch, w.Path, w.claim.Base); err != nil {
		return err
	}
	admin, err := adminFolder(w.Path, w.repo.common)
	if err != nil {
		return err
	}
	if _, err := w.repo.at(w.Path, admin).git(ctx, "reset", "--hard", "--quiet", "--no-recurse-submodules"); err != nil {
		return err
	}
	w.claim.Folder, w.folder = admin, admin
	if err := w.claim.save(); err != nil {
		return err
	}
	return w.makeDir()
}

// makeDir makes Dir, which the base may lack. A link of the base must not lead elsewhere.
func (w *Worktree) makeDir() error {
	root, err := os.OpenRoot(w.Path)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	if err := root.MkdirAll(w.repo.prefix, 0o777); err != nil {
		return err
	}
	if !isDirectory(w.Dir) || realpath.Resolve(w.Dir) != w.Dir {
		return fmt.Errorf("%s is no plain directory at %s", w.repo.prefix, w.Base)
	}
	return nil
}

func isDirectory(name string) bool {
	fi, err := os.Stat(name)
	return err == nil && fi.IsDir()
}

// ErrForeign is the error of [Trees.Enter] for a directory in no working tree of the repository.
var ErrForeign = errors.New("it is no worktree of this repository that can be entered")

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
