package results

import (
	"bytes"
	"context"
	"errors"
	"io"
)

// A resultReader is a stored result that is read forward.
type resultReader struct {
	r     io.Reader
	size  int64 // of all; less than 0 if the store does not tell
	pos   int64 // how much was read
	lines int64 // that ended before at; less than 0 if nobody counted
	atEnd bool
}

const (
	chunkSize = 64 << 10
	// maxCounted is how many bytes are read to number the lines behind them, at most, where
	// they could be passed over.
	maxCounted = 64 << 20
)

// newResultReader returns the tape of r, with what is before offset behind it. It returns a tape
// also beside an error.
func newResultReader(ctx context.Context, r io.Reader, offset int64) (*resultReader, error) {
	t := &resultReader{r: r, size: -1}
	if s, ok := r.(io.Seeker); ok {
		if size, err := s.Seek(0, io.SeekEnd); err == nil {
			t.size = size
			if offset >= size {
				t.pos, t.atEnd = size, true
				return t, nil
			}
			var from int64
			if offset > maxCounted {
				from, t.lines = offset, -1
			}
			if t.pos, err = s.Seek(from, io.SeekStart); err != nil {
				return t, err
			}
		}
	}
	buf := make([]byte, chunkSize)
	for t.pos < offset && !t.atEnd {
		if ctx.Err() != nil {
			return t, context.Cause(ctx)
		}
		b, err := t.next(buf[:min(chunkSize, offset-t.pos)])
		if err != nil {
			return t, err
		}
		t.lines += int64(bytes.Count(b, []byte{'\n'}))
	}
	return t, nil
}

// next fills buf and returns how much of it there is: less than all at the end only.
func (t *resultReader) next(buf []byte) ([]byte, error) {
	n, err := io.ReadFull(t.r, buf)
	t.pos += int64(n)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		t.atEnd, err = true, nil
	}
	return buf[:n], err
}
