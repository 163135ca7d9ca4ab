package inspect

import (
	"hash/maphash"
	"net/http"
	"slices"

	"github.com/seed49eaa51d/pegboard/policy"
)

// A ruleHash hashes rules, so that counts keep no pattern, which may come from an input.
type ruleHash struct{ seed maphash.Seed }

func newRuleHash() ruleHash { return ruleHash{maphash.MakeSeed()} }

// decider returns the hash of the rule that decided, if one did.
func (h ruleHash) decider(d *policy.Decision) (key uint64, ok bool) {
	if d.Rule == nil {
		return 0, false
	}
	return h.rule(*d.Rule), true
}

func (h ruleHash) rule(r policy.Rule) uint64 {
	return maphash.Comparable(h.seed, [4]string{r.Behavior.String(), r.Tool, r.Pattern, string(r.Source)})
}

// A rulesView is the rules of each agent.
type rulesView struct{ Agents []agentRules }

// agentRules are the rules that an agent's permissions have.
type agentRules struct {
	Agent, Mode string
	Dirs        []string
	Rules       []ruleView
	More        int
}

// A ruleView is a rule, and how many decisions it has made.
type ruleView struct {
	Behavior, Text, Source string
	Decided                int // by calls of all agents
}

func (p *Page) rules(*http.Request) (any, error) {
	var v rulesView
	decided := p.ring.decided()
	d, hash := p.ring.describer, p.ring.hash
	for _, s := range p.ring.agentsNow() {
		perms := s.Permissions()
		a := agentRules{Agent: d.agentName(s), Mode: line(string(perms.Mode()))}
		if d.contents {
			for _, dir := range s.Dirs() {
				a.Dirs = append(a.Dirs, line(dir))
			}
		}
		for r := range perms.AllRules() {
			if len(a.Rules) == maxListed {
				a.More++
				continue
			}
			a.Rules = append(a.Rules, ruleView{r.Behavior.String(), line(d.rule(r)), line(string(r.Source)), decided[hash.rule(r)]})
		}
		slices.SortStableFunc(a.Rules, func(x, y ruleView) int { return compareSources(x.Source, y.Source) })
		v.Agents = append(v.Agents, a)
	}
	return v, nil
}

// compareSources sorts by source: those that people know in the order in which settings count,
// then all others.
func compareSources(a, b string) int {
	known := []policy.Source{policy.SourceManaged, policy.SourceCLI, policy.SourceLocal, policy.SourceProject, policy.SourceUser, policy.SourceCommand, policy.SourceSession, policy.SourceTurn}
	place := func(s string) int {
		if i := slices.Index(known, policy.Source(s)); i >= 0 {
			return i
		}
		return len(known)
	}
	return place(a) - place(b)
}

// decided returns how many decisions each rule has made.
func (r *ring) decided() map[uint64]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := map[uint64]int{}
	for _, a := range r.agents.bySession {
		for key, n := range a.decided {
			all[key] += n
		}
	}
	return all
}
