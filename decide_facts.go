package pegboard

import (
	"slices"
)

// matchingFacts returns the first deny rule and the first ask rule on facts that match the
// call.
func (e *evaluation) matchingFacts() (deny, ask *FactRule) {
	facts := e.perms.facts
	for i := range facts {
		r := &facts[i]
		if r.Behavior == Allow {
			break // allow rules come last
		}
		if !e.matchesFacts(r) {
			e.recordFact(r, nil, Undecided, "is about other calls")
			continue
		}
		e.recordFact(r, nil, r.Behavior, "is about it")
		first := &ask
		if r.Behavior == Deny {
			first = &deny
		}
		if *first == nil {
			*first = r
		}
	}
	return deny, ask
}

// allowingFact returns the first allow rule on facts that matches the call, or nil. Like
// other broad rules, a rule that says nothing of reading allows nothing in auto mode of a
// tool that can run anything.
func (e *evaluation) allowingFact(mode Mode) *FactRule {
	facts := e.perms.facts
	for i := range facts {
		r := &facts[i]
		if r.Behavior != Allow {
			continue
		}
		if e.matchesFacts(r) && (mode != ModeAuto || r.ReadOnly == FactYes || !e.info.allowsAnything("")) {
			return r
		}
		e.recordFact(r, nil, Undecided, "is about other calls")
	}
	return nil
}

// factCovers reports whether an allow rule on facts that matches the call covers t.
func (e *evaluation) factCovers(r *FactRule, t *Target) bool {
	if r == nil || t.doubt() != "" {
		return false
	}
	unseen, ok := e.allowsWhole(t)
	if unseen != nil {
		e.doubt = r.describe() + " does not count while " + unseen.describe() + " could be about what cannot be seen"
	}
	return ok
}

// matchesFacts reports whether r is about the call. The tool's word is corrected by what
// the targets show. Whether a command only reads is verified only for a rule that wants to
// know, since that may look at files.
func (e *evaluation) matchesFacts(r *FactRule) bool {
	readOnly := e.traits.ReadOnly && !e.writes()
	if readOnly && r.ReadOnly != FactAny {
		readOnly = e.all(func(t *Target) bool {
			return t.Kind != TargetCommand || e.verify(t.Shell.VerifyProgram) && e.verify(t.Shell.VerifyReadOnly)
		})
	}
	openWorld := e.traits.OpenWorld || slices.ContainsFunc(e.targets, func(t Target) bool { return t.Kind == TargetHost && !t.Shell.Guess })
	return r.matches(e.info, e.perms.trusts(e.info.Origin), readOnly, e.traits.Destructive, openWorld)
}

// unansweredFact returns the first ask rule on facts that matches and that the user has not
// answered for before the call ran, or nil.
func (e *evaluation) unansweredFact(below bool) *FactRule {
	if e.askFact == nil || !below {
		return e.askFact
	}
	before := e.before()
	for i := range e.perms.facts {
		r := &e.perms.facts[i]
		if r.Behavior == Ask && e.matchesFacts(r) && (!slices.Contains(before.perms.facts, *r) || !before.matchesFacts(r)) {
			return r
		}
	}
	return nil
}

// decisionOfFacts is the decision of a rule on facts. It holds a copy of the rule, since the
// caller may write to it.
func decisionOfFacts(r FactRule) Decision {
	return Decision{Behavior: r.Behavior, By: ByRule, FactRule: &r, Reason: r.describe() + " covers it"}
}

// recordFact is record for a rule on facts.
func (e *evaluation) recordFact(r *FactRule, t *Target, b Behavior, reason string) {
	if e.explanation == nil {
		return
	}
	e.record(nil, t, b, r.describe()+" "+reason)
	own := *r
	e.explanation.Steps[len(e.explanation.Steps)-1].FactRule = &own
}
