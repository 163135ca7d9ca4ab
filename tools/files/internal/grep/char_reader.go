package grep

import (
	"regexp/syntax"
	"unicode/utf8"
)

// A charReader decodes the characters of a text.
type charReader struct {
	ascii     bool    // each byte is one character
	wordChars runeSet // characters that \w matches
}

// The values that stand for something else than a character.
const (
	invalidByte rune = -1 - iota // a byte that is not part of a character; no expression matches it
	textEdge                     // the start or the end of the text
)

// next returns the character of b at i and its length. At the end of b it returns
// textEdge.
func (t *charReader) next(b []byte, i int) (rune, int) {
	switch {
	case i >= len(b):
		return textEdge, 0
	case b[i] < utf8.RuneSelf || t.ascii:
		return rune(b[i]), 1
	}
	r, n := utf8.DecodeRune(b[i:])
	if r == utf8.RuneError && n == 1 {
		return invalidByte, 1
	}
	return r, n
}

// previous returns the character of b that ends at i. At the start of b it returns
// textEdge.
func (t *charReader) previous(b []byte, i int) rune {
	switch {
	case i <= 0:
		return textEdge
	case b[i-1] < utf8.RuneSelf || t.ascii:
		return rune(b[i-1])
	}
	r, n := utf8.DecodeLastRune(b[:i])
	if r == utf8.RuneError && n == 1 {
		return invalidByte
	}
	return r
}

// isWord reports whether \w matches r.
func (t *charReader) isWord(r rune) bool {
	switch {
	case r < 0:
		return false
	case r < utf8.RuneSelf || t.ascii:
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_'
	}
	return t.wordChars.has(r)
}

// assertionsBetween returns the assertions that hold between two characters.
func (t *charReader) assertionsBetween(left, right rune) syntax.EmptyOp {
	var ops syntax.EmptyOp
	if left == textEdge {
		ops |= syntax.EmptyBeginText | syntax.EmptyBeginLine
	}
	if left == '\n' {
		ops |= syntax.EmptyBeginLine
	}
	if right == textEdge {
		ops |= syntax.EmptyEndText | syntax.EmptyEndLine
	}
	if right == '\n' {
		ops |= syntax.EmptyEndLine
	}
	if t.isWord(left) != t.isWord(right) {
		return ops | syntax.EmptyWordBoundary
	}
	return ops | syntax.EmptyNoWordBoundary
}
