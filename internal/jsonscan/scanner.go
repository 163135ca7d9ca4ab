// Package jsonscan steps through JSON text that is known to be valid: text that
// json.Valid, strictjson or a schema has accepted. It does not check the grammar. On
// valid text it never reads past the end; on other text it may panic.
package jsonscan

import "bytes"

// A Scanner reads one valid JSON text. An object is read so:
//
//	s.Next()
//	s.Pos++ // the opening bracket
//	for s.More() {
//		key := s.Value()
//		value := s.Value()
//	}
//	s.Pos++ // the closing bracket
type Scanner struct {
	Text []byte
	Pos  int // of the next byte to read
}

// Next steps over space, commas and colons. In valid text the brackets and the order of
// keys and values already say everything that commas and colons say.
func (s *Scanner) Next() {
	for s.Pos < len(s.Text) {
		if c := s.Text[s.Pos]; c > ' ' && c != ',' && c != ':' {
			return
		}
		s.Pos++
	}
}

// More steps to the next key or element of the object or list that Pos is in, and
// reports whether there is one. If not, Pos is at the closing bracket.
func (s *Scanner) More() bool {
	s.Next()
	return s.Text[s.Pos] != '}' && s.Text[s.Pos] != ']'
}

// Value steps to the next value or key and over it, and returns its text, a part of
// s.Text that ends at Pos. It does not recurse.
func (s *Scanner) Value() []byte {
	s.Next()
	start := s.Pos
	switch s.Text[start] {
	case '"':
		s.literal()
	case '{', '[':
		s.nested()
	default:
		s.word()
	}
	return s.Text[start:s.Pos]
}

// nested steps over an object or list.
func (s *Scanner) nested() {
	for depth := 0; ; {
		switch s.Text[s.Pos] {
		case '"':
			s.literal()
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		s.Pos++
		if depth == 0 {
			return
		}
	}
}

// literal steps over a string. It searches for a quote and counts the backslashes
// before it, which is faster on long strings than to look at each byte.
func (s *Scanner) literal() {
	start := s.Pos + 1
	for s.Pos = start; ; s.Pos++ {
		s.Pos += bytes.IndexByte(s.Text[s.Pos:], '"')
		backslashes := 0
		for s.Pos-backslashes > start && s.Text[s.Pos-backslashes-1] == '\\' {
			backslashes++
		}
		if backslashes%2 == 0 {
			s.Pos++
			return
		}
	}
}

// word steps over a number, true, false or null.
func (s *Scanner) word() {
	for s.Pos < len(s.Text) {
		if c := s.Text[s.Pos]; c <= ' ' || c == ',' || c == '}' || c == ']' {
			return
		}
		s.Pos++
	}
}
