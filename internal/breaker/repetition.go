package breaker

import "slices"

// maxRound is how many distinct calls of a message are kept. A message with more is no
// repetition of any other.
const maxRound = 16

// repetition detects messages that repeat or alternate. It remembers the last two distinct
// messages. Of a message it knows which calls it has, in any order, each once.
type repetition struct {
	last, previous round
	same           int // equal messages in a row, including the last
	alternations   int // messages in a row that equal the message before the last
}

// A round is the distinct calls of one message.
type round struct {
	calls    []counted
	tooLarge bool // it has more than maxRound calls
}

// counted is a call with its last result.
type counted struct {
	call      Call
	result    uint64
	hasResult bool
}

// add adds a call. If the round has an equal call, it takes over its result.
func (r *round) add(c counted) {
	if r.tooLarge {
		return
	}
	if same := r.find(c.call); same != nil {
		if c.hasResult {
			same.result, same.hasResult = c.result, true
		}
		return
	}
	r.calls = append(r.calls, c)
	if len(r.calls) > maxRound {
		r.calls, r.tooLarge = nil, true
	}
}

// find returns the round's call that equals c, or nil.
func (r *round) find(c Call) *counted {
	for i := range r.calls {
		if r.calls[i].call.same(c) {
			return &r.calls[i]
		}
	}
	return nil
}

// equals reports whether two rounds have the same calls.
func (r *round) equals(s *round) bool {
	return len(r.calls) > 0 && len(r.calls) == len(s.calls) &&
		!slices.ContainsFunc(s.calls, func(c counted) bool { return r.find(c.call) == nil })
}

// update takes over the results of s, which has the same calls. It reports whether one
// of them has changed.
func (r *round) update(s *round) (changed bool) {
	for _, c := range s.calls {
		if mine := r.find(c.call); c.hasResult {
			changed = changed || mine.hasResult && mine.result != c.result
			mine.result, mine.hasResult = c.result, true
		}
	}
	return changed
}

// add counts a message that has ended. If a result has changed, the message is no
// repetition of earlier ones, and later ones may repeat it.
func (r *repetition) add(m round) {
	switch {
	case r.last.equals(&m):
		r.same++
		r.alternations = 0
		if r.last.update(&m) {
			r.same = 1
		}
		return
	case r.previous.equals(&m) && r.same == 1:
		r.alternations++
		if r.previous.update(&m) {
			r.alternations = 0
		}
		r.last, r.previous = r.previous, r.last
	default:
		r.alternations = 0
		r.last, r.previous = m, r.last
	}
	r.same = 1
}

// rounds returns for how many full rounds the last two messages would have alternated
// after another message that equals the one before the last.
func (r *repetition) rounds() int { return (r.alternations + 3) / 2 }

// changed reports whether c had another result before.
func (r *repetition) changed(c counted) bool {
	for _, known := range []*counted{r.last.find(c.call), r.previous.find(c.call)} {
		if known != nil && known.hasResult && c.hasResult && known.result != c.result {
			return true
		}
	}
	return false
}
