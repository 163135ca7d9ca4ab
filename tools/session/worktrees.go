package session

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/worktree"
)

// worktrees are the tools EnterWorktree and ExitWorktree of a host.
type worktrees struct {
	options WorktreeOptions
	trees   worktree.Trees
}

// isOffered reports whether the session was prepared.
func isOffered(s *pegboard.Session) bool {
	if s == nil {
		return true
	}
	_, ok := conversations.Get(s)
	return ok
}

// lock returns what a call of the tools works on. The caller unlocks the stay.
func lock(c *pegboard.Call) (*pegboard.Session, *conversation, *stay, error) {
	s := c.Session()
	if s == nil {
		return nil, nil, nil, errors.New("worktrees are entered by calls of an executor only")
	}
	all, ok := conversations.Get(s)
	y := stayOf(s)
	y.mu.Lock()
	if !ok || !y.guarded {
		y.mu.Unlock()
		return nil, nil, nil, errors.New("the host has not prepared this session for worktrees, so that nothing would keep calls from the checkout. Work where you are, or tell the user")
	}
	return s, all, y, nil
}

// ask calls a function of the host.
func ask(ctx context.Context, what string, f func() error) error {
	var err error
	done := goroutine.Go(func() { err = f() })
	select {
	case crash := <-done:
		if crash != nil {
			return fmt.Errorf("%s: %w", what, crash)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", what, context.Cause(ctx))
	}
}
