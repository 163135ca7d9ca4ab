package worktree

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/filelock"
)

// A claim is the record of a worktree in use, in a file that stays locked meanwhile. The file
// is in the folder of the repository, which no commit can write to.
type claim struct {
	record
	name string // of the worktree; no two worktrees of a repository have the same
	file *os.File
}

// A record holds the facts that are kept of a worktree while it is in use.
type record struct {
	Wanted string `json:"wanted,omitempty"` // the directory that is about to be made
	Path   string `json:"path,omitempty"`   // of the directory, once it was made
	Branch string `json:"branch,omitempty"` // that was made for it, or is about to be
	Base   string `json:"base"`             // commit it begins with
	Folder string `json:"folder,omitempty"` // of git for the worktree; empty until it was made whole
	// Removing is set when nothing had changed and the worktree is about to be removed.
	Removing bool `json:"removing,omitempty"`
}

const (
	claimFolder = "pegboard-worktrees"
	claimSuffix = ".json"
	gateName    = "lock"          // locked while claims or worktrees come and go
	gateTimeout = 2 * time.Minute // for which the gate is waited for
	maxRecord   = 64 << 10        // bytes
)

func (r *repository) claims() string { return filepath.Join(r.common, claimFolder) }

// enter waits until no other user of the package makes or takes over claims or worktrees, and
// no command of git that was given the gate by [repository.alone] runs. Where the system has no
// locks, it does not wait.
func (r *repository) enter(ctx context.Context) (gate *os.File, err error) {
	if err := os.MkdirAll(r.claims(), 0o777); err != nil {
		return nil, err
	}
	gate, err = os.OpenFile(filepath.Join(r.claims(), gateName), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	if err := filelock.Lock(ctx, gate, gateTimeout); errors.Is(err, filelock.ErrHeld) || ctx.Err() != nil {
		_ = gate.Close()
		return nil, fmt.Errorf("another program uses %s: %w", r.claims(), err)
	}
	return gate, nil
}

// claim makes a claim. If orLeft is set, it takes over the claim of a program that has ended, if
// that is about a complete worktree with the same path.
func (r *repository) claim(ctx context.Context, name string, rec record, orLeft bool) (*claim, error) {
	gate, err := r.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = gate.Close() }()
	file, err := os.OpenFile(filepath.Join(r.claims(), name+claimSuffix), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		if c := r.left(name); c != nil {
			if orLeft && c.Folder != "" && !c.Removing && c.Path == rec.Path {
				c.record = rec
				if err = c.save(); err == nil {
					return c, nil
				}
			}
			c.release()
			return nil, fmt.Errorf("%w: a program that has ended has left it unfinished", ErrTaken)
		}
		return nil, ErrInUse
	}
	if err != nil {
		return nil, err
	}
	_, _ = filelock.TryLock(file) // it can only fail where the system has no locks
	c := &claim{record: rec, name: name, file: file}
	if err := c.save(); err != nil {
		c.end()
		return nil, err
	}
	return c, nil
}

// save writes the record. A program that is killed meanwhile leaves the former record or this
// one: bytes behind the first JSON value are not read.
func (c *claim) save() error {
	text, err := json.Marshal(c.record)
	if err != nil {
		return err
	}
	text = append(text, '\n')
	if _, err := c.file.WriteAt(text, 0); err != nil {
		return err
	}
	return c.file.Truncate(int64(len(text)))
}

// release gives the claim up, so that the next Clean finds it.
func (c *claim) release() {
	_ = filelock.Unlock(c.file) // a process that is being started has a copy of the file for a moment
	_ = c.file.Close()
}

// end removes the record while it is locked, so that no other process takes it over, or after
// it where the system does not remove open files.
func (c *claim) end() {
	err := os.Remove(c.file.Name())
	_ = c.file.Close()
	if err != nil {
		_ = os.Remove(c.file.Name())
	}
}

// progress is 0 for a worktree that git may have made or removed in part, and 1 for a whole one.
func (c *claim) progress() int {
	if c.Folder == "" || c.Removing {
		return 0
	}
	return 1
}

// isPlausible reports whether a record that was read back is about the worktree it is called
// after.
func (c *claim) isPlausible() bool {
	at := filepath.FromSlash("/" + Folder + "/" + c.name)
	return (c.Wanted == "" || filepath.IsAbs(c.Wanted) && strings.HasSuffix(c.Wanted, at)) && (c.Path == "" || filepath.IsAbs(c.Path) && strings.HasSuffix(c.Path, at)) && (c.Branch == "" || c.Branch == BranchPrefix+c.name)
}

// abandoned returns the claims of programs that have ended. They are locked now.
func (r *repository) abandoned(ctx context.Context) ([]*claim, error) {
	if _, err := os.Stat(r.claims()); err != nil {
		return nil, nil
	}
	gate, err := r.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = gate.Close() }()
	entries, err := os.ReadDir(r.claims())
	if err != nil {
		return nil, err
	}
	var list []*claim
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), claimSuffix)
		if !ok || !e.Type().IsRegular() || CheckName(name) != nil {
			continue
		}
		c := r.left(name)
		if c == nil {
			continue
		}
		list = append(list, c)
	}
	return list, nil
}

// left returns the claim of a program that has ended, which is locked now, or nil. The caller
// has the gate.
func (r *repository) left(name string) *claim {
	file, err := os.OpenFile(filepath.Join(r.claims(), name+claimSuffix), os.O_RDWR, 0)
	if err != nil {
		return nil // it has just ended
	}
	locked, err := filelock.TryLock(file)
	info, statErr := file.Stat()
	now, nowErr := os.Lstat(file.Name())
	if err != nil || !locked || statErr != nil || nowErr != nil || !os.SameFile(info, now) {
		_ = file.Close()
		return nil
	}
	c := &claim{name: name, file: file}
	_ = json.NewDecoder(io.LimitReader(file, maxRecord)).Decode(&c.record) // before a record is written, nothing is made
	return c
}

// Clean ends the worktrees that programs have left without finishing them, such as one that
// was killed, in the repository of a directory: those in which nothing has changed are removed,
// the others unlocked, kept and returned. Worktrees in use stay. The error names the remains that
// cannot be removed now; they are left to the next Clean. On a system without file locks it does
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
