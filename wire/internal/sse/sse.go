// Package sse reads server-sent events: the text/event-stream format in which
// providers send a reply while it is written.
package sse

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// MaxSize is the longest line, and the most data of one event, in bytes.
const MaxSize = 16 << 20

// ErrTooLong means that a line or an event's data is longer than MaxSize.
var ErrTooLong = errors.New("line or event is longer than 16 MiB")

// An Event is one event of a stream.
type Event struct {
	// Type is the last event field, or empty.
	Type string
	// Data is the data fields, joined by newlines. It is valid until the next
	// call of Next.
	Data []byte
	// Unended means that the stream ended before the blank line that ends an
	// event, so the data may have been cut anywhere.
	Unended bool
}

// A Reader reads a stream event by event. Lines end in LF, CRLF or CR; a byte
// order mark, comments, and the fields id and retry are skipped. An event is
// returned as soon as its last line end has been read.
type Reader struct {
	src     *bufio.Reader
	line    []byte
	data    []byte
	started bool  // the first line has been read
	pastCR  bool  // the last line ended in CR: an LF that follows belongs to it
	err     error // why the stream is over
}

// NewReader returns a Reader of src.
func NewReader(src io.Reader) *Reader { return &Reader{src: bufio.NewReader(src)} }

// Next returns the next event that has data. At the end of the stream the error
// is [io.EOF]; it is [ErrTooLong] or the error of the source if that ended the
// stream. Later calls return the same error.
func (r *Reader) Next() (Event, error) {
	if r.err != nil {
		return Event{}, r.err
	}
	var kind string
	var some bool
	r.data = r.data[:0]
	for {
		err := r.readLine()
		if err != nil && !errors.Is(err, io.EOF) {
			r.err = err
			return Event{}, err
		}
		name, value := field(r.line)
		switch {
		case err == nil && len(r.line) == 0 && some:
			return Event{Type: kind, Data: r.data}, nil
		case err == nil && len(r.line) == 0:
			kind = "" // an event without data does not count
		case name == "event":
			kind = string(value)
		case name == "data" && len(r.data)+len(value) >= MaxSize:
			r.err = ErrTooLong
			return Event{}, r.err
		case name == "data":
			if some {
				r.data = append(r.data, '\n')
			}
			r.data, some = append(r.data, value...), true
		}
		if err != nil {
			r.err = err
			if some {
				return Event{Type: kind, Data: r.data, Unended: true}, nil
			}
			return Event{}, err
		}
	}
}

// field splits a line into the name and the value of a field. A comment has an
// empty name.
func field(line []byte) (name string, value []byte) {
	before, after, _ := bytes.Cut(line, []byte(":"))
	return string(before), bytes.TrimPrefix(after, []byte(" "))
}

// readLine reads a line into r.line, without its end. With [io.EOF] the line is the rest
// after the last line end.
func (r *Reader) readLine() error {
	r.line = r.line[:0]
	for {
		if _, err := r.src.Peek(1); err != nil {
			r.trimMark()
			return err
		}
		chunk, _ := r.src.Peek(r.src.Buffered())
		if r.pastCR && chunk[0] == '\n' {
			r.pastCR = false
			r.skip(1)
			continue
		}
		r.pastCR = false
		end := bytes.IndexAny(chunk, "\r\n")
		if end < 0 {
			end = len(chunk)
		}
		if len(r.line)+end > MaxSize {
			return ErrTooLong
		}
		r.line = append(r.line, chunk[:end]...)
		if end < len(chunk) {
			r.pastCR = chunk[end] == '\r'
			r.skip(end + 1)
			r.trimMark()
			return nil
		}
		r.skip(end)
	}
}

// skip drops n bytes that are known to be buffered.
func (r *Reader) skip(n int) { _, _ = r.src.Discard(n) }

// trimMark drops the byte order mark of the first line.
func (r *Reader) trimMark() {
	if !r.started {
		r.started = true
		r.line = bytes.TrimPrefix(r.line, []byte("\ufeff"))
	}
}
