package rank

import (
	"math"
	"slices"
)

const (
	maxQueryWords = 256 // words of a query that are read
	maxClauses    = 8   // the last clause includes all that follow
	clauseWords   = 2   // minimum number of words in a clause
	commonGram    = .2  // share of the documents above which a piece of a word is ignored
	scoreUnit     = weightUnit * impactUnit
	weightUnit    = 128 // the weight 1; the sum for all words of a query stays below 2³²
)

// A queryTerm is a term that a query looks for, with its weight.
type queryTerm struct {
	term   uint32
	clause int
	weight uint32 // in weightUnit
}

// A pair is two neighbouring words of the query.
type pair struct {
	first, second uint32
	worth         float64
	round         int // of the last document that has it
}

// A queryWord is one word of the query.
type queryWord struct {
	term    uint32
	known   bool // some document has the word, and term is set
	clause  int
	share   float64  // of its information that counts
	related []uint32 // other terms to look for
}

// parse reads the query into b.
func (x *Index) parse(query string, state *searchState) {
	x.readWords(query, state)
	repeats := make(map[uint32]float64, len(state.words))
	for _, w := range state.words {
		if w.known {
			repeats[w.term]++
			state.cover(w.term, 1)
		}
	}
	for i, w := range state.words {
		if w.known {
			// Two occurrences of a word count as the square root of two.
			worth := w.share * float64(x.info[w.term]) / math.Sqrt(repeats[w.term])
			state.addTerm(w.term, w.clause, worth)
		}
		x.addRelated(state, w)
		if i > 0 && w.known {
			x.addPair(state, state.words[i-1], w)
		}
	}
}

// readWords reads the words of the query and divides them into clauses.
func (x *Index) readWords(query string, state *searchState) {
	clause, count, broken := 0, 0, false
	for s := (wordScanner{text: query}); len(state.words) < maxQueryWords && s.next(); {
		share := float64(weightOf(s.word))
		if share == 0 {
			broken = broken || s.afterBreak || isConjunction(s.word)
			continue
		}
		if (broken || s.afterBreak) && count >= clauseWords && clause < maxClauses-1 {
			clause, count = clause+1, 0
		}
		broken, count = false, count+1
		for gram := range grams(s.word) {
			if term, ok := x.table.find(gram); ok {
				state.addGram(term, share)
			}
		}
		key := wordKey(stem(s.word))
		w := queryWord{clause: clause, share: share, related: x.related[key]}
		w.term, w.known = x.table.find(key)
		state.words = append(state.words, w)
	}
	if count < clauseWords && clause > 0 {
		state.words[len(state.words)-1].clause--
		clause--
	}
	state.clauses = clause + 1
}

// isConjunction reports whether an ignored word joins two clauses.
func isConjunction(word []byte) bool {
	switch string(word) {
	case "and", "then", "also":
		return true
	}
	return false
}

// addRelated adds the terms that are related to a word. None has more information than the
// word itself.
func (x *Index) addRelated(state *searchState, w queryWord) {
	for _, term := range w.related {
		if state.marks[term] > 0 {
			continue
		}
		state.cover(term, relatedShare)
		info := float64(x.info[term])
		if w.known {
			info = min(info, float64(x.info[w.term]))
		}
		state.addTerm(term, w.clause, relatedShare*w.share*info)
	}
}

func (x *Index) addPair(state *searchState, first, second queryWord) {
	if !first.known || first.clause != second.clause {
		return
	}
	same := func(p pair) bool { return p.first == first.term && p.second == second.term }
	if !slices.ContainsFunc(state.pairs, same) {
		worth := float64(x.info[first.term]+x.info[second.term]) / 2
		state.pairs = append(state.pairs, pair{first: first.term, second: second.term, worth: worth, round: -1})
	}
}
