package edit

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// lookalikes are characters that models write as ASCII, and those that nobody
// sees and models leave out.
var lookalikes = map[rune]string{
	'\u2010': "-", '\u2011': "-", '\u2012': "-", '\u2013': "-", '\u2014': "-", '\u2015': "-", '\u2212': "-",
	'\u2018': "'", '\u2019': "'", '\u201a': "'", '\u201b': "'",
	'\u201c': `"`, '\u201d': `"`, '\u201e': `"`, '\u201f': `"`,
	'\u00a0': " ", '\u2000': " ", '\u2001': " ", '\u2002': " ", '\u2003': " ", '\u2004': " ", '\u2005': " ",
	'\u2006': " ", '\u2007': " ", '\u2008': " ", '\u2009': " ", '\u200a': " ", '\u202f': " ", '\u205f': " ", '\u3000': " ",
	'\u2026': "...",
	'\u00ad': "", '\u200b': "", '\u2060': "", '\ufeff': "",
}

// A piece is a part of a text that is folded by itself: one character with what
// combines with it.
type piece struct {
	size int // bytes in the text
	form string
}

// nextPiece returns the first piece of a text that is not empty.
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

// fold returns text without the differences that the rung Punctuation ignores.
func fold(text string) string {
	var out strings.Builder
	for len(text) > 0 {
		p := nextPiece(text)
		out.WriteString(p.form)
		text = text[p.size:]
	}
	return out.String()
}

// foldedHits finds parts of text that fold to want, which is folded. Hits may
// overlap. Invisible characters around a hit are not part of it.
func foldedHits(text, want string) []stretch {
	if want == "" {
		return nil
	}
	folded := fold(text)
	var starts []int
	for from := 0; ; {
		at := strings.Index(folded[from:], want)
		if at < 0 {
			break
		}
		starts = append(starts, from+at)
		from += at + 1
	}
	return unfold(text, starts, len(want))
}

// unfold turns places of the folded text into places of the text. What begins or
// ends inside of a piece is left out.
func unfold(text string, starts []int, size int) []stretch {
	var hits []stretch
	type open struct{ at, end int } // in the text, in the folded text
	var opened []open
	at, folded := 0, 0
	for at < len(text) && (len(starts) > 0 || len(opened) > 0) {
		p := nextPiece(text[at:])
		if p.form != "" {
			for len(starts) > 0 && starts[0] <= folded {
				if starts[0] == folded {
					opened = append(opened, open{at, folded + size})
				}
				starts = starts[1:]
			}
		}
		at += p.size
		folded += len(p.form)
		for len(opened) > 0 && opened[0].end <= folded {
			if opened[0].end == folded && p.form != "" {
				hits = append(hits, stretch{opened[0].at, at})
			}
			opened = opened[1:]
		}
	}
	return hits
}

// keepOwn returns the new text with the characters of the file in the parts that
// do not differ from the old text. Old text and file must fold alike.
func keepOwn(old, file, wanted string) string {
	before, own := pair(pieces(old), pieces(file))
	after := pieces(wanted)
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

// pieces divides text for a comparison. What is invisible goes with what stands
// before it, and three dots are one piece, since they may be one character.
func pieces(text string) []string {
	var all []string
	from := 0 // where the last piece begins
	for at := 0; at < len(text); {
		size, seen := 3, true
		if !strings.HasPrefix(text[at:], "...") {
			p := nextPiece(text[at:])
			size, seen = p.size, p.form != ""
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

// pair joins pieces of two texts that fold alike until they correspond.
func pair(a, b []string) (as, bs []string) {
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
