package pegboard

import "slices"

// hasTurn reports whether p has a rule that ends with the turn.
func (p *Permissions) hasTurn() bool {
	return slices.ContainsFunc(p.set.all(), func(r Rule) bool { return r.Source == SourceTurn }) ||
		slices.ContainsFunc(p.facts, func(r FactRule) bool { return r.Source == SourceTurn })
}

// withoutTurn returns p without the rules that end with the turn and are of one of these
// behaviors.
func (p Permissions) withoutTurn(behaviors ...Behavior) Permissions {
	if !p.hasTurn() {
		return p
	}
	ends := func(b Behavior) bool { return slices.Contains(behaviors, b) }
	p.set = newRuleset(slices.DeleteFunc(p.Rules(), func(r Rule) bool { return r.Source == SourceTurn && ends(r.Behavior) }))
	p.facts = slices.DeleteFunc(p.FactRules(), func(r FactRule) bool { return r.Source == SourceTurn && ends(r.Behavior) })
	return p
}
