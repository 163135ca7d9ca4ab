package edit

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// mergeBodies merges lines without their indentation: it returns the wanted lines with
// the characters of the file where the model changes nothing. It reports false if it
// cannot.
func mergeBodies(old, file, wanted []string) ([]string, bool) {
	before, own := strings.Join(old, "\n"), strings.Join(file, "\n")
	alike := before == own || fold(before) == fold(own)
	if before == own || len(wanted) == 0 {
		return wanted, alike
	}
	after := strings.Join(wanted, "\n")
	if alike {
		return strings.Split(keepFileCharacters(before, own, after), "\n"), true
	}
	text, ok := mergeWords(before, own, after)
	lines := strings.Split(text, "\n")
	return lines, ok && len(lines) == len(wanted)
}

// keepFileCharacters returns wanted with the characters of the file wherever wanted
// equals old. The texts old and file must fold to the same text.
func keepFileCharacters(old, file, wanted string) string {
	before, own := pairPieces(splitPieces(old), splitPieces(file))
	after := splitPieces(wanted)
	var out strings.Builder
	for _, r := range regions(before, after) {
		from := after[r.b:r.bEnd]
		if r.same {
			from = own[r.a:r.aEnd]
		}
		for _, text := range from {
			out.WriteString(text)
		}
	}
	return out.String()
}

// splitPieces splits text into units for a comparison. An invisible character joins the
// unit before it. Three dots are one unit, since the other text may have "…" there.
func splitPieces(text string) []string {
	var all []string
	from := 0 // start of the last piece
	for at := 0; at < len(text); {
		size, seen := 3, true
		if !strings.HasPrefix(text[at:], "...") {
			p := nextPiece(text[at:])
			size, seen = p.size, p.folded != ""
		}
		if !seen && len(all) > 0 {
			all[len(all)-1] = text[from : at+size]
		} else {
			from = at
			all = append(all, text[at:at+size])
		}
		at += size
	}
	return all
}

// pairPieces joins pieces of two texts that fold to the same text, until the pieces
// correspond one to one.
func pairPieces(a, b []string) (as, bs []string) {
	for len(a) > 0 && len(b) > 0 {
		left, right := a[0], b[0]
		a, b = a[1:], b[1:]
		for {
			difference := len(fold(left)) - len(fold(right))
			if difference < 0 && len(a) > 0 {
				left, a = left+a[0], a[1:]
			} else if difference > 0 && len(b) > 0 {
				right, b = right+b[0], b[1:]
			} else {
				break
			}
		}
		as, bs = append(as, left), append(bs, right)
	}
	if rest := strings.Join(b, ""); rest != "" && len(bs) > 0 {
		bs[len(bs)-1] += rest
	}
	return as, bs
}

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
