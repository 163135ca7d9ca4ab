package rank

import (
	"cmp"
	"math"
	"slices"
)

// minCandidates is how many documents are compared closely; 64 cost .001, and twice as
// many bring .0004.
const minCandidates = 96

// A candidate is a document that is compared closely.
type candidate struct {
	document   uint32
	roughScore uint32 // the sum of its postings
	score      float64
	factor     float64
}

// Search returns the best documents for a query in plain words, at most limit,
// best first; ties are ordered by name. A document that shares no word and no
// piece of one with the query is not found. If accept is not nil it says which
// documents may be found; it is asked about the better ones only.
func (x *Index) Search(query string, limit int, accept func(segment, document int) bool) []Hit {
	if limit <= 0 || len(x.entries) == 0 {
		return nil
	}
	b, ok := x.states.Get().(*searchState)
	if !ok {
		b = newSearchState(len(x.info), len(x.segments))
	}
	defer x.states.Put(b)
	defer b.reset()
	x.parse(query, b)
	x.sumPostings(b)
	x.selectCandidates(b, max(limit, minCandidates), accept)
	x.rescore(b)
	slices.SortFunc(b.candidates, x.compare)
	if b.clauses > 1 && len(b.candidates) > 1 {
		x.addClauseBonuses(b)
		x.diversify(b)
	}
	hits := make([]Hit, 0, min(limit, len(b.candidates)))
	for _, c := range b.candidates[:cap(hits)] {
		e := &x.entries[c.document]
		hits = append(hits, Hit{Segment: int(e.segment), Document: int(c.document - e.first), Score: c.score})
	}
	return hits
}

// sumPostings sums the postings of the query's terms. The sums are whole numbers, so
// their order does not matter.
func (x *Index) sumPostings(b *searchState) {
	b.total = zeroed(b.total, len(x.entries))
	b.weights = zeroed(b.weights, b.clauses)
	if b.parts == nil {
		b.parts = make([][]uint32, maxClauses)
	}
	for c := range b.clauses {
		if b.clauses > 1 {
			b.parts[c] = zeroed(b.parts[c], len(x.entries))
		}
	}
	for _, d := range b.terms {
		b.weights[d.clause] += float64(d.weight)
		postings := x.postings[x.starts[d.term]:x.starts[d.term+1]]
		if b.clauses == 1 {
			add(b.total, postings, d.weight)
		} else {
			addBoth(b.total, b.parts[d.clause], postings, d.weight)
		}
	}
	for _, g := range b.grams {
		postings := x.postings[x.starts[g.term]:x.starts[g.term+1]]
		if float64(len(postings)) > max(commonGram*float64(len(x.entries)), 20) {
			continue
		}
		worth := gramShare * math.Sqrt(g.weight) * float64(x.info[g.term])
		add(b.total, postings, uint32(math.Round(weightUnit*worth)))
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

// zeroed returns n zeros in the memory of s if it has the room.
func zeroed[T any](s []T, n int) []T {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

// selectCandidates makes the count best accepted documents by their sums the candidates. They
// are kept as a heap with the worst at its top.
func (x *Index) selectCandidates(b *searchState, count int, accept func(segment, document int) bool) {
	count = min(count, len(x.entries))
	var least uint32 // a document below it cannot be a candidate
	for document, rough := range b.total {
		if rough == 0 || rough < least {
			continue
		}
		c := candidate{document: uint32(document), roughScore: rough}
		if len(b.candidates) == count && x.isWorse(c, b.candidates[0]) {
			continue
		}
		if e := &x.entries[document]; accept != nil && !accept(int(e.segment), document-int(e.first)) {
			continue
		}
		if len(b.candidates) < count {
			b.candidates = append(b.candidates, c)
			x.siftUp(b.candidates)
		} else {
			b.candidates[0] = c
			x.siftDown(b.candidates)
		}
		if len(b.candidates) == count {
			least = b.candidates[0].roughScore
		}
	}
}

// isWorse says whether a comes after c by their sums alone.
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

// rescore gives the candidates their scores but for what clauses bring.
func (x *Index) rescore(b *searchState) {
	for i := range b.candidates {
		c := &b.candidates[i]
		segment := x.entries[c.document].segment
		b.bestRough[segment] = max(b.bestRough[segment], float64(c.roughScore)/scoreUnit)
		c.score, c.factor = x.score(b, c.document)
	}
	for i := range b.candidates {
		c := &b.candidates[i]
		if segment := x.entries[c.document].segment; x.segments[segment].source != "" {
			c.score += float64(siblingShare * (b.bestRough[segment] - float64(float64(c.roughScore)/scoreUnit)))
		}
	}
}

// compare orders the better candidate first.
func (x *Index) compare(a, c candidate) int {
	if order := cmp.Compare(c.score, a.score); order != 0 {
		return order // seldom are the names needed
	}
	return x.compareNames(a.document, c.document)
}

// compareNames orders documents by name, and those of one name by source.
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
