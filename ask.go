package pegboard

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// An Asker puts a question to a person, a remote bridge, or a policy of the
// host. It answers with Allow or Deny; any other behavior, and an error, count
// as a denial. With Allow it may change the call's input, which is then decoded,
// validated and decided anew.
//
// It is called for one question at a time in a session and all its forks, and
// its context ends when the call does.
type Asker func(ctx context.Context, q *Question) (Decision, error)

// A Question is a call that waits for an answer.
type Question struct {
	Tool    Tool
	Call    *Call
	Targets []Target // what the answer is about, resolved
	Reason  string   // why it is asked
	Agent   []string // the ids of the agents that led to it, outermost first; empty for the main agent
}

// agentPath returns the ids of the agents that led to s, outermost first.
func (s *Session) agentPath() (path []string) {
	for ; s.parent != nil; s = s.parent {
		path = append(path, s.cfg.AgentID)
	}
	slices.Reverse(path)
	return path
}

// errNobody is the cause of a denial that no one was there to prevent.
var errNobody = errors.New("nobody can be asked")

// ask puts a question and returns Allow or Deny. The error says why there was
// no answer.
func (s *Session) ask(ctx context.Context, q *Question) (Decision, error) {
	if s.cfg.Ask == nil {
		return Decision{}, errNobody
	}
	select {
	case <-s.asking:
		defer func() { s.asking <- struct{}{} }()
	case <-ctx.Done():
		return Decision{}, context.Cause(ctx)
	}
	d, err := s.cfg.Ask(ctx, q)
	if err != nil {
		return Decision{}, fmt.Errorf("asking: %w", err)
	}
	if ctx.Err() != nil { // an answer to a call that has ended
		return Decision{}, context.Cause(ctx)
	}
	if d.Behavior != Allow && d.Behavior != Deny {
		return Decision{}, fmt.Errorf("the answer was %v, neither allow nor deny", d.Behavior)
	}
	return d, nil
}
