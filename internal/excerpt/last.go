package excerpt

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Last returns the end of b as valid UTF-8 of at most limit bytes, and the offset in b at
// which it starts. It starts at a line, or at a character if there is only one line.
// fromStart says that b starts where the text does; otherwise b may start within a line or
// a character.
func Last(b []byte, limit int, fromStart bool) (text string, start int) {
	start = lastFitting(b, limit)
	atLine := fromStart
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

// lastFitting returns the offset of the longest end of b that has at most limit bytes as
// valid UTF-8. U+FFFD, which replaces invalid bytes, is longer than one of them.
func lastFitting(b []byte, limit int) int {
	at, broken := len(b), false
	for at > 0 {
		r, width := utf8.DecodeLastRune(b[:at])
		cost, was := width, broken
		if broken = r == utf8.RuneError && width == 1; broken {
			cost = utf8.RuneLen(utf8.RuneError)
			if was { // one U+FFFD replaces the whole run
				cost = 0
			}
		}
		if limit -= cost; limit < 0 {
			break
		}
		at -= width
	}
	return at
}
