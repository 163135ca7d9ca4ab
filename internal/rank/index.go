package rank

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

// An Index joins the documents of segments. It is immutable; any number of goroutines may
// search it at once.
type Index struct {
	segments []*Segment
	entries  []entry // all documents, one segment after the other
	table    termTable
	starts   []uint32 // start of the postings of each term, and the end of the last
	postings []uint32
	info     []float32           // information of each term
	words    []uint32            // the words of all names and descriptions, as terms
	related  map[uint32][]uint32 // terms that a query for a word also looks for, by the key of the word
	states   sync.Pool
}

// An entry is a document of an index. The words of its name are words[name:description] of
// the index, those of its description words[description:end].
type entry struct {
	segment, first            uint32 // its segment, and the position of that segment's first document
	name, description, end    uint32
	nameMass, descriptionMass float32 // the sum of the words' information
}

// NewIndex joins segments. This is much faster than analysing their documents. A search
// finds the first 4,194,304 documents.
func NewIndex(segments ...*Segment) *Index {
	x := &Index{segments: slices.Clone(segments)}
	x.join()
	x.info = make([]float32, len(x.starts)-1)
	for term := range x.info {
		x.info[term] = float32(information(int(x.starts[term+1]-x.starts[term]), len(x.entries)))
	}
	for i := range x.entries {
		e := &x.entries[i]
		e.nameMass = x.mass(x.words[e.name:e.description])
		e.descriptionMass = x.mass(x.words[e.description:e.end])
	}
	x.findRelated()
	return x
}

// join merges the terms and postings of all segments.
func (x *Index) join() {
	terms, postings := 0, 0
	for _, s := range x.segments {
		terms, postings = terms+len(s.terms), postings+len(s.postings)
	}
	x.table = newTermTable(1 << 10)
	own := make([]uint32, 0, terms) // the index's number of each term of each segment
	x.starts = make([]uint32, 1, 1<<10)
	for _, s := range x.segments {
		for i, key := range s.terms {
			term := x.table.add(key)
			own = append(own, term)
			if int(term)+1 == len(x.starts) {
				x.starts = append(x.starts, 0)
			}
			x.starts[term+1] += s.starts[i+1] - s.starts[i]
		}
	}
	for i := 1; i < len(x.starts); i++ {
		x.starts[i] += x.starts[i-1]
	}
	x.postings = make([]uint32, postings)
	next := slices.Clone(x.starts)
	for at, s := range x.segments {
		x.append(uint32(at), s, own[:len(s.terms)], next)
		own = own[len(s.terms):]
	}
}

// append adds the documents and postings of a segment. own holds the index's numbers of
// the segment's terms, next the place of the next posting of each term.
func (x *Index) append(at uint32, s *Segment, own, next []uint32) {
	first, words := uint32(len(x.entries)), uint32(len(x.words))
	for i := range own {
		place := next[own[i]]
		for _, p := range s.postings[s.starts[i]:s.starts[i+1]] {
			x.postings[place] = p + first<<impactBits
			place++
		}
		next[own[i]] = place
	}
	for _, word := range s.words {
		x.words = append(x.words, own[word])
	}
	for i := range s.documents {
		d := &s.documents[i]
		x.entries = append(x.entries, entry{
			segment: at, first: first,
			name: words + d.words, description: words + d.description, end: words + d.to,
		})
	}
}

func (x *Index) mass(words []uint32) float32 {
	var sum float32
	for _, word := range words {
		sum += x.info[word]
	}
	return sum
}

// A long query may ask for several tools, each of which matches only a part of it.
// Therefore documents are also compared for each clause.

// addClauseBonuses raises the scores of the best candidates of each clause. The candidates
// must be sorted.
func (x *Index) addClauseBonuses(state *searchState) {
	top, all := state.candidates[0].score, 0.0
	for _, weight := range state.weights {
		all += weight
	}
	state.bonuses = zeroed(state.bonuses, len(state.candidates))
	for clause, weight := range state.weights {
		state.order = state.order[:0]
		for i, c := range state.candidates {
			if state.parts[clause][c.document] > 0 {
				state.order = append(state.order, i)
			}
		}
		slices.SortFunc(state.order, func(i, j int) int {
			return cmp.Or(cmp.Compare(state.clauseScore(clause, state.candidates[j]), state.clauseScore(clause, state.candidates[i])), cmp.Compare(i, j))
		})
		share := math.Pow(weight/all, clausePower)
		for rank, i := range state.order[:min(len(state.order), clauseDepth)] {
			state.bonuses[i] += clauseBonus * top * share / (float64(rank) + clauseOffset)
		}
	}
	for i := range state.candidates {
		state.candidates[i].score += state.bonuses[i]
	}
}

// diversify sorts the candidates into their final order. Once a candidate has answered a
// clause, the others lose a share of their score for that clause.
func (x *Index) diversify(state *searchState) {
	state.bonuses = zeroed(state.bonuses, state.clauses) // the highest score of a candidate for each clause
	for clause := range state.bonuses {
		for _, c := range state.candidates {
			state.bonuses[clause] = max(state.bonuses[clause], state.clauseScore(clause, c))
		}
	}
	state.answeredShares = zeroed(state.answeredShares, state.clauses)
	for rest := state.candidates; len(rest) > 1 && len(state.candidates)-len(rest) < clauseDepth; rest = rest[1:] {
		best := 0
		for i := range rest {
			if x.compare(rest[i], rest[best]) < 0 {
				best = i
			}
		}
		rest[0], rest[best] = rest[best], rest[0]
		for clause, highest := range state.bonuses {
			if highest == 0 {
				continue
			}
			gain := state.clauseScore(clause, rest[0])/highest - state.answeredShares[clause]
			if gain <= 0 {
				continue
			}
			state.answeredShares[clause] += gain
			for i := range rest[1:] {
				rest[i+1].score -= float64(repeatShare * gain * state.clauseScore(clause, rest[i+1]))
			}
		}
	}
	slices.SortFunc(state.candidates[min(clauseDepth, len(state.candidates)):], x.compare)
}

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

// A query for a word also looks for related words: for the other words of its group of
// synonyms, and for the general words of its kind.

// findRelated computes the related terms of all words in the tables, as far as documents
// have them.
func (x *Index) findRelated() {
	x.related = make(map[uint32][]uint32)
	var words, general []uint32
	for _, group := range synonyms {
		words = appendKeys(words[:0], group)
		for _, word := range words {
			x.addRelation(word, words)
		}
	}
	for _, k := range kinds {
		words, general = appendKeys(words[:0], k.members), appendKeys(general[:0], k.general)
		for _, word := range words {
			x.addRelation(word, general)
		}
	}
}

func appendKeys(keys []uint32, words string) []uint32 {
	for word := range strings.FieldsSeq(words) {
		keys = append(keys, wordKey(stem([]byte(word))))
	}
	return keys
}

// addRelation makes queries for a word look for others too.
func (x *Index) addRelation(word uint32, others []uint32) {
	for _, key := range others {
		term, ok := x.table.find(key)
		if ok && key != word && !slices.Contains(x.related[word], term) {
			x.related[word] = append(x.related[word], term)
		}
	}
}

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

// stem returns the stem of an English word by the Porter2 rules. The word is in lower
// case. A word with other characters than the letters a to z is returned as it is.
func stem(word []byte) []byte {
	if !isEnglish(word) {
		return word
	}
	env := snowballstem.NewEnv(string(word))
	english.Stem(env)
	return []byte(env.Current())
}

// isEnglish reports whether word has the letters a to z only.
func isEnglish(word []byte) bool {
	for _, c := range word {
		if c < 'a' || c > 'z' {
			return false
		}
	}
	return true
}

const (
	maxFieldWords = 2000 // words that are read of one field of a document
	keptWords     = 40   // words of a description that an index keeps for full scores

	// A posting holds a document and its impact in one number.
	impactBits   = 10
	impactUnit   = 512                    // the impact 1; impacts stay below 2
	maxDocuments = 1 << (32 - impactBits) // of a segment, and of an index
)

// A Segment holds the analysed documents of one source. It is immutable, so any number of
// indexes may share it.
type Segment struct {
	source    string
	documents []indexedDocument
	terms     []uint32 // the keys of its words and pieces of words, each once
	starts    []uint32 // start of the postings of each term, and the end of the last
	postings  []uint32 // of all terms in turn; those of a term by ascending document
	words     []uint32 // the words of all names and descriptions, as indexes of terms
}

// An indexedDocument is a document of a segment: its name, and its place in the words of
// the segment.
type indexedDocument struct {
	name                   string
	words, description, to uint32
}

// NewSegment analyses documents. The name and description of their source, which may be
// empty, count as a part of each document. In a search, documents of the same named source
// raise each other's scores. NewSegment reads only the beginning of a very long field, and
// only the first 4,194,304 documents.
func NewSegment(source, about string, docs []Document) *Segment {
	docs = docs[:min(len(docs), maxDocuments)]
	a := &analyser{
		forms: make(map[string]uint32), positions: make(map[uint32]uint32),
		segment: &Segment{source: source, documents: make([]indexedDocument, 0, len(docs))},
	}
	a.read(sourceField, source)
	a.read(sourceField, about)
	for i := range docs {
		a.add(uint32(i), &docs[i])
	}
	a.sortPostings()
	return a.segment
}
