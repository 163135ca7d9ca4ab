package inspect

import (
	"time"

	"github.com/seed49eaa51d/pegboard"
)

// maxAgents is how many agents are remembered beside the main one. The one that was idle for
// longest is forgotten.
const maxAgents = 100

// maxRules is how many rules an agent's decisions are counted of.
const maxRules = 10_000

// An agentRecord is an agent that was met in events. The ring's lock guards it.
type agentRecord struct {
	number  int // of all agents; the main one has 0
	session *pegboard.Session
	pool    *pegboard.Pool // of its newest batch, or nil
	calls   int
	newest  time.Time // when it made a call
	decided map[uint64]int
}

// agentRecords are the agents by session.
type agentRecords struct {
	bySession map[*pegboard.Session]*agentRecord
	main      *agentRecord
	last      int // number
}

func newAgentRecords(main *pegboard.Session) *agentRecords {
	m := &agentRecord{session: main}
	return &agentRecords{map[*pegboard.Session]*agentRecord{main: m}, m, 0}
}

// meet returns the record of an agent that makes a call.
func (a *agentRecords) meet(s *pegboard.Session, p *pegboard.Pool, at time.Time) *agentRecord {
	agent := a.bySession[s]
	if agent == nil {
		if len(a.bySession) > maxAgents {
			a.forgetIdle()
		}
		a.last++
		agent = &agentRecord{number: a.last, session: s}
		a.bySession[s] = agent
	}
	if p != nil {
		agent.pool = p
	}
	agent.calls++
	agent.newest = at
	return agent
}

// forgetIdle removes the agent whose newest call is the oldest, but never the main one.
func (a *agentRecords) forgetIdle() {
	var idle *agentRecord
	for _, agent := range a.bySession {
		if agent != a.main && (idle == nil || agent.newest.Before(idle.newest)) {
			idle = agent
		}
	}
	delete(a.bySession, idle.session)
}

// count counts a decision of a rule.
func (a *agentRecord) count(rule uint64) {
	if a.decided == nil {
		a.decided = map[uint64]int{}
	}
	if _, known := a.decided[rule]; known || len(a.decided) < maxRules {
		a.decided[rule]++
	}
}
