package excerpt

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Last returns the end of b as valid UTF-8 of at most so many bytes, and where in b it
// begins. It begins with a whole line, or with a whole character if there is but one
// line. The text begins with b, or before it if begins is false, so that what b begins
// with may be a part of a line or a character.
func Last(b []byte, most int, begins bool) (text string, start int) {
	start = lastFitting(b, most)
	atLine := begins
	if start > 0 {
		atLine = b[start-1] == '\n'
	}
	if !atLine {
		if line := bytes.IndexByte(b[start:], '\n') + 1; line > 0 && start+line < len(b) {
			start += line
		}
		for range utf8.UTFMax - 1 {
			if start < len(b) && !utf8.RuneStart(b[start]) {
				start++
			}
		}
	}
	return strings.ToValidUTF8(string(b[start:]), string(utf8.RuneError)), start
}

// lastFitting returns where the longest end of b begins that is at most most bytes long
// once it is valid UTF-8: the mark for bytes that are none is longer than one of them.
func lastFitting(b []byte, most int) int {
	at, broken := len(b), false
	for at > 0 {
		r, width := utf8.DecodeLastRune(b[:at])
		cost, was := width, broken
		if broken = r == utf8.RuneError && width == 1; broken {
			cost = utf8.RuneLen(utf8.RuneError)
			if was { // one mark stands for all
				cost = 0
			}
		}
		if most -= cost; most < 0 {
			break
		}
		at -= width
	}
	return at
}
