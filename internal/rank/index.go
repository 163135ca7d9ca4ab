package rank

import (
	"slices"
	"sync"
)

// An Index is the joined documents of segments. It is immutable and may be
// searched by any number of goroutines at once.
type Index struct {
	segments []*Segment
	entries  []entry // all documents, one segment after the other
	table    termTable
	starts   []uint32 // where the postings of each term begin, and the end of the last
	postings []uint32
	info     []float32           // the information of each term
	words    []uint32            // the words of all names and descriptions, as terms of the index
	related  map[uint32][]uint32 // the terms that a word calls for beside itself, by its key
	states   sync.Pool
}

// An entry is a document as the index knows it. The words of its name begin at
// name, those of its description at description.
type entry struct {
	segment, first            uint32 // its segment, and that segment's first document
	name, description, end    uint32
	nameMass, descriptionMass float32 // the information of the words
}

// NewIndex joins segments. It costs far less than analysing their documents. Of
// all documents the first 4,194,304 can be found.
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

// join brings the terms and postings of all segments together.
func (x *Index) join() {
	terms, postings := 0, 0
	for _, s := range x.segments {
		terms, postings = terms+len(s.terms), postings+len(s.postings)
	}
	x.table = newTermTable(1 << 10)
	own := make([]uint32, 0, terms) // the index's term for each term of each segment
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

// append takes over the documents and postings of a segment. The index's terms
// of the segment are own; next is where the next posting of each term goes.
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

// A termTable numbers the keys of terms in the order they come.
type termTable struct {
	slots []slot // a power of two of them, at most half in use
	shift int
	used  uint32
}

type slot struct{ key, after uint32 } // after is the key's number and 1, or 0

func newTermTable(size int) termTable {
	shift := 32
	for 1<<(32-shift) < size {
		shift--
	}
	return termTable{slots: make([]slot, 1<<(32-shift)), shift: shift}
}

func (t *termTable) place(key uint32) *slot {
	for at := int(key >> t.shift); ; at++ {
		if s := &t.slots[at&(len(t.slots)-1)]; s.after == 0 || s.key == key {
			return s
		}
	}
}

func (t *termTable) find(key uint32) (term uint32, ok bool) {
	s := t.place(key)
	return s.after - 1, s.after > 0
}

func (t *termTable) add(key uint32) uint32 {
	s := t.place(key)
	if s.after > 0 {
		return s.after - 1
	}
	if 2*int(t.used+1) > len(t.slots) {
		t.grow()
		s = t.place(key)
	}
	t.used++
	*s = slot{key, t.used}
	return t.used - 1
}

func (t *termTable) grow() {
	wider := newTermTable(2 * len(t.slots))
	for _, s := range t.slots {
		if s.after > 0 {
			*wider.place(s.key) = s
		}
	}
	t.slots, t.shift = wider.slots, wider.shift
}
