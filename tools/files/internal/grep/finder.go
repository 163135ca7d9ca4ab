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

// reset begins with another text.
func (f *finder) reset() {
	for i := range f.scanners {
		f.scanners[i].next = -1
	}
}

// find returns where the first of the literals stands in b at from or behind,
// -1 if none does. Between two resets from only grows and b stays.
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

// A literalScanner finds one literal by one byte of it.
type literalScanner struct {
	literal *literal
	offset  int  // where the byte is in the literal
	char    byte // what it is
	next    int  // where the literal was found
}

// find returns len(b) if there is none.
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
