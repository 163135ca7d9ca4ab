package spool

import "bytes"

// A stream is what is remembered of the bytes that went by.
type stream struct {
	total int64
	ends  int64 // of lines
	last  byte
	head  []byte
	tail  []byte // a ring once it is full
	next  int    // where the ring begins
	keep  int
}

func (s *stream) add(b []byte) {
	if len(b) == 0 {
		return
	}
	s.total += int64(len(b))
	s.ends += int64(bytes.Count(b, []byte{'\n'}))
	s.last = b[len(b)-1]
	s.head = append(s.head, b[:min(len(b), s.keep-len(s.head))]...)
	b = b[max(0, len(b)-s.keep):]
	n := min(len(b), s.keep-len(s.tail))
	s.tail = append(s.tail, b[:n]...)
	for b = b[n:]; len(b) > 0; b = b[n:] {
		n = copy(s.tail[s.next:], b)
		s.next = (s.next + n) % s.keep
	}
}

// entry returns what is known without the file.
func (s *stream) entry() Entry {
	e := Entry{Total: s.total, Lines: s.ends, Head: s.head}
	if s.total > 0 && s.last != '\n' {
		e.Lines++
	}
	e.Tail = append(append(make([]byte, 0, len(s.tail)), s.tail[s.next:]...), s.tail[:s.next]...)
	return e
}
