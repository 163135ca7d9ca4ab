package spool

import (
	"context"
	"errors"
	"io"
	"path/filepath"
)

// An UnstoredError says that a stream was not stored, and describes the stream all the
// same.
type UnstoredError struct {
	Entry Entry // without Ref, Path and Size
	Err   error // the reason
}

func (e *UnstoredError) Error() string { return "not stored: " + e.Err.Error() }

// Unwrap returns the reason.
func (e *UnstoredError) Unwrap() error { return e.Err }

const (
	// bufferSize is how much of a stream is held in memory.
	bufferSize = 128 << 10
	// minWrite is the number of bytes that are worth a write. Waiting for a full buffer
	// halves the speed, since copying to an odd offset of the buffer is slow.
	minWrite = 4 << 10
)

// Put stores the stream r under the id of the call that it came from, in a file whose
// name depends on the id alone and ends with ext. It reads r to its end even if storing
// fails, so that the writer of the stream does not block.
//
// A stream longer than Options.MaxFile is cut after a line, or at least after a whole
// character, and a note follows. The same happens if the quotas have no room although
// everything older was evicted.
//
// The stored stream of a call does not change. If there is an entry with the same id and
// the same content, it is returned and counts as new. If its content differs, the name of
// the new entry contains a hash of the content as well.
//
// If r cannot be stored, for example because the disk is full, the error is an
// *UnstoredError, and the Entry describes the stream without a file. The same holds when
// reading r fails or ctx ends, but then reading stops there. A Read that blocks is not
// interrupted.
func (d *Dir) Put(ctx context.Context, id, ext string, r io.Reader) (Entry, error) {
	d.sweepIfDue(ctx)
	var counter streamCounter
	pending := pendingEntry{dir: d}
	defer func() { pending.discard(ctx) }()
	buf := make([]byte, bufferSize)
	for {
		n, err := fill(ctx, r, buf)
		counter.add(buf[:n])
		pending.write(ctx, buf[:n])
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return unstored(counter.entry(), err)
		}
	}
	e := counter.entry()
	pending.finish(ctx, counter.total)
	if pending.err != nil {
		return unstored(e, pending.err)
	}
	name, err := pending.publish(ctx, entryStem(id), extension(ext), buf)
	if err != nil {
		return unstored(e, err)
	}
	e.Ref, e.Path, e.Size, e.Cut = name, filepath.Join(d.path, name), pending.size, pending.cut
	return e, nil
}

func unstored(e Entry, err error) (Entry, error) {
	return e, &UnstoredError{Entry: e, Err: err}
}

// maxEmptyReads is how often in a row a reader may return no bytes.
const maxEmptyReads = 100

// fill reads until buf has minWrite bytes, or is full if it is smaller. At the end of r it
// returns the last bytes with io.EOF.
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
