package session

import (
	"context"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

// guardCall is the hook of Prepare.
func guardCall(ctx context.Context, h *pegboard.HookCall) (pegboard.Decision, error) {
	s := h.Call.Session()
	c, ok := conversations.Get(s)
	if !ok {
		return pegboard.Decision{}, nil
	}
	if name := h.Call.ToolName(); name == enterWorktree || name == exitWorktree {
		y := stayOf(s)
		y.mu.Lock()
		defer y.mu.Unlock()
		y.guarded = true
		c.hold(ctx, s)
		return pegboard.Decision{}, nil
	}
	dir := h.Call.Dir()
	if dir == c.home {
		return pegboard.Decision{}, nil
	}
	reason := goneReason(s, c, dir)
	if f := c.around(dir); reason == "" && f != nil {
		c.hold(ctx, s)
		if err := c.repeatRules(s, f, dir); err != nil {
			return pegboard.Decision{}, err
		}
		reason = f.Refusal(h)
	}
	if reason == "" {
		return pegboard.Decision{}, nil
	}
	return pegboard.Decision{Behavior: pegboard.Deny, Reason: reason}, nil
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
