package skills

import (
	"slices"

	"github.com/seed49eaa51d/pegboard"
)

// grant adds the rules of a skill for the rest of the turn, if they count in the session. It
// returns a func that takes those out which were not there before, and reports whether the turn
// has ended since.
func grant(s *pegboard.Session, skill *Skill) (withdraw func() (ended bool), err error) {
	if !skill.grants() || len(s.AgentPath()) > 0 {
		return func() bool { return false }, nil
	}
	var added []pegboard.PermissionUpdate
	err = s.UpdatePermissions(func(p pegboard.Permissions) (pegboard.Permissions, error) {
		added = nil
		before := p.Rules()
		set := rulesOf(skill)
		set.Allow = missing(before, pegboard.Allow, skill.AllowedTools)
		set.Deny = missing(before, pegboard.Deny, skill.DisallowedTools)
		changed, err := p.WithRules(set)
		if err != nil {
			return p, err
		}
		for _, r := range changed.Rules() {
			if r.Source == pegboard.SourceTurn && !slices.ContainsFunc(before, func(old pegboard.Rule) bool { return sameRule(old, r) }) {
				added = append(added, pegboard.PermissionUpdate{
					Type: pegboard.UpdateRemoveRules, Behavior: r.Behavior, Destination: pegboard.SourceTurn,
					Rules: []pegboard.PermissionUpdateRule{{Tool: r.Tool, Pattern: r.Pattern}},
				})
			}
		}
		return changed, nil
	})
	if err != nil {
		return nil, err
	}
	return func() (ended bool) {
		_ = s.UpdatePermissions(func(p pegboard.Permissions) (pegboard.Permissions, error) {
			rules := p.Rules()
			ended = len(missing(rules, pegboard.Allow, skill.AllowedTools))+len(missing(rules, pegboard.Deny, skill.DisallowedTools)) > 0
			return p.Apply(added...)
		})
		return ended
	}, nil
}

// rulesOf returns the rules of a skill.
func rulesOf(s *Skill) pegboard.RuleSet {
	return pegboard.RuleSet{Source: pegboard.SourceTurn, Allow: s.AllowedTools, Deny: s.DisallowedTools}
}

// missing returns the rules of texts that are not there for the turn.
func missing(rules []pegboard.Rule, b pegboard.Behavior, texts []string) (all []string) {
	for _, text := range texts {
		parsed, err := pegboard.ParseRule(b, text)
		if err != nil { // code has made the skill; WithRules returns the error
			all = append(all, text)
			continue
		}
		parsed.Source = pegboard.SourceTurn
		if !slices.ContainsFunc(rules, func(r pegboard.Rule) bool { return sameRule(r, parsed) }) {
			all = append(all, text)
		}
	}
	return all
}

func sameRule(a, b pegboard.Rule) bool {
	return a.Behavior == b.Behavior && a.Source == b.Source && a.Tool == b.Tool && a.Pattern == b.Pattern
}
