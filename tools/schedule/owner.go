package schedule

import (
	"context"
	"errors"
	"sync"

	"github.com/seed49eaa51d/pegboard"
)

// An owner is a session whose agent has made jobs.
type owner struct{ joined sync.Once }

// ownerOf returns the id of the agent that makes a call; empty for the main agent. The jobs of an
// agent end with its session.
func (c *Schedule) ownerOf(call *pegboard.Call) (string, error) {
	s := call.Session()
	if s == nil {
		return "", errors.New("jobs are kept by calls of an executor only")
	}
	agent := s.AgentID()
	if agent == "" {
		return "", nil
	}
	c.owners.GetOrInit(s, func() *owner { return &owner{} }).joined.Do(func() {
		s.OnClose("scheduled jobs of agent "+agent, func(context.Context) error {
			c.end(agent)
			return nil
		})
	})
	return agent, nil
}
