package notebook

import (
	"strings"
	"unicode/utf8"
)

// A sourceWriter writes sources the way the file has them.
type sourceWriter struct {
	layout   layout // of a list of lines
	asString bool   // one string instead of a list
	spelling spelling
	kept     map[string]string // lines that keep the bytes they had; "" for one that had several
	hadHalf  bool              // what is replaced has half a character, which no text can hold
}

// sourceWriter returns one for the source at old, an empty span for a cell that
// has no example, in a cell with the layout around.
func (n *Notebook) sourceWriter(old span, around layout) *sourceWriter {
	w := &sourceWriter{
		layout:   n.sourceLayout(old, around),
		asString: n.opens(old, '"'),
		kept:     map[string]string{},
	}
	for _, c := range n.cells {
		n.learn(&w.spelling, c.source)
	}
	for _, literal := range n.learn(&w.spelling, old) {
		line, spelled := decode(literal), string(literal)
		if hasHalf(literal) {
			w.hadHalf = true
			if before, seen := w.kept[line]; seen && before != spelled {
				spelled = ""
			}
		}
		w.kept[line] = spelled
	}
	w.spelling.learnASCII(n.data[n.at.start:n.at.end])
	return w
}

// learn takes a source as an example of spelling, and returns its strings as
// they stand in the file.
func (n *Notebook) learn(s *spelling, source span) [][]byte {
	parts := elements(n.data, source)
	if n.opens(source, '"') {
		parts = []span{source}
	}
	literals := make([][]byte, len(parts))
	for i, part := range parts {
		literals[i] = n.data[part.start:part.end]
		s.learn(literals[i])
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
			literal = string(w.spelling.quote(nil, line))
		}
		literals[i] = literal
	}
	switch {
	case w.asString:
		return literals[0], nil
	case len(literals) == 0:
		return "[]", nil
	default:
		return "[" + w.layout.open + strings.Join(literals, w.layout.between) + w.layout.close + "]", nil
	}
}

const halfLost = "its source has half a character (a lone surrogate escape), shown as U+FFFD; " +
	"leave the lines with it as they are or take U+FFFD out of them"
