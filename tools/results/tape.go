package results

import (
	"bytes"
	"context"
	"errors"
	"io"
)

// A tape is a stored result that is read forward.
type tape struct {
	r     io.Reader
	size  int64 // of all; less than 0 if the store does not tell
	at    int64 // how much was read
	lines int64 // that ended before at; less than 0 if nobody counted
	ended bool
}

const (
	chunk = 64 << 10
	// counted is how many bytes are read to number the lines behind them, at most, where
	// they could be passed over.
	counted = 64 << 20
)

// begin returns the tape of r, with what is before offset behind it. It returns a tape
// also beside an error.
func begin(ctx context.Context, r io.Reader, offset int64) (*tape, error) {
	t := &tape{r: r, size: -1}
	if s, ok := r.(io.Seeker); ok {
		if size, err := s.Seek(0, io.SeekEnd); err == nil {
			t.size = size
			if offset >= size {
				t.at, t.ended = size, true
				return t, nil
			}
			var from int64
			if offset > counted {
				from, t.lines = offset, -1
			}
			if t.at, err = s.Seek(from, io.SeekStart); err != nil {
				return t, err
			}
		}
	}
	buf := make([]byte, chunk)
	for t.at < offset && !t.ended {
		if ctx.Err() != nil {
			return t, context.Cause(ctx)
		}
		b, err := t.next(buf[:min(chunk, offset-t.at)])
		if err != nil {
			return t, err
		}
		t.lines += int64(bytes.Count(b, []byte{'\n'}))
	}
	return t, nil
}

// next fills buf and returns how much of it there is: less than all at the end only.
func (t *tape) next(buf []byte) ([]byte, error) {
	n, err := io.ReadFull(t.r, buf)
	t.at += int64(n)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		t.ended, err = true, nil
	}
	return buf[:n], err
}
