package grep

import (
	"regexp/syntax"
	"unicode/utf8"
)

// A charReader knows what the characters of a text are, and which make words.
type charReader struct {
	ascii     bool // each byte is a character
	wordChars runeSet
}

// What stands in a text beside characters.
const (
	invalidByte rune = -1 - iota // a byte that is no part of one; nothing matches it
	textEdge                     // the end of the text or its beginning
)

// next returns the character of b at i, or edge, and its length.
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

// previous returns the character of b that ends at i, or edge.
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

func (t *charReader) isWord(r rune) bool {
	switch {
	case r < 0:
		return false
	case r < utf8.RuneSelf || t.ascii:
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_'
	}
	return t.wordChars.has(r)
}

// assertionsBetween returns what is true between two characters.
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
