package pegboard

// A snapshot is a Call with everything that was known of it after one stage. A *Call that
// a hook, a tool or a listener may hold is never written again: a stage that learns more
// takes the next snapshot.
type snapshot struct {
	Call
	st callState
}

// set stores c with the state st, and returns the stored call.
func (s *snapshot) set(c Call, st callState) *Call {
	s.Call, s.st = c, st
	s.state = &s.st
	return &s.Call
}

// snapshots are the snapshots of one call. The first three, which suffice for a call
// whose input does not change, are part of the job: this saves two of its allocations.
type snapshots struct {
	first  [3]snapshot
	shared int // how many of first may be held by a hook, a tool or a listener
}

// next returns a copy of c that may be written to until it is shared.
func (s *snapshots) next(c *Call) *snapshot {
	var next *snapshot
	if s.shared < len(s.first) {
		next = &s.first[s.shared]
	} else {
		next = new(snapshot)
	}
	s.shared++
	next.set(*c, *c.state)
	return next
}
