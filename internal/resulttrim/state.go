package resulttrim

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// A State is what was decided in one conversation. The zero State has decided
// nothing and is ready for use. It is not safe for concurrent use.
//
// It forgets nothing, not even results that are no longer in the history: a
// rewind may bring them back.
type State struct {
	index   map[Key]int // into records
	records []record    // in the order in which they were first seen
	round   uint64      // counts the calls of Decide
}

type record struct {
	key   Key
	fate  Fate
	text  string // stands in for a result that is not whole; empty until it is set
	round uint64 // the last round that showed the id; kept for the first of an id only
	shown int    // how often that round showed the id; likewise
}

// Decide returns what becomes of each result, in their order. Results are all
// those of the history, in its order.
//
// For every turn, from the first to the last, Decide does what it would have done
// had the history ended there:
//   - The results of the turn that are new become Whole or, the largest first,
//     Replaced until the turn fits into limits.Message. The earlier of two equal
//     ones goes first. A turn is best complete when it is first shown: what it
//     gains later has only the room that is left.
//   - In the turns before it, the newest Whole results are spared, as many as have
//     no more than limits.Keep characters together. Those older than that become
//     Masked, all at once, when they have limits.Batch characters together.
//
// A result that is Fixed, or has no more than limits.Least characters, stays
// Whole; it counts towards Message and Keep, but not towards Batch.
//
// What was decided stands: a Whole result can become Masked but never Replaced,
// and nothing becomes Whole again. Turns may be appended to the history, results
// may vanish from it and come back. When results vanish, nothing changes for the
// others.
//
// Of results with the same id, or none, the first in the history is one result,
// the second another, and so on. When one of them vanishes the later ones move up
// and inherit its decision and its text; so give results ids of their own if the
// history is ever compacted.
func (s *State) Decide(results []Result, limits Limits) []Decision {
	s.expect(len(results))
	s.round++
	at := make([]int, len(results))
	next := 0
	for i, r := range results {
		at[i] = s.recall(r.ID, next)
		next = at[i] + 1
	}
	f := fold{results: results, at: at, records: s.records, limits: limits}
	f.run()
	decisions := make([]Decision, len(results))
	for i, j := range at {
		decisions[i] = Decision{Key: s.records[j].key, Fate: s.records[j].fate}
	}
	return decisions
}

// expect makes room for so many results, if there are none yet.
func (s *State) expect(count int) {
	if s.index == nil {
		s.index = make(map[Key]int, count)
		s.records = make([]record, 0, count)
	}
}

// recall returns where the next result with the id is remembered. Each call in
// one round counts as one more result with that id. Next is where it is if
// results come in the order in which they came before; that saves a search.
func (s *State) recall(id string, next int) int {
	if next < len(s.records) {
		r := &s.records[next]
		if r.round != s.round && r.key.repeat == 0 && r.key.id == id {
			r.round, r.shown = s.round, 1
			return next
		}
	}
	first := s.find(Key{id: strings.ToValidUTF8(id, "\uFFFD")}) // as it comes back from JSON
	r := &s.records[first]
	if r.round != s.round {
		r.round, r.shown = s.round, 0
	}
	r.shown++
	if r.shown == 1 {
		return first
	}
	return s.find(Key{id: r.key.id, repeat: r.shown - 1})
}

func (s *State) find(k Key) int {
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

// Text returns what stands in for a result that was replaced or masked, and
// whether it was set.
func (s *State) Text(k Key) (text string, ok bool) {
	i, ok := s.index[k]
	if !ok || s.records[i].text == "" {
		return "", false
	}
	return s.records[i].text, true
}

// SetText sets what stands in for a result, once and for all. It reports whether
// it did: not if there is a text already, if the result is Whole or unknown, or
// if text is empty, which some providers refuse. Bytes that are not UTF-8 become
// U+FFFD one by one, as they do in a JSON request.
func (s *State) SetText(k Key, text string) bool {
	i, ok := s.index[k]
	if !ok || text == "" {
		return false
	}
	r := &s.records[i]
	if r.text != "" || r.fate == Whole {
		return false
	}
	if !utf8.ValidString(text) {
		text = string([]rune(text)) // strings.ToValidUTF8 makes one of many
	}
	r.text = text
	return true
}

// Clone returns a State with the same decisions, for a fork of the conversation.
// From then on neither changes the other.
func (s *State) Clone() *State {
	return &State{index: maps.Clone(s.index), records: slices.Clone(s.records), round: s.round}
}
