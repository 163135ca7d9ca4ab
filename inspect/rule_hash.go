package inspect

import (
	"hash/maphash"

	"github.com/seed49eaa51d/pegboard"
)

// A ruleHash hashes rules, so that counts keep no pattern, which may come from an input.
type ruleHash struct{ seed maphash.Seed }

func newRuleHash() ruleHash { return ruleHash{maphash.MakeSeed()} }

// decider returns the hash of the rule that decided, if one did.
func (h ruleHash) decider(d *pegboard.Decision) (key uint64, ok bool) {
	switch {
	case d.Rule != nil:
		return h.rule(*d.Rule), true
	case d.FactRule != nil:
		return h.factRule(*d.FactRule), true
	}
	return 0, false
}

func (h ruleHash) rule(r pegboard.Rule) uint64 {
	return maphash.Comparable(h.seed, [4]string{r.Behavior.String(), r.Tool, r.Pattern, string(r.Source)})
}

func (h ruleHash) factRule(r pegboard.FactRule) uint64 { return maphash.Comparable(h.seed, r) }
