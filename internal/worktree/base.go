package worktree

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// A base is the commit that a worktree begins with.
type base struct {
	commit string
	name   string // for a message, such as "origin/main"
}

// base returns the base that is wanted: the default branch of the remote as it is known here,
// or the commit that is checked out, which also stands in where no remote is known.
func (r *repository) base(ctx context.Context, wanted string) (base, error) {
	switch wanted {
	case "", "fresh":
		for _, ref := range r.remoteDefaults(ctx) {
			if commit, err := r.commit(ctx, ref); err == nil {
				return base{commit, strings.TrimPrefix(ref, "refs/remotes/")}, nil
			}
		}
	case "head":
	default:
		return base{}, fmt.Errorf("a worktree begins with \"fresh\" or \"head\", not with %q", wanted)
	}
	commit, err := r.commit(ctx, "HEAD")
	if err != nil {
		if ctx.Err() != nil {
			return base{}, context.Cause(ctx)
		}
		return base{}, errors.New("the repository has no commit yet, so that no worktree can be made of it; commit first")
	}
	return base{commit, "HEAD"}, nil
}

// commit returns the id of the commit that a ref leads to.
func (r *repository) commit(ctx context.Context, ref string) (string, error) {
	out, err := r.git(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", ref+"^{commit}")
	return strings.TrimSpace(string(out)), err
}

// remoteDefaults returns the refs that may be the default branch of the remote, the most
// likely first. The remote is origin, or the only one.
func (r *repository) remoteDefaults(ctx context.Context) []string {
	out, err := r.git(ctx, "remote")
	names := strings.Fields(string(out))
	if err != nil || len(names) == 0 {
		return nil
	}
	remote := names[0]
	for _, name := range names {
		if name == "origin" {
			remote = name
		} else if len(names) > 1 && remote != "origin" {
			remote = ""
		}
	}
	if remote == "" {
		return nil
	}
	at := "refs/remotes/" + remote + "/"
	refs := []string{at + "main", at + "master"}
	if out, err := r.git(ctx, "symbolic-ref", "--quiet", at+"HEAD"); err == nil {
		if ref := strings.TrimSpace(string(out)); strings.HasPrefix(ref, at) {
			refs = append([]string{ref}, refs...)
		}
	}
	return refs
}
