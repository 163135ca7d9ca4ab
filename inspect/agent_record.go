package inspect

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"
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

// An agentChoice is an agent in a list to choose from.
type agentChoice struct{ Number, Name string }

// agentName names an agent by its path from the main one.
func (d describer) agentName(s *pegboard.Session) string {
	if s == nil {
		return ""
	}
	path := s.AgentPath()
	if len(path) == 0 {
		return "main agent"
	}
	for i, id := range path {
		path[i] = cmp.Or(d.name(id), "an agent without an id")
	}
	name := line(strings.Join(path, " › "))
	if kind := s.AgentType(); kind != "" {
		name += " (" + line(d.name(kind)) + ")"
	}
	return name
}

// agentChoices returns all agents that were met, the main one first.
func (p *Page) agentChoices() []agentChoice {
	p.ring.mu.Lock()
	defer p.ring.mu.Unlock()
	var all []*agentRecord
	for _, a := range p.ring.agents.bySession {
		all = append(all, a)
	}
	slices.SortFunc(all, func(a, b *agentRecord) int { return a.number - b.number })
	var choices []agentChoice
	for _, a := range all {
		choices = append(choices, agentChoice{strconv.Itoa(a.number), p.ring.agentName(a.session)})
	}
	return choices
}

// agentIn returns the number of an agent in a query, and -1 for an empty text.
func agentIn(text string) (int, error) {
	if text == "" {
		return -1, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, &pageError{http.StatusNotFound, "There is no such agent."}
	}
	return n, nil
}
