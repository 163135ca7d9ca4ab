package notebook

import (
	"github.com/seed49eaa51d/pegboard/internal/jsonedit"
	"github.com/seed49eaa51d/pegboard/internal/jsonscan"
)

// newSourceWriter returns a sourceWriter that replaces the source at old in a cell with
// the layout around. old is empty for a new cell without an example.
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

// learnSpelling adds a source to the examples of the spelling s, and returns the JSON
// strings of the source.
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
