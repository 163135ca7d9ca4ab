package inspect

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/logname"
)

// maxListed is how many rows a table has at most.
const maxListed = 3000

// A poolView is the pool of an agent.
type poolView struct {
	agentForm
	Assembled    string // when
	Tools        []toolView
	Bytes        int
	Tokens       int
	More         int
	Loaded       []string
	Excluded     []exclusionView
	Fingerprints []fingerprintView
	Problems     []string // of rules
	Name         string
	Why          string // Name is there or not
}

// A toolView is a tool in prompt order.
type toolView struct {
	Name, Title, Partition, State string
	Bytes, Tokens                 int
}

// An exclusionView is a tool that is not in the pool.
type exclusionView struct{ Name, Source, Reason string }

// A fingerprintView is the fingerprint of a partition.
type fingerprintView struct{ Partition, Text string }

// An agentForm is the choice of an agent.
type agentForm struct {
	Agents []agentChoice
	Agent  string
}

// chosen returns the form and the agent that a request has chosen, the main one if none.
func (p *Page) chosen(r *http.Request) (agentForm, *agentRecord, error) {
	text := cmp.Or(r.FormValue("agent"), "0")
	number, err := agentIn(text)
	if err != nil {
		return agentForm{}, nil, err
	}
	form := agentForm{p.agentChoices(), text}
	p.ring.mu.Lock()
	defer p.ring.mu.Unlock()
	for _, a := range p.ring.agents.bySession {
		if a.number == number {
			return form, a, nil
		}
	}
	return form, nil, &pageError{http.StatusNotFound, "There is no such agent, or it is forgotten."}
}

func (p *Page) pool(r *http.Request) (any, error) {
	form, agent, err := p.chosen(r)
	if err != nil {
		return nil, err
	}
	pool := p.poolOf(agent)
	v := poolView{agentForm: form, Name: block(r.URL.Query().Get("name"), maxScan)}
	if agent.session == p.o.Session {
		v.Assembled = "assembled for this page"
	} else {
		v.Assembled = "of its newest message"
	}
	v.addTools(pool, &p.o.Pool.Deferral)
	for _, name := range agent.session.Loaded() {
		if _, ok := pool.Lookup(name); !ok && !p.o.Contents { // the model may have made it up
			name = logname.Digest(name)
		}
		v.Loaded = append(v.Loaded, line(name))
	}
	for _, x := range pool.Excluded() {
		v.Excluded = append(v.Excluded, exclusionView{line(x.Name), line(x.Origin.Source), line(x.Reason)})
	}
	v.Excluded = v.Excluded[:min(len(v.Excluded), maxListed)]
	for _, x := range pool.RuleProblems() {
		v.Problems = append(v.Problems, p.problem(x))
	}
	v.Fingerprints = []fingerprintView{{"built-in", pool.Fingerprint(pegboard.Builtin)}, {"external", pool.Fingerprint(pegboard.External)}}
	if v.Name != "" {
		v.Why = line(pool.Explain(v.Name))
	}
	return v, nil
}

// problem returns a problem of a rule. Its text may contain the pattern.
func (p *Page) problem(x pegboard.RuleProblem) string {
	if p.o.Contents {
		return line(x.String())
	}
	return line(p.ring.rule(x.Rule))
}

// addTools adds the tools in prompt order, with the sizes of their definitions.
func (v *poolView) addTools(pool *pegboard.Pool, deferral *pegboard.Deferral) {
	loaded := map[string]bool{}
	for d := range pool.Loaded() {
		loaded[d.Name] = true
	}
	titles := map[string]string{}
	for t := range pool.All() {
		if info := t.Info(); info.Title != "" {
			titles[info.Name] = line(info.Title)
		}
	}
	for _, part := range []pegboard.Partition{pegboard.Builtin, pegboard.External} {
		for d := range pool.Declarations(part) {
			if len(v.Tools) == maxListed {
				v.More++
				continue
			}
			t := toolView{Name: line(d.Name), Title: titles[d.Name], Partition: "built-in", State: "in the prompt", Bytes: len(d.Name) + len(d.Description) + len(d.InputSchema)}
			if part == pegboard.External {
				t.Partition = "external"
			}
			switch {
			case loaded[d.Name]:
				t.State = "loaded"
			case d.Deferred:
				t.State = "waits for a search"
			}
			if t.Tokens = (t.Bytes + 3) / 4; deferral.Tokens != nil {
				t.Tokens = deferral.Tokens(d)
			}
			if t.State != "waits for a search" {
				v.Bytes, v.Tokens = v.Bytes+t.Bytes, v.Tokens+t.Tokens
			}
			v.Tools = append(v.Tools, t)
		}
	}
}

// A searchView is the search for deferred tools.
type searchView struct {
	agentForm
	Query   string
	Done    bool
	Matches []matchView
}

// A matchView is a tool that was found.
type matchView struct {
	Name, Score, Description, Schema string
}

// maxMatches is how many tools a search shows.
const maxMatches = 20

func (p *Page) search(r *http.Request) (any, error) {
	form, agent, err := p.chosen(r)
	if err != nil {
		return nil, err
	}
	v := searchView{agentForm: form, Query: block(r.URL.Query().Get("q"), maxScan)}
	if v.Query == "" {
		return v, nil
	}
	pool := p.poolOf(agent)
	v.Done = true
	matches := pool.Search(v.Query, maxMatches)
	declared := map[string]pegboard.Declaration{}
	for _, part := range []pegboard.Partition{pegboard.Builtin, pegboard.External} {
		for d := range pool.Declarations(part) {
			if slices.ContainsFunc(matches, func(m pegboard.SearchMatch) bool { return m.Name == d.Name }) {
				declared[d.Name] = d
			}
		}
	}
	for _, m := range matches {
		d := declared[m.Name]
		v.Matches = append(v.Matches, matchView{line(m.Name), fmt.Sprintf("%.3g", m.Score), block(d.Description, maxKept), block(indented(d.InputSchema), maxKept)})
	}
	return v, nil
}
