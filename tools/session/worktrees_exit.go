package session

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/worktree"
	"github.com/seed49eaa51d/pegboard/tools/background"
)

// A leaveInput is the input of ExitWorktree.
type leaveInput struct {
	Action  string `json:"action" jsonschema:"enum=keep,enum=remove" jsonschema_description:"keep leaves the worktree and its branch as they are; remove deletes both"`
	Discard bool   `json:"discard_changes,omitempty" jsonschema_description:"With remove: delete changed and new files, and commits that are on no other branch, too. Only when the user has said so."`
}

// ExitedWorktree is the Result.Data of ExitWorktree.
type ExitedWorktree struct {
	Action           string `json:"action"`      // "keep" or "remove"
	OriginalCwd      string `json:"originalCwd"` // where the session is now
	WorktreePath     string `json:"worktreePath"`
	WorktreeBranch   string `json:"worktreeBranch,omitempty"`
	DiscardedFiles   int    `json:"discardedFiles,omitempty"`
	DiscardedCommits int    `json:"discardedCommits,omitempty"`
	Message          string `json:"message"`
}

func (w *worktrees) exitTool() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[leaveInput, ExitedWorktree]{
		Info: pegboard.Info{Name: exitWorktree, Title: "Exit worktree", Hint: "go back to the checkout, keep or delete the separate one"},
		Description: "Moves this session back to where it was before EnterWorktree. With the action keep, the worktree and its branch stay; with remove, both are deleted. " +
			"Only a worktree that EnterWorktree has made in this conversation can be removed. If files or commits would be lost, the call fails and says how many: commit them, keep the worktree, or ask the user before you set discard_changes.",
		Inspect: func(in leaveInput, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{Kind: pegboard.KindRun, Destructive: in.Action == "remove", Targets: []pegboard.Target{{Kind: pegboard.TargetResource, Value: "worktree"}}}
		},
		Enabled: isOffered,
		Lines: func(in leaveInput, _ *pegboard.Call) pegboard.Lines {
			return pegboard.Lines{Before: "Leave the worktree and " + in.Action + " it", While: "Leaving the worktree"}
		},
		Permit: func(context.Context, leaveInput, *pegboard.Call) pegboard.Decision {
			return pegboard.Decision{Behavior: pegboard.Allow, Reason: "it removes only what this conversation has made, and loses nothing unless told to"}
		},
		Call: w.exit,
		Result: func(out ExitedWorktree) *pegboard.Result {
			r := pegboard.TextResult(out.Message)
			r.Data, r.Line = out, "Back in "+filepath.Base(out.OriginalCwd)
			return r
		},
	})
}

// exit moves the session back.
func (w *worktrees) exit(ctx context.Context, in leaveInput, c *pegboard.Call) (ExitedWorktree, error) {
	s, all, y, err := lock(c)
	if err != nil {
		return ExitedWorktree{}, err
	}
	defer y.mu.Unlock()
	if y.path == "" {
		return w.exitResumed(in, s, all)
	}
	out := ExitedWorktree{Action: in.Action, WorktreePath: y.path, WorktreeBranch: y.branch}
	switch {
	case !isThere(y.dir):
		_ = y.release() // the directory is gone, and git cleans up after it
		if out.OriginalCwd, err = y.end(s); err != nil {
			return ExitedWorktree{}, err
		}
		all.forget(out.WorktreePath)
		out.Message = fmt.Sprintf("The worktree %s is gone already. The session is back in %s.", out.WorktreePath, out.OriginalCwd)
		return out, nil
	case in.Action == "remove":
		return w.exitAndRemove(ctx, in, out, s, all, y)
	}
	tree := y.tree
	if out.OriginalCwd, err = y.end(s); err != nil {
		return ExitedWorktree{}, err
	}
	if tree != nil {
		err = tree.Keep()
	}
	err = errors.Join(err, all.giveUp(out.WorktreePath))
	out.Message = fmt.Sprintf("The session is back in %s. The worktree stays: %s", out.OriginalCwd, out.WorktreePath)
	if out.WorktreeBranch != "" {
		out.Message += ", on the branch " + out.WorktreeBranch
	}
	out.Message += "."
	return out, err
}

// exitResumed moves a session back that the host has moved to a worktree.
func (w *worktrees) exitResumed(in leaveInput, s *pegboard.Session, all *conversation) (ExitedWorktree, error) {
	dir := s.Dir()
	l, err := worktree.Find(dir)
	switch {
	case dir == all.home || err != nil || l.Path == all.top:
		return ExitedWorktree{}, errors.New("the session is in no worktree, so there is nothing to leave")
	case in.Action == "remove":
		return ExitedWorktree{}, fmt.Errorf("EnterWorktree has not made %s in this conversation, so it is not removed; leave it with the action keep", l.Path)
	}
	if err := s.SetDir(all.home); err != nil {
		return ExitedWorktree{}, err
	}
	return ExitedWorktree{Action: in.Action, OriginalCwd: all.home, WorktreePath: l.Path, Message: fmt.Sprintf("The session is back in %s. The worktree stays: %s.", all.home, l.Path)}, nil
}

// exitAndRemove moves the session back and removes the worktree.
func (w *worktrees) exitAndRemove(ctx context.Context, in leaveInput, out ExitedWorktree, s *pegboard.Session, all *conversation, y *stay) (ExitedWorktree, error) {
	since, ok := all.madeAt(y.path)
	if !ok {
		return ExitedWorktree{}, fmt.Errorf("EnterWorktree has not made %s in this conversation, so it is not removed; leave it with the action keep", y.path)
	}
	if running := runningSince(s, since); running != "" {
		return ExitedWorktree{}, fmt.Errorf("%w, since tasks run that began after it was made: %s. Stop them or wait for them first, or leave with the action keep", ErrWouldLose, running)
	}
	tree, loss := y.tree, worktree.Loss{Reason: "the host has made the worktree, and what is in it is not counted"}
	if tree != nil {
		var err error
		if loss, err = tree.Loss(ctx); err != nil {
			return ExitedWorktree{}, fmt.Errorf("%w, since it could not be told what would be lost: %w", ErrWouldLose, err)
		}
		if below, err := tree.Below(ctx); err != nil || below != "" {
			return ExitedWorktree{}, errors.Join(fmt.Errorf("%w, since %s; remove them first, or leave with the action keep", ErrWouldLose, below), err)
		}
	}
	if loss.Any() && !in.Discard {
		return ExitedWorktree{}, fmt.Errorf("%w: %s. Commit what should stay, leave with the action keep, or ask the user whether to set discard_changes", ErrWouldLose, lossText(loss))
	}
	home, err := y.end(s)
	if err != nil {
		return ExitedWorktree{}, err
	}
	if tree != nil {
		err = tree.Discard(ctx, loss)
	} else {
		err = ask(ctx, "the host has failed", func() error { return w.options.Remove(ctx, out.WorktreePath) })
	}
	if err != nil {
		return ExitedWorktree{}, fmt.Errorf("the session is back in %s, but %s was not removed, or only in part: %w", home, out.WorktreePath, err)
	}
	all.forget(out.WorktreePath)
	out.OriginalCwd, out.DiscardedFiles, out.DiscardedCommits = home, loss.Files, loss.Commits
	out.Message = fmt.Sprintf("The session is back in %s. The worktree %s was removed", home, out.WorktreePath)
	if out.WorktreeBranch != "" {
		out.Message += " with its branch"
	}
	if loss.Files+loss.Commits > 0 {
		out.Message += ", and with it " + lossText(worktree.Loss{Files: loss.Files, Commits: loss.Commits})
	}
	out.Message += "."
	return out, nil
}

// lossText words what would be lost.
func lossText(l worktree.Loss) string {
	var parts []string
	add := func(n int, one, many string) {
		switch {
		case n == 1:
			parts = append(parts, "1 "+one)
		case n > 1:
			parts = append(parts, fmt.Sprintf("%d %s", n, many))
		}
	}
	add(l.Files, "changed or new file", "changed or new files")
	add(l.Commits, "commit that no other branch has", "commits that no other branch has")
	text := strings.Join(parts, " and ")
	switch {
	case text == "":
		return l.Reason
	case l.Reason != "":
		return text + " would be lost, and " + l.Reason
	}
	return text
}

// runningSince names the tasks that run and began after a time. Those that began while the
// session was elsewhere are among them: an agent of such a task may be in the worktree.
func runningSince(s *pegboard.Session, since time.Time) string {
	var ids []string
	for _, t := range background.Of(s).List() {
		if t.State == background.Running && !t.Started.Before(since) {
			ids = append(ids, t.ID)
		}
	}
	return strings.Join(ids, ", ")
}
