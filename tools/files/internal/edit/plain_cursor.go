package edit

import "strings"

// A plainCursor finds the offset in the plain text that belongs to an offset in the
// normalized text. The two differ where a line ends with "\r\n".
type plainCursor struct {
	lineEnds lineEnds
	offset   int // in the plain text
}

// advance moves past the next piece of the normalized text. It returns the start and
// the end of that piece in the plain text.
func (p *plainCursor) advance(plain, normalized string) [2]int {
	start := p.offset
	for len(normalized) > 0 {
		at := strings.IndexByte(normalized, '\n')
		if at < 0 {
			p.offset += len(normalized)
			break
		}
		p.offset += at
		if plain[p.offset] == '\r' && !p.lineEnds.loneCR {
			p.offset++
		}
		p.offset++
		normalized = normalized[at+1:]
	}
	return [2]int{start, p.offset}
}
