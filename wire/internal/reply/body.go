package reply

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"unicode"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/internal/sse"
)

// MaxSize is the largest body that is read, in bytes: of a stream, the data of its
// events. One event is limited to [sse.MaxSize].
const MaxSize = 32 << 20

// A Piece is one event of a stream, or all of a body that came whole.
type Piece struct {
	Whole bool   // Data is one JSON object, and the whole body
	Type  string // of an event; may be empty
	Data  []byte // valid until the next piece is read
	// Unended means that the body ended within the event, so that its data may have
	// been cut anywhere.
	Unended bool
}

// Text returns p.Data with each byte that is not part of UTF-8 replaced: no request
// may hold such bytes.
func (p Piece) Text() []byte {
	if utf8.Valid(p.Data) {
		return p.Data
	}
	return bytes.ToValidUTF8(p.Data, []byte(string(utf8.RuneError)))
}

// A Body reads the body of a response piece by piece, and no further than a piece
// reaches. The body is a stream of events or one JSON object; its bytes tell which.
type Body struct {
	src    *bufio.Reader
	stream *sse.Reader // nil until the form is known
	size   int
	err    error // why the body is over
}

// NewBody returns a Body that reads src.
func NewBody(src io.Reader) *Body { return &Body{src: bufio.NewReader(src)} }

// Next returns the next piece. At the end of the body the error is [io.EOF]. Any other
// error wraps [wire.ErrTruncated], and the error of the source, or
// [wire.ErrMalformed]. Later calls return the same error.
func (b *Body) Next() (Piece, error) {
	if b.err != nil {
		return Piece{}, b.err
	}
	p, err := b.next()
	switch {
	case err == nil, errors.Is(err, io.EOF):
		b.err = err
	default:
		b.err = Failure(err)
	}
	return p, b.err
}

func (b *Body) next() (Piece, error) {
	if b.stream == nil {
		whole, err := b.isWhole()
		if err != nil {
			return Piece{}, err
		}
		if whole {
			return b.whole()
		}
		b.stream = sse.NewReader(b.src)
	}
	e, err := b.stream.Next()
	if err != nil {
		return Piece{}, err
	}
	if b.size += len(e.Data); b.size > MaxSize {
		return Piece{}, TooLarge()
	}
	return Piece{Type: e.Type, Data: e.Data, Unended: e.Unended}, nil
}

// isWhole looks at the first character: no line of a stream begins with a brace.
func (b *Body) isWhole() (bool, error) {
	for {
		c, _, err := b.src.ReadRune()
		if err != nil {
			return false, err
		}
		if c != '\ufeff' && !unicode.IsSpace(c) {
			return c == '{', b.src.UnreadRune()
		}
	}
}

func (b *Body) whole() (Piece, error) {
	limited := &io.LimitedReader{R: b.src, N: MaxSize}
	var raw json.RawMessage
	err := json.NewDecoder(limited).Decode(&raw)
	var syntax *json.SyntaxError
	switch {
	case err == nil:
		return Piece{Whole: true, Data: raw}, nil
	case errors.As(err, &syntax):
		return Piece{}, Malformed("it is not valid JSON: %w", err)
	case limited.N <= 0:
		return Piece{}, TooLarge()
	}
	return Piece{}, err
}

// TooLarge returns the error of a body that is larger than [MaxSize].
func TooLarge() error { return Malformed("it is larger than %d bytes", MaxSize) }

// Failure returns the error of a reply whose body failed with err, which is not
// [io.EOF].
func Failure(err error) error {
	switch {
	case errors.Is(err, wire.ErrMalformed):
		return err
	case errors.Is(err, sse.ErrTooLong):
		return Malformed("%w", err)
	}
	return Truncated("%w", err)
}
