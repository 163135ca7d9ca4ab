package notebook

import (
	"strings"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/internal/jsonedit"
	"github.com/seed49eaa51d/pegboard/internal/jsonscan"
)

// A sourceWriter writes sources the way the file has them.
type sourceWriter struct {
	layout   jsonedit.Layout // of a list of lines
	asString bool            // one string instead of a list
	spelling jsonedit.Spelling
	kept     map[string]string // lines that keep the bytes they had; "" for one that had several
	hadHalf  bool              // what is replaced has half a character, which no text can hold
}

// sourceWriter returns one for the source at old, an empty span for a cell that
// has no example, in a cell with the layout around.
func (n *Notebook) sourceWriter(old jsonedit.Span, around jsonedit.Layout) *sourceWriter {
	w := &sourceWriter{
		layout:   n.sourceLayout(old, around),
		asString: n.doc.Opens(old, '"'),
		kept:     map[string]string{},
	}
	for _, c := range n.cells {
		n.learn(&w.spelling, c.source)
	}
	for _, literal := range n.learn(&w.spelling, old) {
		line, spelled := jsonscan.Unquote(literal), string(literal)
		if jsonscan.IndexLoneSurrogate(literal) >= 0 {
			w.hadHalf = true
			if before, seen := w.kept[line]; seen && before != spelled {
				spelled = ""
			}
		}
		w.kept[line] = spelled
	}
	w.spelling.LearnASCII(n.doc.Bytes(n.doc.Root()))
	return w
}

// learn takes a source as an example of spelling, and returns its strings as
// they stand in the file.
func (n *Notebook) learn(s *jsonedit.Spelling, source jsonedit.Span) [][]byte {
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

// write returns source as a JSON value. Its lines that the old source had too
// are written as they were.
func (w *sourceWriter) write(id, source string) (string, error) {
	lines := splitLines(source)
	if w.asString {
		lines = []string{source}
	}
	literals := make([]string, len(lines))
	for i, line := range lines {
		literal := w.kept[line]
		if literal == "" {
			if w.hadHalf && strings.ContainsRune(line, utf8.RuneError) {
				return "", &EditError{ID: id, Msg: halfLost}
			}
			literal = string(w.spelling.Quote(nil, line))
		}
		literals[i] = literal
	}
	if w.asString {
		return literals[0], nil
	}
	return w.layout.List(literals), nil
}

const halfLost = "its source has half a character (a lone surrogate escape), shown as U+FFFD; " +
	"leave the lines with it as they are or take U+FFFD out of them"
