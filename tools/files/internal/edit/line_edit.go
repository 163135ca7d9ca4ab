package edit

import (
	"strings"
)

// A wish is a replacement of whole lines.
type wish struct {
	old, new           []string // lines without ends
	oldEnded, newEnded bool     // the last line has its end
}

// newWish divides a replacement into lines. Blank lines with which both texts
// begin say little and are left out.
func newWish(r Replacement) wish {
	for strings.HasPrefix(r.Old, "\n") && strings.HasPrefix(r.New, "\n") {
		r.Old, r.New = r.Old[1:], r.New[1:]
	}
	var w wish
	w.old, w.oldEnded = bareLines(r.Old)
	w.new, w.newEnded = bareLines(r.New)
	if r.New == "" && !w.oldEnded {
		w.new = []string{""} // the end of the last line stays
	}
	return w
}

// cut makes the cut for lines of the page that match the old lines.
func (w wish) cut(p *page, s stretch) (cut, bool) {
	lines, ok := merge(w.old, p.lines[s.first:s.end], w.new)
	if !ok {
		return cut{}, false
	}
	c := cut{start: p.starts[s.first], end: p.starts[s.end-1] + len(p.lines[s.end-1])}
	c.text = strings.Join(lines, "\n")
	// The last line of a file may have no end, then the old text's end counts as
	// that of the file and the new text goes without.
	missing := c.end == len(p.text)
	if w.oldEnded && !missing {
		c.end++
	}
	if w.newEnded && (!w.oldEnded || !missing) {
		c.text += "\n"
	}
	return c, true
}
