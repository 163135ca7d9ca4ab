package grep

import (
	"bytes"
	"context"
	"errors"
	"io"

	"golang.org/x/text/encoding/unicode"
)

// readStart reads the beginning of a file. It returns a reader of the rest and how
// much was read; a byte order mark is left out, and UTF-16 becomes UTF-8.
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

// decode looks for a byte order mark at the beginning of a file, of which head
// was read. One of UTF-8 is mark bytes long and to be left out. If there is one
// of UTF-16, the reader returned has the whole file as UTF-8.
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

// read reads behind the have bytes that are there, for which it makes room.
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
