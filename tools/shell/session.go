package shell

import (
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

// sessionOf returns the session of a call. The tools of this package need one.
func sessionOf(c *pegboard.Call, tool string) (*pegboard.Session, error) {
	s := c.Session()
	if s == nil {
		return nil, fmt.Errorf("%w: %s runs in a session only; give the call to an Executor", pegboard.ErrDenied, tool)
	}
	return s, nil
}
