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

// endsWithAnswer reports whether the host says that the conversation ends with the model's answer.
func endsWithAnswer(s *pegboard.Session) bool {
	interactive, known := pegboard.KeyInteractive.Get(s)
	return known && !interactive
}

// endAdvice says for the model how a background task ends.
func endAdvice(s *pegboard.Session) string {
	if endsWithAnswer(s) {
		return "This conversation ends with your answer, and the task with it: if you need what it does, wait for it before you answer, with TaskOutput."
	}
	return "You will be told when it ends."
}
