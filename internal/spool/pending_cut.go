package spool

import (
	"bytes"
	"context"
	"fmt"
	"unicode/utf8"
)

// maxNote is more than the length of any note.
const maxNote = 256

// finish completes the content, with a note if the stream was cut. The file stays as long
// as its reservation.
func (p *pendingEntry) finish(ctx context.Context, total int64) {
	if p.err != nil {
		return
	}
	var note string
	if p.cut {
		if note, p.err = p.fitNote(ctx, total); p.err != nil {
			return
		}
		if p.err = p.writeAt([]byte(note), p.size); p.err != nil {
			return
		}
	}
	p.length = p.size + int64(len(note))
}

// fitNote moves the end of the content to a boundary, and further back if the quota has no
// room for the note. It returns the note, or "" if it does not fit at all.
func (p *pendingEntry) fitNote(ctx context.Context, total int64) (note string, err error) {
	if p.size, err = p.boundary(p.size); err != nil {
		return "", err
	}
	if err := p.reserve(ctx, p.size+maxNote); err != nil {
		return "", err
	}
	if p.size+maxNote > p.reserved && p.reserved >= maxNote {
		if p.size, err = p.boundary(p.reserved - maxNote); err != nil {
			return "", err
		}
	}
	note, err = p.note(total)
	if p.size+int64(len(note)) > p.reserved {
		note = ""
	}
	return note, err
}

func (p *pendingEntry) note(total int64) (string, error) {
	last := []byte{'\n'}
	if p.size > 0 {
		if _, err := p.file.ReadAt(last, p.size-1); err != nil {
			return "", err
		}
	}
	lineEnd := ""
	if last[0] != '\n' {
		lineEnd = "\n"
	}
	return fmt.Sprintf("%s[cut here: only the first %d of %d bytes were kept. "+
		"If you need the rest, run the tool again with a narrower request.]\n", lineEnd, p.size, total), nil
}

// boundary returns the last offset up to limit that is after a line, if one is near, or
// else after a whole character.
func (p *pendingEntry) boundary(limit int64) (int64, error) {
	const near = 64 << 10
	buf := make([]byte, min(limit, near))
	from := limit - int64(len(buf))
	if _, err := p.file.ReadAt(buf, from); err != nil {
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
