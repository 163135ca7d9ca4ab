// Package rank finds tools by words: a field-weighted BM25 over what is known of
// each tool, refined for the best of them. It knows no tools, only documents.
//
// Analysed documents are kept in segments, one for each source, and an index
// joins segments: when one source changes, only its segment is made anew. The
// same documents and the same query give the same order in every process and
// whatever the order of the segments.
package rank

// A Document is what can be found.
type Document struct {
	Name        string // snake_case, camelCase and dotted names are taken apart
	Hint        string // read as part of the description
	Description string
	Parameters  []Parameter // of the input schema, at any depth
}

// A Parameter is one property of an input schema. Its description may go on with
// the values that the schema allows.
type Parameter struct{ Name, Description string }

// A Hit is a found document: the position of its segment within the index, its
// own position within the segment, and its score, which is above 0 and compares
// with the other scores of the same search only.
type Hit struct {
	Segment, Document int
	Score             float64
}
