// Package outbox writes messages to a writer that may block, without blocking those who
// send them.
package outbox

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// ErrFull is returned for a message that does not fit beside those that wait.
var ErrFull = errors.New("too many bytes wait to be written")

// An Outbox queues messages and writes them in order, each with one call of Write. All
// methods may be called concurrently.
type Outbox struct {
	w     io.WriteCloser
	limit int
	wake  chan struct{}
	done  chan struct{} // closed when nothing more is written

	mu      sync.Mutex
	waiting [][]byte
	size    int   // bytes that are not written
	err     error // why no message is accepted any more
	ending  bool  // the messages that wait are the last
}

// New returns an Outbox that closes w in the end. While more than limit bytes wait, no
// message is accepted.
func New(w io.WriteCloser, limit int) *Outbox {
	o := &Outbox{w: w, limit: limit, wake: make(chan struct{}, 1), done: make(chan struct{})}
	goroutine.Go(o.write)
	return o
}

// Send queues a message, which must not be changed afterwards. The error is [ErrFull], the
// reason of Close, or why the last message could not be written.
func (o *Outbox) Send(message []byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.err != nil:
		return o.err
	case o.ending:
		return io.ErrClosedPipe
	case o.size > o.limit:
		return ErrFull
	}
	o.size += len(message)
	o.waiting = append(o.waiting, message)
	o.ready()
	return nil
}

// Close drops the messages that wait and does not wait itself. It returns why nothing is
// accepted any more: the reason of the first call, or the error of the writer.
func (o *Outbox) Close(reason error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil {
		o.err, o.waiting = reason, nil
		o.ready()
	}
	return o.err
}

// Finish accepts no further message, and returns when those that wait are written, or when
// ctx ends, after which they are dropped. After Close it returns at once.
func (o *Outbox) Finish(ctx context.Context) {
	o.mu.Lock()
	o.ending = true
	closed := o.err != nil
	o.ready()
	o.mu.Unlock()
	if closed {
		return
	}
	select {
	case <-o.done:
	case <-ctx.Done():
		_ = o.Close(context.Cause(ctx))
	}
}

// Done is closed when nothing more is written: after Close, Finish, or an error of the writer.
func (o *Outbox) Done() <-chan struct{} { return o.done }

// Err returns why no message is accepted, or nil.
func (o *Outbox) Err() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// ready wakes the writer.
func (o *Outbox) ready() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// write writes the queued messages, until the end.
func (o *Outbox) write() {
	defer close(o.done)
	defer func() { _ = o.w.Close() }()
	for range o.wake {
		for {
			queued, more := o.take()
			if !more {
				return
			}
			if len(queued) == 0 {
				break
			}
			for _, message := range queued {
				if _, err := o.w.Write(message); err != nil {
					_ = o.Close(err)
					return
				}
				o.written(len(message))
			}
		}
	}
}

// take returns the messages that wait. It reports false if nothing more is to be written.
func (o *Outbox) take() (queued [][]byte, more bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	queued, o.waiting = o.waiting, nil
	return queued, o.err == nil && (len(queued) > 0 || !o.ending)
}

// written counts bytes that no longer wait.
func (o *Outbox) written(n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.size -= n
}
