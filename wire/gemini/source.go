package gemini

import (
	"bufio"
	"encoding/json"
	"errors"
	"strings"
	"unicode"

	"github.com/seed49eaa51d/pegboard/wire/internal/reply"
	"github.com/seed49eaa51d/pegboard/wire/internal/sse"
)

// maxParts is how many parts a reply may have, and how many values the arguments of a call
// that arrives in pieces: a small one takes a hundred times its size in memory.
const maxParts = 1 << 18

// errEnd means that the body holds no more of the message, and was not cut.
var errEnd = errors.New("end of the reply")

// A source reads the responses of a reply one by one. Each of the three forms of a body
// is a sequence of responses.
type source struct {
	body   *bufio.Reader
	form   byte        // '{' of a whole reply, '[' of an array; 0 until it is known, and of a stream
	stream *sse.Reader // of events
	size   int
	any    bool // a value was read
}

// next returns the next response. Torn means that the body may have ended within it.
func (s *source) next() (raw []byte, torn bool, err error) {
	if s.stream == nil && s.form == 0 {
		if err := s.open(); err != nil {
			return nil, false, err
		}
	}
	switch s.form {
	case '{':
		raw, err = s.only()
		return raw, false, err
	case '[':
		raw, err = s.element()
		return raw, false, err
	}
	e, err := s.stream.Next()
	if err != nil {
		return nil, false, err
	}
	if s.size += len(e.Data); s.size > reply.MaxSize {
		return nil, false, reply.TooLarge()
	}
	return e.Data, e.Unended, nil
}

// open looks at the first character, which tells the form: no line of a stream begins
// with a bracket.
func (s *source) open() error {
	for {
		c, _, err := s.body.ReadRune()
		switch {
		case err != nil:
			return err
		case c == '\ufeff' || unicode.IsSpace(c):
			continue
		case c == '[':
			s.form = '['
			return nil
		case c == '{':
			s.form = '{'
		default:
			s.stream = sse.NewReader(s.body)
		}
		return s.body.UnreadRune()
	}
}

// only returns the one value of a whole reply.
func (s *source) only() ([]byte, error) {
	if s.any {
		return nil, errEnd
	}
	c, err := s.significant()
	if err != nil {
		return nil, err
	}
	return s.value(c)
}

// element returns the next element of an array.
func (s *source) element() ([]byte, error) {
	c, err := s.significant()
	if err != nil {
		return nil, err
	}
	if c == ']' {
		return nil, errEnd
	}
	if s.any {
		if c != ',' {
			return nil, reply.Malformed("it is not valid JSON: %q stands between two elements", c)
		}
		if c, err = s.significant(); err != nil {
			return nil, err
		}
	}
	return s.value(c)
}

// value returns the value that begins with c. Only a value that can be a response
// is read to its end: an object, or a list, which is refused later.
func (s *source) value(c byte) ([]byte, error) {
	s.any = true
	if c != '{' && c != '[' {
		return nil, reply.Malformed("it is not valid JSON: %q stands where a response begins", c)
	}
	raw, depth, quoted, escaped := []byte{c}, 1, false, false
	for depth > 0 {
		c, err := s.readByte()
		if err != nil {
			return nil, err
		}
		raw = append(raw, c)
		switch {
		case escaped:
			escaped = false
		case quoted:
			escaped, quoted = c == '\\', c != '"'
		case c == '"':
			quoted = true
		case c == '{', c == '[':
			depth++
		case c == '}', c == ']':
			depth--
		}
	}
	if !json.Valid(raw) {
		return nil, reply.Malformed("it is not valid JSON")
	}
	return raw, nil
}

// significant returns the next byte that is no space.
func (s *source) significant() (byte, error) {
	for {
		if c, err := s.readByte(); err != nil || !strings.ContainsRune(" \t\r\n", rune(c)) {
			return c, err
		}
	}
}

func (s *source) readByte() (byte, error) {
	if s.size++; s.size > reply.MaxSize {
		return 0, reply.TooLarge()
	}
	return s.body.ReadByte()
}
