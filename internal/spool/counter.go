package spool

import "bytes"

// A streamCounter counts the bytes and lines of a stream.
type streamCounter struct {
	total int64
	ends  int64 // line ends
	last  byte
}

func (s *streamCounter) add(b []byte) {
	if len(b) == 0 {
		return
	}
	s.total += int64(len(b))
	s.ends += int64(bytes.Count(b, []byte{'\n'}))
	s.last = b[len(b)-1]
}

// entry returns an Entry without the fields about the file.
func (s *streamCounter) entry() Entry {
	e := Entry{Total: s.total, Lines: s.ends}
	if s.total > 0 && s.last != '\n' {
		e.Lines++
	}
	return e
}
