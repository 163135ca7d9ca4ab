package pattern

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A folding says which spellings of a name are one name.
type folding int

// The foldings. Each treats more names alike than the one before. What an allow
// rule says is read with the narrowest that fits the platform, what a deny or
// ask rule says with the widest.
const (
	exactly   folding = iota
	foldASCII         // A is a
	foldCase          // É is é, and K (the sign of kelvin) is k
	foldMarks         // é is e; what no one can see is nothing; ß is ss
)

// fold returns s in the one form that all spellings of s share. It does not
// allocate if s is in that form, which lower-case ASCII always is.
func (f folding) fold(s string) string {
	if f == exactly {
		return s
	}
	upper := false
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= utf8.RuneSelf && f != foldASCII {
			return foldWide(s, f == foldMarks)
		}
		upper = upper || 'A' <= c && c <= 'Z'
	}
	if !upper {
		return s
	}
	b := []byte(s)
	for i, c := range b {
		b[i] = lowerASCII(c)
	}
	return string(b)
}

func lowerASCII(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// foldWide folds the case of all letters and, for marks, what the file systems of
// darwin hold for one name: composed and decomposed letters, ligatures and their
// letters, and names with and without invisible characters. That needs tables
// which the standard library does not export, so marks are dropped instead: e is
// é too. Bytes that are no UTF-8 stay as they are.
func foldWide(s string, marks bool) string {
	var b strings.Builder
	var last rune // what b ends in
	for i, r := range s {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], string(utf8.RuneError)):
			b.WriteByte(s[i])
			last = 0
			continue
		case !marks:
			b.WriteRune(foldRune(r))
			continue
		case unicode.IsMark(r) || unicode.Is(unicode.Cf, r):
			continue
		}
		if long := ligature(r); long != "" {
			b.WriteString(long)
			last = 0
			continue
		}
		r = base(r)
		if syllable := joinHangul(last, r); syllable != 0 {
			whole := b.String()
			b.Reset()
			b.WriteString(whole[:len(whole)-utf8.RuneLen(last)])
			r = syllable
		}
		b.WriteRune(r)
		last = r
	}
	return b.String()
}

// foldRune returns the one letter that stands for all cases of r: lower-case for
// ASCII.
func foldRune(r rune) rune {
	least := leastCase(r)
	if least < utf8.RuneSelf {
		return rune(lowerASCII(byte(least)))
	}
	return least
}

// leastCase returns the least of the cases of r. A mark is no case of a letter,
// though Unicode has one that is.
func leastCase(r rune) rune {
	least := r
	if unicode.IsMark(r) {
		return r
	}
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		if next < least && !unicode.IsMark(next) {
			least = next
		}
	}
	return least
}

// base returns r without case and marks.
func base(r rune) rune {
	least := leastCase(r)
	if least < utf8.RuneSelf {
		return foldRune(least)
	}
	if i := strings.IndexRune(composed, least); i >= 0 {
		word := strings.LastIndexByte(composed[:i], ' ') + 1
		least, _ = utf8.DecodeRuneInString(composed[word:])
	}
	return foldRune(least)
}

// ligature returns the letters of which r is a joint form.
func ligature(r rune) string {
	switch r {
	case 'ß', 'ẞ':
		return "ss"
	case 'ﬀ':
		return "ff"
	case 'ﬁ':
		return "fi"
	case 'ﬂ':
		return "fl"
	case 'ﬃ':
		return "ffi"
	case 'ﬄ':
		return "ffl"
	case 'ﬅ', 'ﬆ':
		return "st"
	case 'ŉ':
		return "ʼn"
	}
	return ""
}

// joinHangul returns the syllable that a part makes with the syllable or part
// before it, or 0.
func joinHangul(last, r rune) rune {
	const (
		leads, vowels, tails = 0x1100, 0x1161, 0x11A7 // a tail of 0 is none
		syllables            = 0xAC00
		nLeads, nVowels      = 19, 21
		nTails               = 28
	)
	switch {
	case leads <= last && last < leads+nLeads && vowels <= r && r < vowels+nVowels:
		return syllables + ((last-leads)*nVowels+(r-vowels))*nTails
	case syllables <= last && last < syllables+nLeads*nVowels*nTails && (last-syllables)%nTails == 0 &&
		tails < r && r < tails+nTails:
		return last + (r - tails)
	}
	return 0
}
