package notebook

import (
	"github.com/seed49eaa51d/pegboard/internal/jsonedit"
	"github.com/seed49eaa51d/pegboard/internal/jsonscan"
)

// newSourceWriter returns one for the source at old, an empty span for a cell that
// has no example, in a cell with the layout around.
func (n *Notebook) newSourceWriter(old jsonedit.Span, around jsonedit.Layout) *sourceWriter {
	w := &sourceWriter{
		layout:      n.sourceLayout(old, around),
		asString:    n.doc.Opens(old, '"'),
		oldLiterals: map[string]string{},
	}
	for _, c := range n.cells {
		n.learnSpelling(&w.spelling, c.source)
	}
	for _, literal := range n.learnSpelling(&w.spelling, old) {
		line, spelled := jsonscan.Unquote(literal), string(literal)
		if jsonscan.IndexLoneSurrogate(literal) >= 0 {
			w.hadLoneSurrogate = true
			if before, seen := w.oldLiterals[line]; seen && before != spelled {
				spelled = ""
			}
		}
		w.oldLiterals[line] = spelled
	}
	w.spelling.LearnASCII(n.doc.Bytes(n.doc.Root()))
	return w
}

// learnSpelling takes a source as an example of spelling, and returns its strings as
// they stand in the file.
func (n *Notebook) learnSpelling(s *jsonedit.Spelling, source jsonedit.Span) [][]byte {
	parts := n.doc.Elements(source)
	if n.doc.Opens(source, '"') {
		parts = []jsonedit.Span{source}
	}
	literals := make([][]byte, len(parts))
	for i, part := range parts {
		literals[i] = n.doc.Bytes(part)
		s.Learn(literals[i])
	}
	return literals
}
