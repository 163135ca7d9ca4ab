package grep

import (
	"bytes"
	"context"
	"errors"
	"io"

	"golang.org/x/text/encoding/unicode"
)

// readStart reads the start of a file into the buffer. It returns a reader of the rest
// and the number of bytes in the buffer. It drops a byte order mark, and converts
// UTF-16 to UTF-8.
func (s *Searcher) readStart(ctx context.Context, r io.Reader) (rest io.Reader, have int, err error) {
	for have < 3 && err == nil {
		var n int
		n, err = s.read(ctx, r, have)
		have += n
	}
	rest, mark, recoded := decode(r, s.buf[:have])
	if recoded {
		return rest, 0, nil
	}
	return rest, copy(s.buf, s.buf[mark:have]), err
}

// decode looks for a byte order mark in head, the bytes that were read so far. For
// UTF-8, mark is the length of the byte order mark. For UTF-16, recoded is true and
// rest yields the whole file as UTF-8.
func decode(r io.Reader, head []byte) (rest io.Reader, mark int, recoded bool) {
	endian := unicode.LittleEndian
	switch {
	case bytes.HasPrefix(head, []byte("\uFEFF")):
		return r, len("\uFEFF"), false
	case bytes.HasPrefix(head, []byte{0xFE, 0xFF}):
		endian = unicode.BigEndian
	case bytes.HasPrefix(head, []byte{0xFF, 0xFE}):
	default:
		return r, 0, false
	}
	all := io.MultiReader(bytes.NewReader(bytes.Clone(head)), r)
	return unicode.UTF16(endian, unicode.UseBOM).NewDecoder().Reader(all), 0, true
}

// read appends to the first have bytes of the buffer, and enlarges the buffer if it is
// full.
func (s *Searcher) read(ctx context.Context, r io.Reader, have int) (int, error) {
	if have == len(s.buf) {
		if len(s.buf) >= maxWindowSize {
			return 0, ErrTooLong
		}
		buf := make([]byte, 2*len(s.buf))
		copy(buf, s.buf)
		s.buf = buf
	}
	n, err := r.Read(s.buf[have:])
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	return n, err
}

func (s *Searcher) readAll(ctx context.Context, r io.Reader) ([]byte, error) {
	r, have, err := s.readStart(ctx, r)
	for err == nil {
		var n int
		n, err = s.read(ctx, r, have)
		have += n
	}
	if !errors.Is(err, io.EOF) {
		return nil, err
	}
	return s.buf[:have], nil
}
