package spool

import (
	"context"
	"errors"
	"io"
	"path/filepath"
)

// An UnstoredError says that a stream is not kept, and what is known of it all the
// same.
type UnstoredError struct {
	Entry Entry // without Ref, Path and Size
	Err   error // why
}

func (e *UnstoredError) Error() string { return "not stored: " + e.Err.Error() }

// Unwrap returns the reason.
func (e *UnstoredError) Unwrap() error { return e.Err }

const (
	// bufferSize is how much of a stream is in memory.
	bufferSize = 128 << 10
	// minWrite is how much of it is worth a write. To wait for a full buffer halves the
	// speed: what the second read puts behind an odd number of bytes is copied slowly.
	minWrite = 4 << 10
)

// Put keeps the stream r under the id of the call that it came from, in a file whose
// name depends on the id alone and ends with ext. It reads r to its end, whatever
// happens to the file, so that nobody who writes the stream has to wait.
//
// A stream longer than Options.MaxFile is cut after a line, or at least after a
// whole character, and a note follows. So is one for which there is no room even when
// everything older is gone.
//
// The stream of a call does not change. If there is an entry of the same id with the
// same bytes kept, it is returned and counts as new. If it holds other bytes, the new
// ones get a name with a hash of them.
//
// If r cannot be stored (a full disk, say), the error is an *UnstoredError, and the
// Entry tells what is known without a file. It is the same when reading r fails or ctx
// is done, but then reading ends there. A Read that blocks is not interrupted.
func (d *Dir) Put(ctx context.Context, id, ext string, r io.Reader) (Entry, error) {
	d.sweepIfDue(ctx)
	var s streamCounter
	w := pendingEntry{dir: d}
	defer func() { w.discard(ctx) }()
	buf := make([]byte, bufferSize)
	for {
		n, err := fill(ctx, r, buf)
		s.add(buf[:n])
		w.write(ctx, buf[:n])
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return unstored(s.entry(), err)
		}
	}
	e := s.entry()
	w.finish(ctx, s.total)
	if w.err != nil {
		return unstored(e, w.err)
	}
	name, err := w.publish(ctx, entryStem(id), extension(ext), buf)
	if err != nil {
		return unstored(e, err)
	}
	e.Ref, e.Path, e.Size, e.Cut = name, filepath.Join(d.path, name), w.size, w.cut
	return e, nil
}

func unstored(e Entry, err error) (Entry, error) {
	return e, &UnstoredError{Entry: e, Err: err}
}

// maxEmptyReads is how often in a row a reader may return nothing.
const maxEmptyReads = 100

// fill reads until there is enough in buf, which is larger. The error is io.EOF at the
// end of r, with what came before it.
func fill(ctx context.Context, r io.Reader, buf []byte) (n int, err error) {
	for empty := 0; n < min(minWrite, len(buf)) && err == nil; {
		if err := ctx.Err(); err != nil {
			return n, err
		}
		var more int
		more, err = r.Read(buf[n:])
		n += more
		if more > 0 {
			empty = 0
		} else if empty++; empty == maxEmptyReads && err == nil {
			err = io.ErrNoProgress
		}
	}
	return n, err
}
