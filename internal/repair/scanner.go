package repair

// A scanner reads a text that strictjson accepted, so it never checks the
// grammar and never runs past the end.
type scanner struct {
	data []byte
	pos  int
}

// space steps over blanks and commas and colons, which say nothing in a text
// known to be valid.
func (s *scanner) space() {
	for s.pos < len(s.data) {
		switch s.data[s.pos] {
		case ' ', '\t', '\r', '\n', ',', ':':
			s.pos++
		default:
			return
		}
	}
}

// more steps to the next key or element, or to the bracket that ends them, and
// reports which.
func (s *scanner) more() bool {
	s.space()
	return s.data[s.pos] != '}' && s.data[s.pos] != ']'
}

// skip steps over the value at pos and returns it.
func (s *scanner) skip() []byte {
	start := s.pos
	switch s.data[s.pos] {
	case '"':
		s.skipString()
	case '{', '[':
		s.skipNested()
	default:
		for s.pos < len(s.data) && !isDelimiter(s.data[s.pos]) {
			s.pos++
		}
	}
	return s.data[start:s.pos]
}

func (s *scanner) skipString() {
	for s.pos++; s.data[s.pos] != '"'; s.pos++ {
		if s.data[s.pos] == '\\' {
			s.pos++
		}
	}
	s.pos++
}

func (s *scanner) skipNested() {
	for depth := 0; ; {
		switch s.data[s.pos] {
		case '"':
			s.skipString()
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		s.pos++
		if depth == 0 {
			return
		}
	}
}

func isDelimiter(c byte) bool {
	return c <= ' ' || c == ',' || c == ']' || c == '}'
}
