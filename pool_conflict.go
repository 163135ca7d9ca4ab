package pegboard

// Conflict reports whether a and b, two calls of one message, must not run at the same time,
// and why, in a few words: "Bash runs alone", "both write src/a.go", "Read reads src/a.go,
// which Write writes". It says what the executor acts on, see [EventWaiting]. A call that the
// executor would refuse, for example because its input is wrong, conflicts with none.
//
// The paths of both are resolved now. A call that runs before them may change where these
// lead.
func (p *Pool) Conflict(a, b Call) (why string, ok bool) {
	p.mustExist("Conflict")
	_, first, err := p.Rebuild(a)
	if err != nil {
		return "", false
	}
	_, second, err := p.Rebuild(b)
	if err != nil {
		return "", false
	}
	x, ok := claimOf(first.state.traits, first.state.targets).Conflict(claimOf(second.state.traits, second.state.targets))
	if !ok {
		return "", false
	}
	return describeConflict(first, second, x), true
}
