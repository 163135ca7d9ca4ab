package notebook

import "bytes"

// A span is a stretch of a notebook's bytes, without its end.
type span struct{ start, end int }

// A member is one key of an object with its value.
type member struct {
	key   string
	start int  // of the key's quote
	colon span // from the key's end to the value
	value span
}

// A scanner finds where values lie in a text that json.Valid accepted. So it
// never checks the grammar and never runs past the end. It does not recurse.
type scanner struct {
	data []byte
	pos  int
}

func (s *scanner) space() {
	for s.pos < len(s.data) && isSpace(s.data[s.pos]) {
		s.pos++
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// value steps over the next value and says where it lies.
func (s *scanner) value() span {
	s.space()
	start := s.pos
	for depth := 0; ; {
		switch s.data[s.pos] {
		case '"':
			s.text()
		case '{', '[':
			depth++
			s.pos++
		case '}', ']':
			depth--
			s.pos++
		case ',', ':', ' ', '\t', '\n', '\r':
			s.pos++
		default:
			s.word()
		}
		if depth == 0 {
			return span{start, s.pos}
		}
	}
}

// text steps over a string. It seeks the closing quote and looks back for what
// escapes it, since most of a notebook is long strings.
func (s *scanner) text() {
	start := s.pos + 1
	for s.pos = start; ; s.pos++ {
		s.pos += bytes.IndexByte(s.data[s.pos:], '"')
		escapes := 0
		for s.pos-escapes > start && s.data[s.pos-escapes-1] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			s.pos++
			return
		}
	}
}

// word steps over a number, true, false or null.
func (s *scanner) word() {
	for s.pos < len(s.data) {
		switch c := s.data[s.pos]; {
		case isSpace(c), c == ',', c == '}', c == ']':
			return
		}
		s.pos++
	}
}

// more steps to the next element, or over the bracket that ends them.
func (s *scanner) more(end byte) bool {
	s.space()
	switch s.data[s.pos] {
	case end:
		s.pos++
		return false
	case ',':
		s.pos++
		s.space()
	}
	return true
}

// members returns those of the object at v, and nil if it is no object.
func members(data []byte, v span) []member {
	if v.start == v.end || data[v.start] != '{' {
		return nil
	}
	s := scanner{data: data, pos: v.start + 1}
	var all []member
	for s.more('}') {
		key := s.value()
		s.space()
		s.pos++ // the colon
		value := s.value()
		all = append(all, member{
			key:   decode(data[key.start:key.end]),
			start: key.start,
			colon: span{key.end, value.start},
			value: value,
		})
	}
	return all
}

// elements returns those of the list at v, and nil if it is no list.
func elements(data []byte, v span) []span {
	if v.start == v.end || data[v.start] != '[' {
		return nil
	}
	s := scanner{data: data, pos: v.start + 1}
	var all []span
	for s.more(']') {
		all = append(all, s.value())
	}
	return all
}

// find returns the value of a key, the last if the object has it twice, as
// other readers do. The span is empty if there is none.
func find(all []member, key string) span {
	if i := indexOf(all, key); i >= 0 {
		return all[i].value
	}
	return span{}
}

// indexOf returns the place of the last member with that key, or -1.
func indexOf(all []member, key string) int {
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].key == key {
			return i
		}
	}
	return -1
}
