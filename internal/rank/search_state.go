package rank

import "math"

// A searchState is the working memory of one search. An index reuses it.
type searchState struct {
	words   []queryWord
	terms   []queryTerm
	grams   []queryGram
	pairs   []pair
	clauses int

	marks  []float32 // for each term the share that the query covers
	marked []uint32  // the terms whose mark is not 0
	places []uint32  // for each term its index in grams plus 1, or 0

	pairRound int
	total     []uint32   // rough score of each document, in scoreUnit
	parts     [][]uint32 // the same for each clause, if there are several
	weights   []float64  // of the clauses

	candidates     []candidate
	bestRough      []float64 // the best rough score in each segment
	order          []int
	bonuses        []float64
	answeredShares []float64 // the answered share of each clause
}

// A queryGram is a piece of a word that a query looks for, with its weight.
type queryGram struct {
	term   uint32
	weight float64
}

func newSearchState(terms, segments int) *searchState {
	return &searchState{marks: make([]float32, terms), places: make([]uint32, terms), bestRough: make([]float64, segments)}
}

// reset clears the state for the next search.
func (s *searchState) reset() {
	for _, term := range s.marked {
		s.marks[term] = 0
	}
	for _, g := range s.grams {
		s.places[g.term] = 0
	}
	clear(s.bestRough)
	s.words, s.terms, s.grams, s.pairs, s.marked = s.words[:0], s.terms[:0], s.grams[:0], s.pairs[:0], s.marked[:0]
	s.candidates = s.candidates[:0]
}

// cover records that the query covers a share of a term.
func (s *searchState) cover(term uint32, share float32) {
	if s.marks[term] == 0 {
		s.marked = append(s.marked, term)
	}
	s.marks[term] = max(s.marks[term], share)
}

func (s *searchState) addTerm(term uint32, clause int, worth float64) {
	s.terms = append(s.terms, queryTerm{term, clause, max(uint32(math.Round(weightUnit*worth)), 1)})
}

func (s *searchState) addGram(term uint32, share float64) {
	if s.places[term] == 0 {
		s.grams = append(s.grams, queryGram{term: term})
		s.places[term] = uint32(len(s.grams))
	}
	s.grams[s.places[term]-1].weight += share
}

// sharedPairs returns the worth of the query's pairs that are neighbours in words. Each
// pair counts once for a document.
func (s *searchState) sharedPairs(words []uint32) float64 {
	sum := 0.0
	for i := 1; i < len(words); i++ {
		if s.marks[words[i-1]] < 1 || s.marks[words[i]] < 1 {
			continue
		}
		for j := range s.pairs {
			p := &s.pairs[j]
			if p.first == words[i-1] && p.second == words[i] && p.round != s.pairRound {
				p.round = s.pairRound
				sum += p.worth
			}
		}
	}
	return sum
}

// coverage returns the share of the information of words that the query covers. info holds
// the information of each term, and mass the sum for words.
func (s *searchState) coverage(words []uint32, info []float32, mass float32) float64 {
	if mass <= 0 {
		return 0
	}
	var covered float32
	for _, word := range words {
		if mark := s.marks[word]; mark > 0 {
			covered += float32(mark * info[word]) // rounded here: see Index.score
		}
	}
	return float64(covered / mass)
}

// clauseScore returns the part of a candidate's score that the words of a clause bring.
func (s *searchState) clauseScore(clause int, c candidate) float64 {
	return float64(s.parts[clause][c.document]) / scoreUnit * c.factor
}
