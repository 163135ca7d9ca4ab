package pegboard

import (
	"slices"
)

// concernOf reports whether r, a deny rule, is about the call: what the steps of a decision
// would find if it were the only rule.
func (e *evaluation) concernOf(r Rule) Concern {
	perms := Permissions{set: newRuleset([]Rule{r})}
	e.perms = &perms
	e.match()
	switch {
	case e.deny != nil:
		return ConcernYes
	case e.unsure != nil, e.misunderstood() != nil, !e.all(func(t *Target) bool { return !e.restrictsUnseen(t) }), e.mayFilter(&perms.set.rules[0]):
		return ConcernMaybe
	}
	return ConcernNo
}

// mayFilter reports whether the tool may leave out something that a deny rule is about,
// below a tree that it filters.
func (e *evaluation) mayFilter(r *Rule) bool {
	return slices.ContainsFunc(e.targets, func(t Target) bool {
		filtered := t.Filtered
		t.Filtered = false
		return filtered && r.Pattern != "" && e.touchesFile(r, &t)
	})
}
