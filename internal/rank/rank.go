// Package rank finds tools by words. It is a BM25 search over the fields of each tool's
// definition, with refinements for the best matches. It knows documents, not tools.
//
// A segment holds the analysed documents of one source, and an index joins segments: when
// one source changes, only its segment is made again. The same documents and query give
// the same order in every process, whatever the order of the segments.
package rank
