package excerpt

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
)

// A Reader hands on what it reads and remembers enough of it for an excerpt. One
// goroutine may read while another stops it and asks for the excerpt.
type Reader struct {
	from io.Reader

	mu      sync.Mutex
	stopped bool
	kept    Capture
	lines   int64 // that ended
	err     error
}

// NewReader returns a Reader of r.
func NewReader(r io.Reader) *Reader { return &Reader{from: r} }

// Read implements [io.Reader].
func (r *Reader) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped {
		return 0, io.ErrClosedPipe
	}
	_, _ = r.kept.Write(p[:n]) // which takes all
	r.lines += int64(bytes.Count(p[:n], []byte{'\n'}))
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return n, err
}

// Err returns the error with which reading ended, but for [io.EOF].
func (r *Reader) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// Stop ends reading, for who reads as well.
func (r *Reader) Stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopped = true
}

// Source reads what is left, unless reading was stopped, and describes all that was
// read.
func (r *Reader) Source() Source {
	r.mu.Lock()
	stopped := r.stopped
	r.mu.Unlock()
	if !stopped {
		_, _ = io.Copy(io.Discard, r) // the error is in Err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	o := r.kept.Output()
	return Source{Output: o, Lines: o.Lines(r.lines)}
}

// Until returns a reader of r that ends with ctx. A Read that blocks is not interrupted.
func Until(ctx context.Context, r io.Reader) io.Reader { return until{ctx, r} }

type until struct {
	ctx  context.Context //nolint:containedctx // it is what the reader is bound to
	from io.Reader
}

func (u until) Read(p []byte) (int, error) {
	if err := context.Cause(u.ctx); err != nil {
		return 0, err
	}
	return u.from.Read(p)
}
