package breaker

// repetition detects calls that repeat or alternate. It remembers the last two distinct
// calls.
type repetition struct {
	last, previous counted
	same           int // identical calls in a row, including the last
	alternations   int // calls in a row that equal the call before the last
}

// counted is a call with its last result.
type counted struct {
	call      Call
	valid     bool // false if there is no call yet
	result    uint64
	hasResult bool
}

func (s counted) matches(c Call) bool { return s.valid && s.call.same(c) }

// add counts c as the last call.
func (r *repetition) add(c Call) {
	switch {
	case r.last.matches(c):
		r.same++
		r.alternations = 0
		return
	case r.previous.matches(c) && r.same == 1:
		r.alternations++
		r.last, r.previous = r.previous, r.last
	default:
		r.alternations = 0
		r.last, r.previous = counted{call: c, valid: true}, r.last
	}
	r.same = 1
}

// rounds returns how many full rounds the last two calls alternated for.
func (r *repetition) rounds() int {
	if r.alternations == 0 {
		return 0
	}
	return (r.alternations + 2) / 2
}

// setResult records the result of c. If it differs from the result that c had before,
// later calls are no repeats of earlier ones.
func (r *repetition) setResult(c Call, result uint64) {
	for _, s := range []*counted{&r.last, &r.previous} {
		if !s.matches(c) {
			continue
		}
		if s.hasResult && s.result != result {
			r.same, r.alternations = min(r.same, 1), 0
		}
		s.result, s.hasResult = result, true
	}
}

// includes reports whether a call of tool is among the last two.
func (r *repetition) includes(tool string) bool {
	return r.last.valid && r.last.call.tool == tool || r.previous.valid && r.previous.call.tool == tool
}
