package breaker

// A row follows the calls that repeat each other. It remembers the last two.
type row struct {
	last, previous seen
	same           int // identical calls in a row, the last included
	turns          int // calls in a row that equal the one before the last
}

// seen is a call with its last result.
type seen struct {
	call    Call
	counted bool // false in an empty place
	result  uint64
	known   bool // whether there was a result
}

func (s seen) is(c Call) bool { return s.counted && s.call.same(c) }

// add counts c as the last call.
func (r *row) add(c Call) {
	switch {
	case r.last.is(c):
		r.same++
		r.turns = 0
		return
	case r.previous.is(c) && r.same == 1:
		r.turns++
		r.last, r.previous = r.previous, r.last
	default:
		r.turns = 0
		r.last, r.previous = seen{call: c, counted: true}, r.last
	}
	r.same = 1
}

// rounds returns how often the last two calls took turns, full rounds only.
func (r *row) rounds() int {
	if r.turns == 0 {
		return 0
	}
	return (r.turns + 2) / 2
}

// observe notes the result of c. A result that c did not have before is news:
// what follows is not a repeat of what was.
func (r *row) observe(c Call, result uint64) {
	for _, s := range []*seen{&r.last, &r.previous} {
		if !s.is(c) {
			continue
		}
		if s.known && s.result != result {
			r.same, r.turns = min(r.same, 1), 0
		}
		s.result, s.known = result, true
	}
}

// has reports whether a call of tool is among the last two.
func (r *row) has(tool string) bool {
	return r.last.counted && r.last.call.tool == tool || r.previous.counted && r.previous.call.tool == tool
}
