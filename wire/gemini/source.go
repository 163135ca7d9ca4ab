package gemini

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"unicode"

	"github.com/seed49eaa51d/pegboard/wire/internal/sse"
)

// maxReply is how much of a reply is read, in bytes: of a stream, the data of its
// events. One event is limited to [sse.MaxSize].
const maxReply = 32 << 20

// maxParts is how many parts a reply may have, and how many values the arguments of a
// call that comes in pieces: a small one takes a hundred times its size in memory.
const maxParts = 1 << 18

// errEnd means that the body holds no more of the message, and was not cut.
var errEnd = errors.New("end of the reply")

// source reads the responses of a reply one by one. Each of the three forms in which
// they come is a sequence of them.
type source struct {
	body   *bufio.Reader
	stream *sse.Reader       // of events
	values *json.Decoder     // of JSON text
	rest   *io.LimitedReader // what values may read
	array  bool              // values are the elements of an array
	size   int
	alone  bool // the one value of a whole reply has been read
}

// next returns the next response. Torn means that the body ended within it, perhaps.
func (s *source) next() (raw []byte, torn bool, err error) {
	if s.stream == nil && s.values == nil {
		if err := s.open(); err != nil {
			return nil, false, err
		}
	}
	if s.values != nil {
		raw, err = s.value()
		return raw, false, err
	}
	e, err := s.stream.Next()
	if err != nil {
		return nil, false, err
	}
	if s.size += len(e.Data); s.size > maxReply {
		return nil, false, tooLarge()
	}
	return e.Data, e.Unended, nil
}

// open looks at the first character, which tells the form: no line of a stream begins
// with a bracket.
func (s *source) open() error {
	for {
		c, _, err := s.body.ReadRune()
		if err != nil {
			return err
		}
		if c == '\ufeff' || unicode.IsSpace(c) {
			continue
		}
		if err := s.body.UnreadRune(); err != nil {
			return err
		}
		if c != '{' && c != '[' {
			s.stream = sse.NewReader(s.body)
			return nil
		}
		s.rest = &io.LimitedReader{R: s.body, N: maxReply}
		s.values = json.NewDecoder(s.rest)
		s.array = c == '['
		if s.array {
			_, err = s.values.Token()
		}
		return err
	}
}

// value returns the next element, or the only value.
func (s *source) value() (raw json.RawMessage, err error) {
	if s.alone || s.array && !s.values.More() {
		if !s.array {
			return nil, errEnd
		}
		if _, err = s.values.Token(); err == nil {
			return nil, errEnd
		}
	} else {
		err = s.values.Decode(&raw)
		s.alone = !s.array
	}
	var syntax *json.SyntaxError
	switch {
	case err == nil:
		return raw, nil
	case errors.As(err, &syntax):
		return nil, malformed("it is not valid JSON: %w", err)
	case s.rest.N <= 0:
		return nil, tooLarge()
	}
	return nil, err
}

func tooLarge() error { return malformed("it is larger than %d bytes", maxReply) }
