package rank

import (
	"slices"
	"sync"
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
