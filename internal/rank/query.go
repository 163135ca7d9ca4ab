package rank

import (
	"math"
	"slices"
)

const (
	maxQueryWords = 256 // that are looked for
	maxClauses    = 8   // the last one takes in all that follow
	clauseWords   = 2   // at least, to stand as a clause
	commonGram    = .2  // of all documents; a piece of words that more of them have is not looked for
	scoreUnit     = weightUnit * impactUnit
	weightUnit    = 128 // of a weight that is 1; with all words of a query a sum stays below 2³²
)

// A queryTerm is a term that a query looks for.
type queryTerm struct {
	term   uint32
	clause int
	weight uint32 // in weightUnit
}

// A pair is two words that stand side by side in the query.
type pair struct {
	first, second uint32
	worth         float64
	round         int // of the last document that had it
}

// A queryWord is a word of the query as it is read.
type queryWord struct {
	term    uint32
	known   bool // term is set: some document has it
	clause  int
	share   float64  // of its information
	related []uint32 // the terms that it calls for beside itself
}

// parse reads the query into b.
func (x *Index) parse(query string, b *searchState) {
	x.readWords(query, b)
	repeats := make(map[uint32]float64, len(b.words))
	for _, w := range b.words {
		if w.known {
			repeats[w.term]++
			b.cover(w.term, 1)
		}
	}
	for i, w := range b.words {
		if w.known {
			// A word said twice counts as the square root of twice.
			worth := w.share * float64(x.info[w.term]) / math.Sqrt(repeats[w.term])
			b.addTerm(w.term, w.clause, worth)
		}
		x.addRelated(b, w)
		if i > 0 && w.known {
			x.addPair(b, b.words[i-1], w)
		}
	}
}

// readWords reads the words of the query and of which clause they are.
func (x *Index) readWords(query string, b *searchState) {
	clause, count, broken := 0, 0, false
	for s := (wordScanner{text: query}); len(b.words) < maxQueryWords && s.next(); {
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
				b.addGram(term, share)
			}
		}
		key := wordKey(stem(s.word))
		w := queryWord{clause: clause, share: share, related: x.related[key]}
		w.term, w.known = x.table.find(key)
		b.words = append(b.words, w)
	}
	if count < clauseWords && clause > 0 {
		b.words[len(b.words)-1].clause--
		clause--
	}
	b.clauses = clause + 1
}

// isConjunction says whether a silent word joins two demands.
func isConjunction(word []byte) bool {
	switch string(word) {
	case "and", "then", "also":
		return true
	}
	return false
}

// addRelated looks for what a word calls for. None of it says more than the word.
func (x *Index) addRelated(b *searchState, w queryWord) {
	for _, term := range w.related {
		if b.marks[term] > 0 {
			continue
		}
		b.cover(term, relatedShare)
		info := float64(x.info[term])
		if w.known {
			info = min(info, float64(x.info[w.term]))
		}
		b.addTerm(term, w.clause, relatedShare*w.share*info)
	}
}

func (x *Index) addPair(b *searchState, first, second queryWord) {
	if !first.known || first.clause != second.clause {
		return
	}
	same := func(p pair) bool { return p.first == first.term && p.second == second.term }
	if !slices.ContainsFunc(b.pairs, same) {
		worth := float64(x.info[first.term]+x.info[second.term]) / 2
		b.pairs = append(b.pairs, pair{first: first.term, second: second.term, worth: worth, round: -1})
	}
}
