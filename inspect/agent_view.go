package inspect

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/seed49eaa51d/pegboard"
)

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
