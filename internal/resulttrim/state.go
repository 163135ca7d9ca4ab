package resulttrim

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// A State holds the decisions on one conversation. The zero State has no decisions. It
// is not safe for concurrent use.
//
// It forgets nothing, not even results that are no longer in the history: a rewind may
// bring them back.
type State struct {
	index   map[Key]int // into records
	records []record    // in the order of their first appearance
	round   uint64      // counts the calls of Decide
}

type record struct {
	key   Key
	form  Form
	text  string // replaces a result that is not Whole; empty until it is set
	round uint64 // last round that had the id; only for repeat 0
	count int    // number of results with the id in that round; only for repeat 0
}

// Decide returns the decision on each result. results are all results of the history, in
// its order.
//
// For every turn, from the first to the last, Decide does the same as if the history ended
// there:
//   - New results of the turn become Whole or, the largest first, Replaced until the
//     turn fits into limits.PerMessage. Of two equal ones the earlier is replaced first. A
//     turn should be complete when Decide sees it first: results that are added later
//     only get the room that is left.
//   - In the turns before it, the newest Whole results stay, as many as have no more
//     than limits.KeepRecent characters together. Older ones become Masked, all at once,
//     when they have limits.MaskStep characters together.
//
// A result that is Fixed, or has no more than limits.MinSize characters, stays Whole. It
// counts towards PerMessage and KeepRecent, but not towards MaskStep.
//
// Decisions are final: a Whole result can become Masked but never Replaced, and no
// result becomes Whole again. Turns may be appended to the history, results may vanish
// from it and come back. When results vanish, nothing changes for the others.
//
// Results with the same id, or without one, are told apart by their order in the
// history. When one of them vanishes, each later one gets the decision and the text of
// the one before it; so results should have distinct ids if the history is ever
// compacted.
func (s *State) Decide(results []Result, limits Limits) []Decision {
	s.allocate(len(results))
	s.round++
	at := make([]int, len(results))
	next := 0
	for i, r := range results {
		at[i] = s.recordFor(r.ID, next)
		next = at[i] + 1
	}
	d := decider{results: results, recordOf: at, records: s.records, limits: limits}
	d.run()
	decisions := make([]Decision, len(results))
	for i, j := range at {
		decisions[i] = Decision{Key: s.records[j].key, Form: s.records[j].form}
	}
	return decisions
}

// allocate allocates an empty State for count results.
func (s *State) allocate(count int) {
	if s.index == nil {
		s.index = make(map[Key]int, count)
		s.records = make([]record, 0, count)
	}
}

// recordFor returns the index of the record of the next result with the id. Each call in
// one round is for one more result with that id. next is the index if results come in
// the order in which they came before, which avoids the map.
func (s *State) recordFor(id string, next int) int {
	if next < len(s.records) {
		r := &s.records[next]
		if r.round != s.round && r.key.repeat == 0 && r.key.id == id {
			r.round, r.count = s.round, 1
			return next
		}
	}
	first := s.findOrAdd(Key{id: strings.ToValidUTF8(id, "\uFFFD")}) // as JSON would return it
	r := &s.records[first]
	if r.round != s.round {
		r.round, r.count = s.round, 0
	}
	r.count++
	if r.count == 1 {
		return first
	}
	return s.findOrAdd(Key{id: r.key.id, repeat: r.count - 1})
}

func (s *State) findOrAdd(k Key) int {
	i, ok := s.index[k]
	if !ok {
		i = s.add(record{key: k})
	}
	return i
}

func (s *State) add(r record) int {
	i := len(s.records)
	s.index[r.key] = i
	s.records = append(s.records, r)
	return i
}

// Text returns the text that replaces a result, and whether it was set.
func (s *State) Text(k Key) (text string, ok bool) {
	i, ok := s.index[k]
	if !ok || s.records[i].text == "" {
		return "", false
	}
	return s.records[i].text, true
}

// SetText sets the text that replaces a result. It reports false, and does nothing, if
// there is a text already, if the result is Whole or unknown, or if text is empty, which
// some providers refuse. Each byte that is not UTF-8 becomes U+FFFD, as in a JSON
// request.
func (s *State) SetText(k Key, text string) bool {
	i, ok := s.index[k]
	if !ok || text == "" {
		return false
	}
	r := &s.records[i]
	if r.text != "" || r.form == Whole {
		return false
	}
	if !utf8.ValidString(text) {
		text = string([]rune(text)) // strings.ToValidUTF8 would replace several bytes by one U+FFFD
	}
	r.text = text
	return true
}

// Lost reports whether a result with the id is no longer sent whole: it is Replaced or
// Masked, or was in an earlier history and not in that of the last Decide. A result that
// Decide has not met is not lost.
func (s *State) Lost(id string) bool {
	k := Key{id: strings.ToValidUTF8(id, "\uFFFD")}
	first, ok := s.index[k]
	if !ok {
		return false
	}
	for i := first; ok; i, ok = s.index[k] {
		if form := s.records[i].form; form == Replaced || form == Masked {
			return true
		}
		k.repeat++
	}
	return s.records[first].round != s.round
}

// Clone returns an independent State with the same decisions, for a fork of the
// conversation.
func (s *State) Clone() *State {
	return &State{index: maps.Clone(s.index), records: slices.Clone(s.records), round: s.round}
}
