package tooltest

import (
	"context"

	"github.com/seed49eaa51d/pegboard"
)

// NewSession returns a main session in dir, or in the current directory if dir is
// empty. It runs every call that the tool itself does not deny: the mode is
// bypassPermissions, and every question is answered with Allow. The caller closes it.
func NewSession(dir string) (*pegboard.Session, error) {
	perms, err := pegboard.NewPermissions(pegboard.ModeBypass)
	if err != nil {
		return nil, err
	}
	return pegboard.NewSession(pegboard.SessionConfig{Dir: dir, Permissions: perms, Ask: allowAll})
}

func allowAll(context.Context, *pegboard.Question) (pegboard.Decision, error) {
	return pegboard.Decision{Behavior: pegboard.Allow}, nil
}

// closeSession closes a session and waits at most DefaultTimeout.
func closeSession(s *pegboard.Session) error {
	ctx, cancel := context.WithTimeout(context.Background(), DefaultTimeout)
	defer cancel()
	return s.Close(ctx)
}
