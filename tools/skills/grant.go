package skills

import (
	"slices"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// grant adds the rules of a skill for the rest of the turn, if they count in the session. It
// returns a func that takes those out which were not there before, and reports whether the turn
// has ended since.
func grant(s *pegboard.Session, skill *Skill) (withdraw func() (ended bool), err error) {
	if !skill.grants() || len(s.AgentPath()) > 0 {
		return func() bool { return false }, nil
	}
	var added []policy.Update
	err = s.UpdatePermissions(func(p policy.Permissions) (policy.Permissions, error) {
		added = nil
		before := p.Rules()
		set := rulesOf(skill)
		set.Allow = missing(before, policy.Allow, skill.AllowedTools)
		set.Deny = missing(before, policy.Deny, skill.DisallowedTools)
		changed, err := p.WithRules(set)
		if err != nil {
			return p, err
		}
		for _, r := range changed.Rules() {
			if r.Source == policy.SourceTurn && !slices.ContainsFunc(before, func(old policy.Rule) bool { return sameRule(old, r) }) {
				added = append(added, policy.Update{
					Type: policy.RemoveRules, Behavior: r.Behavior, Destination: policy.SourceTurn,
					Rules: []policy.UpdateRule{{Tool: r.Tool, Pattern: r.Pattern}},
				})
			}
		}
		return changed, nil
	})
	if err != nil {
		return nil, err
	}
	return func() (ended bool) {
		_ = s.UpdatePermissions(func(p policy.Permissions) (policy.Permissions, error) {
			rules := p.Rules()
			ended = len(missing(rules, policy.Allow, skill.AllowedTools))+len(missing(rules, policy.Deny, skill.DisallowedTools)) > 0
			return p.Apply(added...)
		})
		return ended
	}, nil
}

// rulesOf returns the rules of a skill.
func rulesOf(s *Skill) policy.RuleSet {
	return policy.RuleSet{Source: policy.SourceTurn, Allow: s.AllowedTools, Deny: s.DisallowedTools}
}

// missing returns the rules of texts that are not there for the turn.
func missing(rules []policy.Rule, b policy.Behavior, texts []string) (all []string) {
	for _, text := range texts {
		parsed, err := policy.ParseRule(b, text)
		if err != nil { // code has made the skill; WithRules returns the error
			all = append(all, text)
			continue
		}
		parsed.Source = policy.SourceTurn
		if !slices.ContainsFunc(rules, func(r policy.Rule) bool { return sameRule(r, parsed) }) {
			all = append(all, text)
		}
	}
	return all
}

func sameRule(a, b policy.Rule) bool {
	return a.Behavior == b.Behavior && a.Source == b.Source && a.Tool == b.Tool && a.Pattern == b.Pattern
}
