package excerpt

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
)

// A Reader passes on the bytes of another reader and keeps enough of them for an excerpt.
// One goroutine may read while another stops the Reader and calls Source.
type Reader struct {
	from io.Reader

	mu      sync.Mutex
	stopped bool
	kept    Capture
	lines   int64 // number of line ends
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
	_, _ = r.kept.Write(p[:n]) // never fails
	r.lines += int64(bytes.Count(p[:n], []byte{'\n'}))
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return n, err
}

// Err returns the error that ended the reading, or nil if that was [io.EOF].
func (r *Reader) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// Stop makes all later calls of Read fail.
func (r *Reader) Stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopped = true
}

// Source reads the rest, unless the Reader was stopped, and describes everything read.
func (r *Reader) Source() Source {
	r.mu.Lock()
	stopped := r.stopped
	r.mu.Unlock()
	if !stopped {
		_, _ = io.Copy(io.Discard, r) // Err returns the error
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	o := r.kept.Output()
	return Source{Output: o, Lines: o.Lines(r.lines)}
}

// Until returns a reader of r that fails once ctx has ended. It does not interrupt a Read
// that blocks.
func Until(ctx context.Context, r io.Reader) io.Reader { return until{ctx, r} }

type until struct {
	ctx  context.Context //nolint:containedctx // it bounds the reader
	from io.Reader
}

func (u until) Read(p []byte) (int, error) {
	if err := context.Cause(u.ctx); err != nil {
		return 0, err
	}
	return u.from.Read(p)
}
