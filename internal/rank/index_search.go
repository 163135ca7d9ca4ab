package rank

import (
	"cmp"
	"math"
	"slices"
)

// A Hit is a document that a search found. Score is above 0, and comparable only with the
// other scores of the same search.
type Hit struct {
	Segment  int // position of its segment in the index
	Document int // position of the document in the segment
	Score    float64
}

// minCandidates is the number of documents that are scored in full, unless more hits are
// requested. 64 cost .001, and twice as many bring .0004.
const minCandidates = 96

// A candidate is a document that is scored in full.
type candidate struct {
	document   uint32
	roughScore uint32 // the weighted sum of its postings
	score      float64
	factor     float64
}

// Search returns the best documents for a query in plain words, at most limit, the best
// first. Ties are ordered by name. A document that shares no word, and no piece of a word,
// with the query is not found. If accept is not nil, Search calls it for the better
// documents and leaves out those for which it returns false.
func (x *Index) Search(query string, limit int, accept func(segment, document int) bool) []Hit {
	if limit <= 0 || len(x.entries) == 0 {
		return nil
	}
	state, ok := x.states.Get().(*searchState)
	if !ok {
		state = newSearchState(len(x.info), len(x.segments))
	}
	defer x.states.Put(state)
	defer state.reset()
	x.parse(query, state)
	x.sumPostings(state)
	x.selectCandidates(state, max(limit, minCandidates), accept)
	x.rescore(state)
	slices.SortFunc(state.candidates, x.compare)
	if state.clauses > 1 && len(state.candidates) > 1 {
		x.addClauseBonuses(state)
		x.diversify(state)
	}
	hits := make([]Hit, 0, min(limit, len(state.candidates)))
	for _, c := range state.candidates[:cap(hits)] {
		e := &x.entries[c.document]
		hits = append(hits, Hit{Segment: int(e.segment), Document: int(c.document - e.first), Score: c.score})
	}
	return hits
}

// sumPostings adds up the postings of the query's terms for each document. The sums are
// integers, so the order of adding does not matter.
func (x *Index) sumPostings(state *searchState) {
	state.total = zeroed(state.total, len(x.entries))
	state.weights = zeroed(state.weights, state.clauses)
	if state.parts == nil {
		state.parts = make([][]uint32, maxClauses)
	}
	for c := range state.clauses {
		if state.clauses > 1 {
			state.parts[c] = zeroed(state.parts[c], len(x.entries))
		}
	}
	for _, d := range state.terms {
		state.weights[d.clause] += float64(d.weight)
		postings := x.postings[x.starts[d.term]:x.starts[d.term+1]]
		if state.clauses == 1 {
			add(state.total, postings, d.weight)
		} else {
			addBoth(state.total, state.parts[d.clause], postings, d.weight)
		}
	}
	for _, g := range state.grams {
		postings := x.postings[x.starts[g.term]:x.starts[g.term+1]]
		if float64(len(postings)) > max(commonGram*float64(len(x.entries)), 20) {
			continue
		}
		worth := gramShare * math.Sqrt(g.weight) * float64(x.info[g.term])
		add(state.total, postings, uint32(math.Round(weightUnit*worth)))
	}
}

func add(total, postings []uint32, weight uint32) {
	for _, p := range postings {
		total[p>>impactBits] += weight * (p & (1<<impactBits - 1))
	}
}

func addBoth(total, part, postings []uint32, weight uint32) {
	for _, p := range postings {
		worth := weight * (p & (1<<impactBits - 1))
		total[p>>impactBits] += worth
		part[p>>impactBits] += worth
	}
}

// zeroed returns n zeros, in the memory of s if they fit.
func zeroed[T any](s []T, n int) []T {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

// selectCandidates makes the accepted documents with the count highest sums the
// candidates. They form a heap with the worst at the top.
func (x *Index) selectCandidates(state *searchState, count int, accept func(segment, document int) bool) {
	count = min(count, len(x.entries))
	var minScore uint32 // a document below it cannot become a candidate
	for document, rough := range state.total {
		if rough == 0 || rough < minScore {
			continue
		}
		c := candidate{document: uint32(document), roughScore: rough}
		if len(state.candidates) == count && x.isWorse(c, state.candidates[0]) {
			continue
		}
		if e := &x.entries[document]; accept != nil && !accept(int(e.segment), document-int(e.first)) {
			continue
		}
		if len(state.candidates) < count {
			state.candidates = append(state.candidates, c)
			x.siftUp(state.candidates)
		} else {
			state.candidates[0] = c
			x.siftDown(state.candidates)
		}
		if len(state.candidates) == count {
			minScore = state.candidates[0].roughScore
		}
	}
}

// isWorse reports whether a comes after c, by their sums and names.
func (x *Index) isWorse(a, c candidate) bool {
	if a.roughScore != c.roughScore {
		return a.roughScore < c.roughScore
	}
	return x.compareNames(a.document, c.document) > 0
}

func (x *Index) siftUp(heap []candidate) {
	for at := len(heap) - 1; at > 0; {
		parent := (at - 1) / 2
		if !x.isWorse(heap[at], heap[parent]) {
			return
		}
		heap[at], heap[parent] = heap[parent], heap[at]
		at = parent
	}
}

func (x *Index) siftDown(heap []candidate) {
	for at := 0; ; {
		child := 2*at + 1
		if child >= len(heap) {
			return
		}
		if child+1 < len(heap) && x.isWorse(heap[child+1], heap[child]) {
			child++
		}
		if !x.isWorse(heap[child], heap[at]) {
			return
		}
		heap[at], heap[child] = heap[child], heap[at]
		at = child
	}
}

// rescore computes the full scores of the candidates, without the bonuses of clauses.
func (x *Index) rescore(state *searchState) {
	for i := range state.candidates {
		c := &state.candidates[i]
		segment := x.entries[c.document].segment
		state.bestRough[segment] = max(state.bestRough[segment], float64(c.roughScore)/scoreUnit)
		c.score, c.factor = x.score(state, c.document)
	}
	for i := range state.candidates {
		c := &state.candidates[i]
		if segment := x.entries[c.document].segment; x.segments[segment].source != "" {
			c.score += float64(siblingShare * (state.bestRough[segment] - float64(float64(c.roughScore)/scoreUnit)))
		}
	}
}

// compare orders candidates by score and name, the best first.
func (x *Index) compare(a, c candidate) int {
	if order := cmp.Compare(c.score, a.score); order != 0 {
		return order // without looking up the names
	}
	return x.compareNames(a.document, c.document)
}

// compareNames orders documents by name, and documents of the same name by source.
func (x *Index) compareNames(a, c uint32) int {
	if a == c {
		return 0
	}
	one, other := &x.entries[a], &x.entries[c]
	s, t := x.segments[one.segment], x.segments[other.segment]
	return cmp.Or(
		cmp.Compare(s.documents[a-one.first].name, t.documents[c-other.first].name),
		cmp.Compare(s.source, t.source), cmp.Compare(a, c))
}

// score returns the full score of a candidate, without the shares of its source and the
// bonuses of clauses. A conversion rounds each product before it is added: some machines
// would not round it, and would order tools with nearly the same score differently.
func (x *Index) score(state *searchState, document uint32) (score, factor float64) {
	e := &x.entries[document]
	name, description := x.words[e.name:e.description], x.words[e.description:e.end]
	factor = 1 + float64(nameBonus*state.coverage(name, x.info, e.nameMass)) +
		float64(descriptionBonus*state.coverage(description, x.info, e.descriptionMass))
	state.pairRound++
	pairs := state.sharedPairs(name) + state.sharedPairs(description)
	return (float64(float64(state.total[document])/scoreUnit) + float64(pairShare*pairs)) * factor, factor
}
