package edit

import (
	"strings"
)

// A lineEdit is a replacement of whole lines.
type lineEdit struct {
	old, new             []string // lines without ends
	oldHasEnd, newHasEnd bool     // the last line has its end
}

// newLineEdit divides a replacement into lines. Blank lines with which both texts
// begin say little and are left out.
func newLineEdit(r Replacement) lineEdit {
	for strings.HasPrefix(r.Old, "\n") && strings.HasPrefix(r.New, "\n") {
		r.Old, r.New = r.Old[1:], r.New[1:]
	}
	var w lineEdit
	w.old, w.oldHasEnd = linesWithoutEnds(r.Old)
	w.new, w.newHasEnd = linesWithoutEnds(r.New)
	if r.New == "" && !w.oldHasEnd {
		w.new = []string{""} // the end of the last line stays
	}
	return w
}

// apply makes the cut for lines of the page that match the old lines.
func (w lineEdit) apply(p *lineIndex, s interval) (byteEdit, bool) {
	lines, ok := mergeLines(w.old, p.lines[s.start:s.end], w.new)
	if !ok {
		return byteEdit{}, false
	}
	c := byteEdit{start: p.starts[s.start], end: p.starts[s.end-1] + len(p.lines[s.end-1])}
	c.text = strings.Join(lines, "\n")
	// The last line of a file may have no end, then the old text's end counts as
	// that of the file and the new text goes without.
	missing := c.end == len(p.text)
	if w.oldHasEnd && !missing {
		c.end++
	}
	if w.newHasEnd && (!w.oldHasEnd || !missing) {
		c.text += "\n"
	}
	return c, true
}
