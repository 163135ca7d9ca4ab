// Package terminal turns the output of a program for a terminal into plain text: without
// colours, and with the last state of a line that the program has written again and again.
//
// It does not emulate a terminal, since it has no rows. Text stays where it was printed, even
// if the program moved the cursor before. A shorter text replaces all of a longer one.
package terminal

import "bytes"

// Clean returns a whole text as a [Cleaner] does.
func Clean(text string) string {
	var c Cleaner
	cleaned := c.Append(nil, []byte(text))
	return string(append(cleaned, c.Rest()...))
}

// The control characters that matter here.
const (
	bell      = 0x07
	backspace = 0x08
	shiftOut  = 0x0e // to another character set
	shiftIn   = 0x0f
	escape    = 0x1b
)

// specials are the bytes that are not copied as they are, besides the line end.
const specials = "\r\x07\x08\x0e\x0f\x1b"

// isPlain reports whether p holds no special byte.
func isPlain(p []byte) bool {
	for i := range len(specials) {
		if bytes.IndexByte(p, specials[i]) >= 0 {
			return false
		}
	}
	return true
}
