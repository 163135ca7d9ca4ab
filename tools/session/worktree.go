package session

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/worktree"
	"github.com/seed49eaa51d/pegboard/policy"
)

const (
	enterWorktree = "EnterWorktree"
	exitWorktree  = "ExitWorktree"
)

// The errors of EnterWorktree, ExitWorktree and [InWorktree].
var (
	// ErrNoWorktree: the directory is in no worktree of this repository, or is gone.
	ErrNoWorktree = worktree.ErrForeign
	// ErrWorktreeTaken: another agent or program works in the worktree, or its name is taken.
	ErrWorktreeTaken = worktree.ErrTaken
	// ErrWouldLose: ExitWorktree would remove work that exists nowhere else.
	ErrWouldLose = errors.New("the worktree was not removed")
)

// WorktreeOptions are the settings of [Worktree]. The zero value is ready to use.
type WorktreeOptions struct {
	// BaseRef says where branches of new worktrees begin: "fresh", at the default branch of the
	// remote as it is known here; or "head", at the commit that is checked out. Empty means
	// "fresh".
	BaseRef string
	// Create and Remove take the place of git, as the hooks WorktreeCreate and WorktreeRemove
	// do; both are set, or neither. Create makes a directory for a worktree of that name and
	// returns its absolute path. Remove removes a directory that Create has returned. They run
	// while the call waits, and should end with its context.
	Create func(ctx context.Context, name string) (path string, err error)
	Remove func(ctx context.Context, path string) error
}

// Worktree returns EnterWorktree and ExitWorktree, which move the session into a git worktree
// and back. They are offered in sessions whose configuration [Prepare] has prepared, and their
// forks, under [pegboard.FeatureWorktrees]. Git 2.35 or newer is needed.
//
// A new worktree is made below .claude/worktrees of the session's directory, on a branch of its
// own; it and others there are entered without a question. About any other path the user is
// asked, whatever rules and mode allow. It becomes a working directory while the session is
// there. A worktree is left as it is when the session is closed.
//
// ExitWorktree removes only what EnterWorktree has made in this conversation. It refuses if
// changed or new files would be lost, or commits that are nowhere else, unless the call says to
// discard them; files that git ignores do not count. It also refuses while background tasks
// run that began after the worktree was made.
//
// It panics if o has an unknown BaseRef, or one of Create and Remove alone.
func Worktree(o WorktreeOptions) []pegboard.Tool {
	switch {
	case o.BaseRef != "" && o.BaseRef != "fresh" && o.BaseRef != "head":
		panic(fmt.Sprintf("session: Worktree: BaseRef is %q; it is \"fresh\" or \"head\"", o.BaseRef))
	case (o.Create == nil) != (o.Remove == nil):
		panic("session: Worktree: Create and Remove are set both, or neither")
	}
	w := &worktrees{options: o}
	return []pegboard.Tool{w.enterTool(), w.exitTool()}
}

// InWorktree reports by an error why a session cannot go on in a directory in which it was
// before: it is gone, or in no linked worktree of a git repository. A host calls it before it
// gives a conversation that it resumes its directory back with [pegboard.Session.SetDir]. It
// looks at files only. The error wraps [ErrNoWorktree].
func InWorktree(dir string) error {
	if !filepath.IsAbs(dir) {
		return fmt.Errorf("the directory %q is not absolute: %w", dir, ErrNoWorktree)
	}
	_, err := worktree.Find(dir)
	return err
}

// Prepare returns the configuration of a session in which the tools of [Worktree] may be used.
// It adds a hook: while the session is in a worktree, calls are denied that would write in the
// checkout, run commands there or lead git there, whatever rules and mode allow, and shell lines
// that cannot be seen through. The same holds for forks that were made there, and for a
// session that the host has moved there; its worktree is taken into use with the first call. A
// session whose directory is gone is sent back to the one that it was made in, and is told so.
//
// Deny and ask rules that name a place in the checkout by an absolute path, or from the home
// directory, are added to the session once more for the same place in the worktree. They stay
// when it leaves.
//
// It is for main sessions; forks have the hooks of their parents.
func Prepare(cfg pegboard.SessionConfig) pegboard.SessionConfig {
	cfg.Hooks = pegboard.JoinHooks(cfg.Hooks, pegboard.Hooks{Pre: guardCall, OnFailure: pegboard.FailBlock})
	before := cfg.Init
	cfg.Init = func(s *pegboard.Session) {
		if before != nil {
			before(s)
		}
		conversations.GetOrInitRoot(s, func() *conversation { return newConversation(s.Dir()) })
	}
	return cfg
}

// guardCall is the hook of Prepare.
func guardCall(ctx context.Context, h *pegboard.HookCall) (policy.Decision, error) {
	s := h.Call.Session()
	c, ok := conversations.Get(s)
	if !ok {
		return policy.Decision{}, nil
	}
	if name := h.Call.ToolName(); name == enterWorktree || name == exitWorktree {
		y := stayOf(s)
		y.mu.Lock()
		defer y.mu.Unlock()
		y.guarded = true
		c.hold(ctx, s)
		return policy.Decision{}, nil
	}
	dir := h.Call.Dir()
	if dir == c.home {
		return policy.Decision{}, nil
	}
	reason := goneReason(s, c, dir)
	if f := c.around(dir); reason == "" && f != nil {
		c.hold(ctx, s)
		if err := c.repeatRules(s, f, dir); err != nil {
			return policy.Decision{}, err
		}
		reason = f.Refusal(h)
	}
	if reason == "" {
		return policy.Decision{}, nil
	}
	return policy.Decision{Behavior: policy.Deny, Reason: reason}, nil
}

// goneReason returns why a call is denied whose directory is gone, or "". It sends the session
// home.
func goneReason(s *pegboard.Session, c *conversation, dir string) string {
	if isThere(dir) {
		return ""
	}
	y := stayOf(s)
	y.mu.Lock()
	defer y.mu.Unlock()
	if now := s.Dir(); now != dir {
		return fmt.Sprintf("The directory %s, for which the call was made, is gone. The session is in %s now. Make the call again if it is meant for there.", dir, now)
	}
	home := c.home
	if y.path != "" {
		_ = y.release() // the directory is gone, and git cleans up after it
		c.forget(y.path)
		var err error
		if home, err = y.end(s); err != nil {
			return fmt.Sprintf("The directory %s, in which you work, is gone, and there is no way back: %v. Tell the user.", dir, err)
		}
	} else if err := s.SetDir(home); err != nil {
		return fmt.Sprintf("The directory %s, in which you work, is gone. Report what you have.", dir)
	}
	return fmt.Sprintf("The directory %s, in which you work, is gone. The session is back in %s. Make the call again if it is meant for there, and tell the user.", dir, home)
}
