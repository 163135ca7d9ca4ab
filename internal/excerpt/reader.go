package excerpt

import (
	"bytes"
	"errors"
	"io"
)

// A Reader hands on what it reads and remembers enough of it for an excerpt.
type Reader struct {
	from  io.Reader
	kept  Capture
	lines int64 // that ended
	err   error
}

// NewReader returns a Reader of r.
func NewReader(r io.Reader) *Reader { return &Reader{from: r} }

// Read implements [io.Reader].
func (r *Reader) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	_, _ = r.kept.Write(p[:n]) // which takes all
	r.lines += int64(bytes.Count(p[:n], []byte{'\n'}))
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return n, err
}

// Err returns the error with which reading ended, but for [io.EOF].
func (r *Reader) Err() error { return r.err }

// Source reads what is left, and describes all that was read.
func (r *Reader) Source() Source {
	_, _ = io.Copy(io.Discard, r) // the error is in Err
	o := r.kept.Output()
	return Source{Output: o, Lines: o.Lines(r.lines)}
}
