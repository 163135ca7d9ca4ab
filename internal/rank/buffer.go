package rank

import "math"

// A searchState is the working memory of one search.
type searchState struct {
	words   []queryWord
	terms   []queryTerm
	grams   []queryGram
	pairs   []pair
	clauses int

	marks  []float32 // for each term how much of it the query covers
	marked []uint32  // the terms with a mark
	places []uint32  // for each term its position in grams and 1, or 0

	pairRound int
	total     []uint32   // for each document, in scoreUnit
	parts     [][]uint32 // the same for each clause, if there are several
	weights   []float64  // of the clauses

	candidates     []candidate
	bestRough      []float64 // for each segment
	order          []int
	bonuses        []float64
	answeredShares []float64 // for each clause the share that is answered
}

type queryGram struct {
	term   uint32
	weight float64
}

func newSearchState(terms, segments int) *searchState {
	return &searchState{marks: make([]float32, terms), places: make([]uint32, terms), bestRough: make([]float64, segments)}
}

// reset forgets the search.
func (b *searchState) reset() {
	for _, term := range b.marked {
		b.marks[term] = 0
	}
	for _, g := range b.grams {
		b.places[g.term] = 0
	}
	clear(b.bestRough)
	b.words, b.terms, b.grams, b.pairs, b.marked = b.words[:0], b.terms[:0], b.grams[:0], b.pairs[:0], b.marked[:0]
	b.candidates = b.candidates[:0]
}

func (b *searchState) cover(term uint32, share float32) {
	if b.marks[term] == 0 {
		b.marked = append(b.marked, term)
	}
	b.marks[term] = max(b.marks[term], share)
}

func (b *searchState) addTerm(term uint32, clause int, worth float64) {
	b.terms = append(b.terms, queryTerm{term, clause, max(uint32(math.Round(weightUnit*worth)), 1)})
}

func (b *searchState) addGram(term uint32, share float64) {
	if b.places[term] == 0 {
		b.grams = append(b.grams, queryGram{term: term})
		b.places[term] = uint32(len(b.grams))
	}
	b.grams[b.places[term]-1].weight += share
}

// sharedPairs is the worth of the query's pairs that words has as neighbours, each
// counted once a document.
func (b *searchState) sharedPairs(words []uint32) float64 {
	sum := 0.0
	for i := 1; i < len(words); i++ {
		if b.marks[words[i-1]] < 1 || b.marks[words[i]] < 1 {
			continue
		}
		for j := range b.pairs {
			p := &b.pairs[j]
			if p.first == words[i-1] && p.second == words[i] && p.round != b.pairRound {
				p.round = b.pairRound
				sum += p.worth
			}
		}
	}
	return sum
}
