package grep

import (
	"bytes"
)

// A finder finds the literals of a needle, one after the other in one text.
type finder struct {
	streams []stream
}

func newFinder(n *needle) *finder {
	f := &finder{}
	for i := range n.literals {
		l := &n.literals[i]
		at, _ := l.rarest()
		f.streams = append(f.streams, stream{literal: l, at: at, c: l.text[at]})
		if l.other[at] != l.text[at] {
			f.streams = append(f.streams, stream{literal: l, at: at, c: l.other[at]})
		}
	}
	return f
}

// reset begins with another text.
func (f *finder) reset() {
	for i := range f.streams {
		f.streams[i].next = -1
	}
}

// find returns where the first of the literals stands in b at from or behind,
// -1 if none does. Between two resets from only grows and b stays.
func (f *finder) find(b []byte, from int) int {
	first := len(b)
	for i := range f.streams {
		s := &f.streams[i]
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

// A stream finds one literal by one byte of it.
type stream struct {
	literal *literal
	at      int  // where the byte is in the literal
	c       byte // what it is
	next    int  // where the literal was found
}

// find returns len(b) if there is none.
func (s *stream) find(b []byte, from int) int {
	for i := from + s.at; i < len(b); {
		j := bytes.IndexByte(b[i:], s.c)
		if j < 0 {
			break
		}
		i += j + 1
		if p := i - 1 - s.at; s.literal.at(b[p:]) {
			return p
		}
	}
	return len(b)
}
