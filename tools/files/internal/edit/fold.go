package edit

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// lookalikes are characters that models write as ASCII, and invisible characters that
// models leave out.
var lookalikes = map[rune]string{
	'\u2010': "-", '\u2011': "-", '\u2012': "-", '\u2013': "-", '\u2014': "-", '\u2015': "-", '\u2212': "-",
	'\u2018': "'", '\u2019': "'", '\u201a': "'", '\u201b': "'",
	'\u201c': `"`, '\u201d': `"`, '\u201e': `"`, '\u201f': `"`,
	'\u00a0': " ", '\u2000': " ", '\u2001': " ", '\u2002': " ", '\u2003': " ", '\u2004': " ", '\u2005': " ",
	'\u2006': " ", '\u2007': " ", '\u2008': " ", '\u2009': " ", '\u200a': " ", '\u202f': " ", '\u205f': " ", '\u3000': " ",
	'\u2026': "...",
	'\u00ad': "", '\u200b': "", '\u2060': "", '\ufeff': "",
}

// A piece is a unit of folding: one character with its combining marks.
type piece struct {
	size   int // length in the text, in bytes
	folded string
}

// nextPiece returns the first piece of text, which must not be empty.
func nextPiece(text string) piece {
	if text[0] < utf8.RuneSelf && (len(text) == 1 || text[1] < utf8.RuneSelf) {
		return piece{1, text[:1]}
	}
	if r, size := utf8.DecodeRuneInString(text); size > 0 {
		if form, ok := lookalikes[r]; ok {
			return piece{size, form}
		}
	}
	size := max(norm.NFC.NextBoundaryInString(text, true), 1)
	return piece{size, norm.NFC.String(text[:size])}
}

// fold returns text without the differences that the level Punctuation ignores:
// lookalikes are replaced, invisible characters removed, and the rest is composed
// (NFC).
func fold(text string) string {
	var out strings.Builder
	for len(text) > 0 {
		p := nextPiece(text)
		out.WriteString(p.folded)
		text = text[p.size:]
	}
	return out.String()
}
