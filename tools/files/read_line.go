package files

import (
	"fmt"
	"unicode/utf8"
)

// A readLine is a line of a text, or a part of it, that was read to be shown.
type readLine struct {
	text   []byte // without the line end
	number int    // of the line, counted from 1
	from   int64  // offset of text in the line, in bytes
	size   int64  // of the line, in bytes
	cutOff bool   // the line is even longer than size
}

// startAtCharacter drops bytes at the start of a text that belong to a character before it.
func (l *readLine) startAtCharacter() {
	for n := 0; l.from > 0 && n < utf8.UTFMax-1 && len(l.text) > 1 && !utf8.RuneStart(l.text[0]); n++ {
		l.text = l.text[1:]
		l.from++
	}
}

// pastEnd returns the error for a byte offset that the line does not have.
func (l *readLine) pastEnd() error {
	return &adviceError{text: fmt.Sprintf("Nothing to show: byte_offset %d is past the end of line %d, which has %d bytes. Use a smaller byte_offset.", l.from, l.number, l.size)}
}
