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

// nameOf returns the name of the worktree of a path below the folder of worktrees.
func (r *repository) nameOf(path string) (string, bool) {
	folder, name := filepath.Split(path)
	return name, filepath.Clean(folder) == filepath.Join(r.dir, filepath.FromSlash(Folder)) && CheckName(name) == nil
}

// branch returns the branch that is checked out, or "" if none is.
func (r *repository) branch(ctx context.Context) (string, error) {
	out, err := r.git(ctx, "symbolic-ref", "--quiet", "--short", "HEAD")
	if failed := (*gitError)(nil); errors.As(err, &failed) && failed.code == 1 {
		return "", nil
	}
	return strings.TrimSpace(string(out)), err
}

// checkCase refuses a name that a system which ignores letter case takes for one that is there.
func (r *repository) checkCase(ctx context.Context, folder, name string) error {
	if _, err := os.Lstat(filepath.Join(r.common, "head")); errors.Is(err, fs.ErrNotExist) {
		return nil // it is called HEAD
	}
	taken := func(other string) error {
		if other != name && strings.EqualFold(other, name) {
			return fmt.Errorf("%w: %s, by %s, since letter case does not count here", ErrTaken, name, other)
		}
		return nil
	}
	out, err := r.git(ctx, "for-each-ref", "--format=%(refname)", "refs/heads/")
	if err != nil {
		return err
	}
	for ref := range strings.FieldsSeq(string(out)) {
		if err := taken(strings.TrimPrefix(ref, "refs/heads/"+BranchPrefix)); err != nil {
			return err
		}
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := taken(e.Name()); err != nil {
			return err
		}
	}
	return nil
}
