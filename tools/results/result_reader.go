package results

import (
	"bytes"
	"context"
	"errors"
	"io"
)

// A resultReader reads a stored result forward.
type resultReader struct {
	src   io.Reader
	size  int64 // of the result; negative if the store does not report it
	pos   int64 // number of bytes that were read
	lines int64 // lines that ended before pos; negative if they were not counted
	atEnd bool
}

const (
	chunkSize = 64 << 10
	// maxCounted is the largest offset up to which the reader counts lines in a
	// source that can seek. Before a larger offset it seeks and does not count.
	maxCounted = 64 << 20
)

// newResultReader returns a reader of r at the given offset. It returns a reader even
// if it returns an error.
func newResultReader(ctx context.Context, src io.Reader, offset int64) (*resultReader, error) {
	r := &resultReader{src: src, size: -1}
	if s, ok := src.(io.Seeker); ok {
		if size, err := s.Seek(0, io.SeekEnd); err == nil {
			r.size = size
			if offset >= size {
				r.pos, r.atEnd = size, true
				return r, nil
			}
			var from int64
			if offset > maxCounted {
				from, r.lines = offset, -1
			}
			if r.pos, err = s.Seek(from, io.SeekStart); err != nil {
				return r, err
			}
		}
	}
	buf := make([]byte, chunkSize)
	for r.pos < offset && !r.atEnd {
		if ctx.Err() != nil {
			return r, context.Cause(ctx)
		}
		b, err := r.next(buf[:min(chunkSize, offset-r.pos)])
		if err != nil {
			return r, err
		}
		r.lines += int64(bytes.Count(b, []byte{'\n'}))
	}
	return r, nil
}

// next fills buf. It returns fewer bytes only at the end of the result.
func (r *resultReader) next(buf []byte) ([]byte, error) {
	n, err := io.ReadFull(r.src, buf)
	r.pos += int64(n)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		r.atEnd, err = true, nil
	}
	return buf[:n], err
}
