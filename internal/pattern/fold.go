package pattern

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A folding defines which spellings of a name are the same name.
type folding int

// The foldings. Each treats more names as equal than the one before. Allow rules use the
// narrowest that fits the platform, deny and ask rules the widest.
const (
	foldNone  folding = iota
	foldASCII         // A equals a
	foldCase          // É equals é, and K (the Kelvin sign) equals k
	foldMarks         // é equals e, ß equals ss, and invisible characters are ignored
)

// fold returns the common form of all spellings of s. It does not allocate if s already has
// that form, as lower-case ASCII always does.
func (f folding) fold(s string) string {
	if f == foldNone {
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

// foldWide folds the case of all letters. With marks it also folds names that the file
// systems of macOS treat as equal: composed and decomposed letters, ligatures and their
// letters, and names with and without invisible characters. An exact test would need
// tables that the standard library does not export, so marks are dropped instead, and e
// equals é. Bytes that are not UTF-8 stay unchanged.
func foldWide(s string, marks bool) string {
	var b strings.Builder
	var last rune // last rune of b
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
		r = baseLetter(r)
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

// foldRune returns the letter that stands for all cases of r: lower-case for ASCII.
func foldRune(r rune) rune {
	least := minCase(r)
	if least < utf8.RuneSelf {
		return rune(lowerASCII(byte(least)))
	}
	return least
}

// minCase returns the case of r with the lowest code point. A mark is not a case of a
// letter, although Unicode defines one that is.
func minCase(r rune) rune {
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

// baseLetter returns r without case and marks.
func baseLetter(r rune) rune {
	least := minCase(r)
	if least < utf8.RuneSelf {
		return foldRune(least)
	}
	if i := strings.IndexRune(composedLetters, least); i >= 0 {
		word := strings.LastIndexByte(composedLetters[:i], ' ') + 1
		least, _ = utf8.DecodeRuneInString(composedLetters[word:])
	}
	return foldRune(least)
}

// ligature returns the letters that r joins, or "".
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

// joinHangul returns the syllable that r forms with the syllable or part before it, or 0.
func joinHangul(last, r rune) rune {
	const (
		leads, vowels, tails = 0x1100, 0x1161, 0x11A7 // tail 0 means no tail
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
