// Package body reads the body of a response, which is a stream of events or one
// JSON object. The bytes tell which.
package body

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/wire/internal/sse"
)

// MaxSize is how much of a body is read, in bytes: of a stream, the data of its
// events. One event is limited to [sse.MaxSize].
const MaxSize = 32 << 20

var (
	// ErrTruncated means that the body ended before the reply did.
	ErrTruncated = errors.New("reply is cut off")
	// ErrMalformed means that the body is no reply, or too large.
	ErrMalformed = errors.New("reply is malformed")
)

// Malformed returns an error that wraps [ErrMalformed].
func Malformed(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrMalformed, fmt.Errorf(format, args...))
}

// Truncated returns an error that wraps [ErrTruncated].
func Truncated(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrTruncated, fmt.Errorf(format, args...))
}

// A Piece is one event of a stream, or all of a body that came whole.
type Piece struct {
	Whole bool   // Data is one JSON object, and all there is
	Type  string // of an event; may be empty
	Data  []byte // valid until the next piece is read; UTF-8, whatever the body is
	// Unended means that the body ended within the event, so that its data may have
	// been cut anywhere.
	Unended bool
}

// A Reader reads a body piece by piece, and no further than a piece reaches.
type Reader struct {
	src    *bufio.Reader
	stream *sse.Reader // nil until the form is known
	size   int
	err    error // why the body is over
}

// NewReader returns a Reader of src.
func NewReader(src io.Reader) *Reader { return &Reader{src: bufio.NewReader(src)} }

// Next returns the next piece. The error wraps [ErrTruncated], and the error of
// the source if it is not its end, or [ErrMalformed]. It stays.
func (r *Reader) Next() (Piece, error) {
	if r.err != nil {
		return Piece{}, r.err
	}
	p, err := r.next()
	r.err = err
	return p, err
}

func (r *Reader) next() (Piece, error) {
	if r.stream == nil {
		whole, err := r.isWhole()
		if err != nil {
			return Piece{}, cut(err)
		}
		if whole {
			return r.whole()
		}
		r.stream = sse.NewReader(r.src)
	}
	e, err := r.stream.Next()
	if err != nil {
		return Piece{}, cut(err)
	}
	if r.size += len(e.Data); r.size > MaxSize {
		return Piece{}, tooLarge()
	}
	return Piece{Type: e.Type, Data: text(e.Data), Unended: e.Unended}, nil
}

// isWhole looks at the first character, which no line of a stream begins with.
func (r *Reader) isWhole() (bool, error) {
	for {
		c, _, err := r.src.ReadRune()
		if err != nil {
			return false, err
		}
		if c != '\ufeff' && !unicode.IsSpace(c) {
			return c == '{', r.src.UnreadRune()
		}
	}
}

func (r *Reader) whole() (Piece, error) {
	limited := &io.LimitedReader{R: r.src, N: MaxSize}
	var raw json.RawMessage
	err := json.NewDecoder(limited).Decode(&raw)
	var syntax *json.SyntaxError
	switch {
	case err == nil:
		return Piece{Whole: true, Data: text(raw)}, nil
	case errors.As(err, &syntax):
		return Piece{}, Malformed("it is not valid JSON: %w", err)
	case limited.N <= 0:
		return Piece{}, tooLarge()
	}
	return Piece{}, cut(err)
}

// text returns data with what is no UTF-8 replaced: no request may hold it.
func text(data []byte) []byte {
	if utf8.Valid(data) {
		return data
	}
	return bytes.ToValidUTF8(data, []byte(string(utf8.RuneError)))
}

func tooLarge() error { return Malformed("it is larger than %d bytes", MaxSize) }

// cut words why there is no next piece.
func cut(err error) error {
	switch {
	case errors.Is(err, sse.ErrTooLong):
		return Malformed("%w", err)
	case errors.Is(err, io.EOF):
		return Truncated("the body ended before the reply did")
	}
	return Truncated("%w", err)
}
