package spool

import (
	"bytes"
	"context"
	"fmt"
	"unicode/utf8"
)

// maxNote is more than the length of any note.
const maxNote = 256

// finish ends the content of the file, with the note if it is cut.
func (w *pendingEntry) finish(ctx context.Context, total int64) {
	if w.err != nil {
		return
	}
	var note string
	if w.cut {
		if note, w.err = w.fitNote(ctx, total); w.err != nil {
			return
		}
		if w.err = w.writeAt([]byte(note), w.size); w.err != nil {
			return
		}
	}
	w.length = w.size + int64(len(note))
	w.err = w.file.Truncate(w.length)
}

// fitNote moves the end of what is kept to where it may be cut, and returns the note
// for it, or none if not even that has room.
func (w *pendingEntry) fitNote(ctx context.Context, total int64) (note string, err error) {
	if w.size, err = w.boundary(w.size); err != nil {
		return "", err
	}
	if err := w.reserve(ctx, w.size+maxNote); err != nil {
		return "", err
	}
	if w.size+maxNote > w.reserved && w.reserved >= maxNote {
		if w.size, err = w.boundary(w.reserved - maxNote); err != nil {
			return "", err
		}
	}
	note, err = w.note(total)
	if w.size+int64(len(note)) > w.reserved {
		note = ""
	}
	return note, err
}

func (w *pendingEntry) note(total int64) (string, error) {
	last := []byte{'\n'}
	if w.size > 0 {
		if _, err := w.file.ReadAt(last, w.size-1); err != nil {
			return "", err
		}
	}
	lineEnd := ""
	if last[0] != '\n' {
		lineEnd = "\n"
	}
	return fmt.Sprintf("%s[cut here: only the first %d of %d bytes were kept. "+
		"If you need the rest, run the tool again with a narrower request.]\n", lineEnd, w.size, total), nil
}

// boundary returns the last place up to limit after a line, if there is one near by,
// or else after a whole character.
func (w *pendingEntry) boundary(limit int64) (int64, error) {
	const near = 64 << 10
	buf := make([]byte, min(limit, near))
	from := limit - int64(len(buf))
	if _, err := w.file.ReadAt(buf, from); err != nil {
		return 0, err
	}
	if at := bytes.LastIndexByte(buf, '\n'); at >= 0 {
		return from + int64(at) + 1, nil
	}
	for at := len(buf) - 1; at >= max(0, len(buf)-utf8.UTFMax); at-- {
		if utf8.RuneStart(buf[at]) {
			if !utf8.FullRune(buf[at:]) {
				return from + int64(at), nil
			}
			break
		}
	}
	return limit, nil
}
