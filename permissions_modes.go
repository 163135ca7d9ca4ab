package pegboard

import (
	"cmp"
	"fmt"
)

// Offers reports whether m may be entered: by WithMode, an update, or an answer that
// remembers one. ModeAuto and ModeBypass are offered only if the permissions were made in
// them, or by WithAvailable; the other modes always. No mode is offered that Without
// names. An unknown mode is not offered.
//
// In a fork, the parent's mode is a further limit: a laxer one is refused.
func (p Permissions) Offers(m Mode) bool {
	optional := m == ModeAuto || m == ModeBypass
	return m.laxity() >= 0 && !p.withheld.has(m) && (!optional || p.available.has(m))
}

// WithAvailable returns p in which these modes may be entered, unless Without names them,
// before or after. The mode of p stays. An unknown mode changes nothing.
func (p Permissions) WithAvailable(modes ...Mode) Permissions {
	p.available |= modesOf(modes...)
	return p
}

// Without returns p in which these modes can never be entered: as a policy wants it. A fork
// cannot have them either, but for one that is stricter than ModeDefault and than the mode of
// its parent, since a fork can always be narrower. If the mode of p is among them, the next
// stricter one takes its place that is offered, at the laxest ModeDefault. ModeDeny cannot be
// withheld. An unknown mode changes nothing.
func (p Permissions) Without(modes ...Mode) Permissions {
	named := modesOf(modes...) &^ modesOf(ModeDeny)
	p.withheld |= named
	if named.has(p.mode) {
		p.mode = p.orStricter(p.mode)
	}
	return p
}

// WithMode returns p with another mode. Plan mode remembers the mode before it. It is an
// error if the mode is unknown, and [ErrModeUnavailable] if p does not offer it.
func (p Permissions) WithMode(m Mode) (Permissions, error) {
	switch {
	case m.laxity() < 0:
		return Permissions{}, fmt.Errorf("unknown permission mode %q", m)
	case p.withheld.has(m):
		return Permissions{}, fmt.Errorf("%w: the permissions withhold %s", ErrModeUnavailable, m.orDefault())
	case !p.Offers(m):
		return Permissions{}, fmt.Errorf("%w: %s is entered only where the permissions were made in it, or with WithAvailable", ErrModeUnavailable, m)
	}
	if m == ModePlan && p.mode != ModePlan {
		if p.before = p.mode; p.parent == "" {
			p.before = p.Mode()
		}
	}
	p.mode = m
	return p, nil
}

// AfterPlan returns p in the mode before plan mode, or in a stricter one if that is not
// offered any more. A fork whose mode is its parent's again, or that has begun in plan mode,
// gets the mode that the parent has, and no laxer one. In any other mode it returns p.
func (p Permissions) AfterPlan() Permissions {
	if p.mode != ModePlan {
		return p
	}
	before := p.before
	p.before = ""
	switch {
	case p.parent == "":
		p.mode = p.orStricter(before.orDefault())
	case before == "" || before.Laxer(p.parent):
		p.mode = ""
	default:
		p.mode = p.orStricter(before)
	}
	return p
}

// orStricter returns m if it is not withheld. Otherwise it returns the laxest mode that is
// not withheld, and laxer neither than m nor than ModeDefault.
func (p Permissions) orStricter(m Mode) Mode {
	if !p.withheld.has(m) {
		return m
	}
	for i := min(m.laxity(), ModeDefault.laxity()); i > 0; i-- {
		if !p.withheld.has(modesByLaxity[i]) {
			return modesByLaxity[i]
		}
	}
	return ModeDeny
}

// withholds reports whether a fork cannot have a mode because p withholds it.
func (p Permissions) withholds(m Mode) bool {
	narrows := ModeDefault.Laxer(m) && p.Mode().Laxer(m)
	return p.withheld.has(m) && !narrows
}

// inFork returns the mode of a fork in p; an empty mode is that of p.
func (p Permissions) inFork(fork Permissions) Mode {
	if fork.mode == "" && p.withheld.has(p.mode) {
		return p.Mode() // p is a fork itself, and stricter than its parent
	}
	p.withheld |= fork.withheld
	if fork.mode != "" && !p.withholds(fork.mode) {
		return fork.mode.orDefault()
	}
	return p.orStricter(cmp.Or(fork.mode, p.mode)).orDefault()
}

// inheriting returns the permissions of a fork with the mode of its parent, and those that the
// parent's offer and withhold.
func (p Permissions) inheriting(parent *Permissions) Permissions {
	p.available |= parent.available
	p.withheld |= parent.withheld
	p.parent = parent.Mode()
	return p
}
