package spool

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
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

// A streamCounter counts the bytes and lines of a stream.
type streamCounter struct {
	total int64
	ends  int64 // line ends
	last  byte
}

func (s *streamCounter) add(b []byte) {
	if len(b) == 0 {
		return
	}
	s.total += int64(len(b))
	s.ends += int64(bytes.Count(b, []byte{'\n'}))
	s.last = b[len(b)-1]
}

// entry returns an Entry without the fields about the file.
func (s *streamCounter) entry() Entry {
	e := Entry{Total: s.total, Lines: s.ends}
	if s.total > 0 && s.last != '\n' {
		e.Lines++
	}
	return e
}

// An Entry describes a stream and the file that holds it.
type Entry struct {
	Ref   string // name of the entry in its session; "" if it is not stored
	Path  string // path of the file, absolute and resolved
	Size  int64  // stored bytes of the stream; in the file of a cut stream, a note follows them
	Total int64  // bytes of the whole stream
	Lines int64  // line ends in the whole stream, plus one if there is text after the last
	Cut   bool   // whether the file holds less than the stream
}

// Open opens an entry for reading. It fails with fs.ErrNotExist if there is no such
// entry; old entries are removed, and evicted to make room for others. An open file can
// be read to its end even if it is removed. Links and other files that are not regular
// are refused.
func (d *Dir) Open(ref string) (*os.File, error) {
	if !isEntryName(ref) {
		return nil, &fs.PathError{Op: "open", Path: ref, Err: fs.ErrNotExist}
	}
	return openRegular(d.dir, ref, os.O_RDONLY)
}

// Stat describes the file of an entry. Its errors are those of Open.
func (d *Dir) Stat(ref string) (fs.FileInfo, error) {
	if !isEntryName(ref) {
		return nil, &fs.PathError{Op: "stat", Path: ref, Err: fs.ErrNotExist}
	}
	info, err := d.dir.Lstat(ref)
	if err == nil && !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "stat", Path: ref, Err: errNotRegular}
	}
	return info, err
}
