package grep

import "bytes"

// A finder finds the literals of a needle, one after the other in one text.
type finder struct {
	scanners []literalScanner
}

func newFinder(n *needle) *finder {
	f := &finder{}
	for i := range n.literals {
		l := &n.literals[i]
		at, _ := l.rarest()
		f.scanners = append(f.scanners, literalScanner{literal: l, offset: at, char: l.text[at]})
		if l.alternate[at] != l.text[at] {
			f.scanners = append(f.scanners, literalScanner{literal: l, offset: at, char: l.alternate[at]})
		}
	}
	return f
}

// reset starts with another text.
func (f *finder) reset() {
	for i := range f.scanners {
		f.scanners[i].next = -1
	}
}

// find returns the offset of the first literal in b that starts at from or later, or
// -1. Between two resets b must be the same and from must not decrease.
func (f *finder) find(b []byte, from int) int {
	first := len(b)
	for i := range f.scanners {
		s := &f.scanners[i]
		if s.next < from {
			s.next = s.find(b, from)
		}
		first = min(first, s.next)
	}
	if first == len(b) {
		return -1
	}
	return first
}

// A literalScanner finds a literal by looking for one of its bytes.
type literalScanner struct {
	literal *literal
	offset  int  // of the byte in the literal
	char    byte // the byte
	next    int  // offset in the text of the occurrence found last
}

// find returns the offset of the first occurrence in b that starts at from or later, or
// len(b).
func (s *literalScanner) find(b []byte, from int) int {
	for i := from + s.offset; i < len(b); {
		j := bytes.IndexByte(b[i:], s.char)
		if j < 0 {
			break
		}
		i += j + 1
		if p := i - 1 - s.offset; s.literal.startsIn(b[p:]) {
			return p
		}
	}
	return len(b)
}
