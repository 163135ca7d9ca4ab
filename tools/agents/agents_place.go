package agents

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/worktree"
	"github.com/seed49eaa51d/pegboard/tools/internal/treefence"
)

// choosePlace returns where an agent works that s starts. Id is that of the agent.
func (g *Agents) choosePlace(ctx context.Context, s *pegboard.Session, id string, r *Request, d *Definition) (place, error) {
	switch {
	case r.Isolation == "" && !d.Worktree:
		return place{dir: r.Dir}, nil
	case r.Dir != "":
		return place{}, fmt.Errorf("%w: an agent of the type %s has a worktree of its own; leave cwd out", ErrInvalidRequest, d.Name)
	}
	dir := s.Dir() // once, since the host may move the session meanwhile
	left, err := g.trees.Clean(ctx, dir)
	if errors.Is(err, worktree.ErrNoRepository) {
		return place{}, fmt.Errorf("%w: isolation is for git repositories, and %s is in none; leave isolation out", ErrInvalidRequest, dir)
	}
	if err != nil {
		g.options.logger().Warn("worktrees of agents that have ended cannot be removed", "dir", dir, "error", err)
	}
	w, err := g.takeWorktree(ctx, s, dir, id, r.Name)
	if err != nil {
		return place{}, fmt.Errorf("no worktree could be made for the agent, and it was not started: %w", err)
	}
	around := &treefence.Fence{Path: w.Path, Dir: w.Dir, Main: w.Main, Common: w.Common, Owner: "the checkout of the caller", IsWhole: w.IsWhole}
	i := &isolation{tree: w, fence: around, caller: s, dir: dir, logger: g.options.logger(), done: make(chan struct{})}
	for _, e := range left {
		g.options.logger().Warn("a worktree of an agent that was cut off is kept", "path", e.Path, "branch", e.Branch, "reason", e.Reason)
		i.notes = append(i.notes, fmt.Sprintf("A worktree of an agent that was cut off is still there: %s on the branch %s, since %s.", e.Path, e.Branch, e.Reason))
	}
	return i.place(s), nil
}

// takeWorktree makes a worktree that is called after the agent, or takes the one that an
// earlier run of the agent has kept. Dir is the directory of s.
func (g *Agents) takeWorktree(ctx context.Context, s *pegboard.Session, dir, id, name string) (*worktree.Worktree, error) {
	if name != "" {
		name += "-"
	}
	request := worktree.Request{Dir: dir, Name: name + id, Base: g.options.BaseRef, MayRead: treefence.MayRead(ctx, s)}
	w, err := g.trees.Reopen(ctx, request)
	if errors.Is(err, worktree.ErrName) {
		request.Name = id
		w, err = g.trees.Reopen(ctx, request)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return g.trees.Add(ctx, request)
	}
	return w, err
}
