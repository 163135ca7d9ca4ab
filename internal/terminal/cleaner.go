package terminal

import (
	"bytes"
	"unicode/utf8"
)

// maxLine is the number of bytes of an unfinished line that are held back because later
// text may replace them. The beginning of a longer line stays as it was printed.
const maxLine = 64 << 10

// A Cleaner cleans a stream of bytes that comes in pieces:
//
//   - escape sequences, bells and shifts of the character set are dropped;
//   - text that follows a carriage return replaces the text before it; a carriage return
//     before a line end is dropped;
//   - an escape sequence that erases the line does so, and a backspace erases a character.
//
// The number of line ends stays the same. The zero Cleaner is ready to use. It is not safe
// for concurrent use.
type Cleaner struct {
	line     []byte // the text of the unfinished line; the others are empty or false between lines
	before   []byte // what line replaces as soon as it is not empty
	returned bool   // the cursor is at the beginning of line
	long     bool   // the beginning of the line was passed on already

	sequence sequence
	replaced int64
}

// Replaced returns the number of bytes of text, not of escape sequences, that later text in
// their line has replaced.
func (c *Cleaner) Replaced() int64 { return c.replaced }

// Rest returns the text of the unfinished line. The next Append changes it.
func (c *Cleaner) Rest() []byte {
	if len(c.line) == 0 {
		return c.before
	}
	return c.line
}

// Append reads p. The clean text that cannot change any more is appended to to: finished lines,
// and the beginning of an overlong one.
func (c *Cleaner) Append(to, p []byte) []byte {
	if !c.sequence.begun() && !c.returned && len(c.before) == 0 && isPlain(p) {
		return c.appendPlain(to, p)
	}
	for len(p) > 0 {
		if c.sequence.begun() {
			n, done := c.sequence.write(p)
			p = p[n:]
			if done {
				c.obey()
			}
			continue
		}
		n := bytes.IndexAny(p, specials+"\n")
		if n < 0 {
			n = len(p)
		}
		if n > 0 {
			to = c.text(to, p[:n])
		} else {
			to = c.control(to, p[0])
			n = 1
		}
		p = p[n:]
	}
	return to
}

// appendPlain is Append of text that replaces nothing.
func (c *Cleaner) appendPlain(to, p []byte) []byte {
	end := bytes.LastIndexByte(p, '\n') + 1
	if end > 0 {
		to = append(append(to, c.line...), p[:end]...)
		c.line, c.long = c.line[:0], false
	}
	return c.text(to, p[end:])
}

// text adds characters to the line.
func (c *Cleaner) text(to, p []byte) []byte {
	if len(p) == 0 {
		return to
	}
	c.drop(&c.before)
	c.returned = false
	if c.line = append(c.line, p...); len(c.line) > maxLine {
		to = append(to, c.line...)
		c.line, c.long = c.line[:0], true
	}
	return to
}

// control obeys a control character.
func (c *Cleaner) control(to []byte, b byte) []byte {
	switch b {
	case '\n':
		to = append(append(to, c.Rest()...), '\n')
		c.line, c.before, c.returned, c.long = c.line[:0], c.before[:0], false, false
	case '\r':
		if c.long { // the text that was passed on cannot be replaced
			to = append(append(to, c.line...), '\r')
			c.line = c.line[:0]
			break
		}
		c.toBeginning()
	case backspace:
		if !c.returned {
			_, size := utf8.DecodeLastRune(c.line)
			c.line = c.line[:len(c.line)-size]
		}
	case escape:
		c.sequence.begin()
	}
	return to
}

// toBeginning moves the cursor to the beginning of the line.
func (c *Cleaner) toBeginning() {
	if len(c.line) > 0 {
		c.drop(&c.before)
		c.line, c.before = c.before, c.line
	}
	c.returned = true
}

// drop empties a text that was replaced.
func (c *Cleaner) drop(text *[]byte) {
	c.replaced += int64(len(*text))
	*text = (*text)[:0]
}

// obey applies the sequence that has ended to the line.
func (c *Cleaner) obey() {
	final, parameter := c.sequence.end()
	switch {
	case c.long: // the text that was passed on cannot be replaced
	case final == 'G' && parameter <= 1: // to a column
		c.toBeginning()
	case final == 'K' && (parameter > 0 || c.returned): // all of the line, or all behind its beginning
		c.drop(&c.before)
		c.drop(&c.line)
	}
}
