package edit

import (
	"strings"
)

// position is a place in the plain text that moves along with the view.
type position struct {
	lines lineEnds
	plain int
}

// advance passes a piece of the view and returns where it starts and ends in plain.
func (p *position) advance(plain, view string) [2]int {
	start := p.plain
	for len(view) > 0 {
		at := strings.IndexByte(view, '\n')
		if at < 0 {
			p.plain += len(view)
			break
		}
		p.plain += at
		if plain[p.plain] == '\r' && !p.lines.lone {
			p.plain++
		}
		p.plain++
		view = view[at+1:]
	}
	return [2]int{start, p.plain}
}
