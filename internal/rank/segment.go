package rank

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
