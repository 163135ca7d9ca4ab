package edit

import "strings"

// A lineEdit is a replacement of whole lines.
type lineEdit struct {
	old, new             []string // without line ends
	oldHasEnd, newHasEnd bool     // the last line has a line end
}

// newLineEdit splits a replacement into lines. Blank lines at the start of both texts
// are left out, since they match almost anywhere.
func newLineEdit(r Replacement) lineEdit {
	for strings.HasPrefix(r.Old, "\n") && strings.HasPrefix(r.New, "\n") {
		r.Old, r.New = r.Old[1:], r.New[1:]
	}
	var e lineEdit
	e.old, e.oldHasEnd = linesWithoutEnds(r.Old)
	e.new, e.newHasEnd = linesWithoutEnds(r.New)
	if r.New == "" && !e.oldHasEnd {
		e.new = []string{""} // the line end of the last line stays
	}
	return e
}

// apply returns the byteEdit for the lines s of the file, which match the old lines. It
// reports false if the change cannot be merged into these lines.
func (e lineEdit) apply(index *lineIndex, s interval) (byteEdit, bool) {
	lines, ok := mergeLines(e.old, index.lines[s.start:s.end], e.new)
	if !ok {
		return byteEdit{}, false
	}
	c := byteEdit{start: index.starts[s.start], end: index.starts[s.end-1] + len(index.lines[s.end-1])}
	c.text = strings.Join(lines, "\n")
	// If the last line of the file has no line end, the line end of the old text counts
	// as matched, and the new text gets none.
	missing := c.end == len(index.text)
	if e.oldHasEnd && !missing {
		c.end++
	}
	if e.newHasEnd && (!e.oldHasEnd || !missing) {
		c.text += "\n"
	}
	return c, true
}
