package edit

import (
	"strings"
)

// plainCursor is a place in the plain text that moves along with the view.
type plainCursor struct {
	lineEnds lineEnds
	offset   int
}

// advance passes a piece of the view and returns where it starts and ends in plain.
func (p *plainCursor) advance(plain, view string) [2]int {
	start := p.offset
	for len(view) > 0 {
		at := strings.IndexByte(view, '\n')
		if at < 0 {
			p.offset += len(view)
			break
		}
		p.offset += at
		if plain[p.offset] == '\r' && !p.lineEnds.loneCR {
			p.offset++
		}
		p.offset++
		view = view[at+1:]
	}
	return [2]int{start, p.offset}
}
