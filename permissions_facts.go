package pegboard

import (
	"fmt"
	"slices"
)

// FactRules returns the rules on facts, deny rules first and allow rules last.
func (p Permissions) FactRules() []FactRule { return slices.Clone(p.facts) }

// WithFactRules returns p with further rules on facts. It is an error if one of them cannot
// be meant as it is. A fork can add deny and ask rules only.
func (p Permissions) WithFactRules(rules ...FactRule) (Permissions, error) {
	for i := range rules {
		if err := rules[i].check(); err != nil {
			return Permissions{}, err
		}
	}
	return p.withFacts(rules), nil
}

// TrustedSources returns the sources that are trusted to tell what their tools do, sorted.
func (p Permissions) TrustedSources() []string { return slices.Clone(p.trusted) }

// WithTrustedSources returns p in which the tools of these sources, see [Registry.Attach],
// are trusted to tell what their calls do: for rules on facts they count like built-in
// tools. That loosens deny and ask rules, too. A fork has its parent's, and cannot add any.
func (p Permissions) WithTrustedSources(sources ...string) Permissions {
	p.trusted = slices.Concat(p.trusted, sources)
	slices.Sort(p.trusted)
	p.trusted = slices.Compact(p.trusted)
	return p
}

// trusts reports whether what tools of this origin say of their calls counts for every rule
// on facts.
func (p *Permissions) trusts(o Origin) bool {
	if !o.External() {
		return true
	}
	_, ok := slices.BinarySearch(p.trusted, o.Source)
	return ok
}

// withFacts returns p with further rules that were checked.
func (p Permissions) withFacts(rules []FactRule) Permissions {
	if len(rules) > 0 {
		p.facts = slices.Concat(p.facts, rules)
		slices.SortStableFunc(p.facts, func(a, b FactRule) int { return int(b.Behavior - a.Behavior) })
	}
	return p
}

// checkForkFacts returns an error if a fork's rules on facts could allow more than p's.
func (p Permissions) checkForkFacts(fork Permissions) error {
	for i := range fork.facts {
		if r := &fork.facts[i]; r.Behavior == Allow && !slices.Contains(p.facts, *r) {
			return fmt.Errorf("a fork cannot add the allow rule on facts %q; add it to the parent", r)
		}
	}
	for _, source := range fork.trusted {
		if !p.trusts(Origin{Source: source}) {
			return fmt.Errorf("a fork cannot trust the source %q; let the parent trust it", source)
		}
	}
	return nil
}

// narrowedFacts returns p with the deny and ask rules on facts of a fork.
func (p Permissions) narrowedFacts(fork Permissions) Permissions {
	return p.withFacts(slices.DeleteFunc(fork.FactRules(), func(r FactRule) bool { return r.Behavior == Allow }))
}
