package tooltest

import (
	"context"

	"github.com/seed49eaa51d/pegboard"
)

// NewSession returns a main session in dir, or in the current directory if dir
// is empty, in which every call runs that the tool itself does not deny: the
// mode is bypassPermissions, and what is asked is allowed. The caller closes it.
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

// closeSession closes a session, waiting DefaultTimeout at most.
func closeSession(s *pegboard.Session) error {
	ctx, cancel := context.WithTimeout(context.Background(), DefaultTimeout)
	defer cancel()
	return s.Close(ctx)
}
