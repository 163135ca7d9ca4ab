package rank

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// maxWord is the maximum length of a word in bytes. The rest of a longer word is ignored.
const maxWord = 40

// A wordScanner splits a text into words in lower case: runs of letters and digits, split
// again where a name in camelCase changes case. In a script that is written without
// spaces, each pair of neighbouring characters is a word.
type wordScanner struct {
	text       string
	at         int
	word       []byte // the current word; the next one overwrites it
	afterBreak bool   // a sentence or clause ended before the word
	pending    rune   // the first character of a possible pair, or 0
	paired     bool   // pending was the second character of a pair
}

// next reads the next word and reports whether there is one.
func (s *wordScanner) next() bool {
	s.word, s.afterBreak = s.word[:0], false
	var last, before rune // the two characters before c; 0 outside a word
	for s.at < len(s.text) {
		c, size := utf8.DecodeRuneInString(s.text[s.at:])
		if unspaced(c) {
			if len(s.word) > 0 {
				return true
			}
			s.at += size
			if s.pair(c) {
				return true
			}
			continue
		}
		if s.flushSingle() {
			return true
		}
		if !wordCharacter(c) {
			if len(s.word) > 0 {
				s.skipPossessive()
				return true
			}
			s.afterBreak = s.afterBreak || s.endsClause(c, size)
			s.at += size
			continue
		}
		if last != 0 && s.startsWord(before, last, c, size) {
			return true
		}
		if len(s.word) < maxWord {
			s.word = utf8.AppendRune(s.word, unicode.ToLower(c))
		}
		before, last = last, c
		s.at += size
	}
	return len(s.word) > 0 || s.flushSingle()
}

// pair makes c the pending character, and a word of it and the one before, if there is
// one. It reports whether there is a word.
func (s *wordScanner) pair(c rune) bool {
	first := s.pending
	s.pending, s.paired = c, first != 0
	if first == 0 {
		return false
	}
	s.word = utf8.AppendRune(utf8.AppendRune(s.word, first), c)
	return true
}

// flushSingle ends a run of characters of a script without spaces. A run of one character
// is a word; flushSingle reports whether there is one.
func (s *wordScanner) flushSingle() bool {
	alone := s.pending != 0 && !s.paired
	if alone {
		s.word = utf8.AppendRune(s.word, s.pending)
	}
	s.pending = 0
	return alone
}

// skipPossessive skips the 's after a word.
func (s *wordScanner) skipPossessive() {
	for _, mark := range [...]string{"'s", "’s"} {
		rest := s.text[s.at:]
		if len(rest) < len(mark) || rest[:len(mark)] != mark {
			continue
		}
		if c, _ := utf8.DecodeRuneInString(rest[len(mark):]); !wordCharacter(c) {
			s.at += len(mark)
		}
	}
}

// startsWord reports whether c starts a new word because the case changes, as in getUser
// and in HTMLPage, where the last capital belongs to the second word.
func (s *wordScanner) startsWord(before, last, c rune, size int) bool {
	if !unicode.IsUpper(c) {
		return false
	}
	if !unicode.IsUpper(last) {
		return true
	}
	next, _ := utf8.DecodeRuneInString(s.text[s.at+size:])
	return unicode.IsUpper(before) && unicode.IsLower(next) && !plural(s.text[s.at+size:])
}

// plural reports whether rest starts with an s that ends a word, as in IDs.
func plural(rest string) bool {
	if rest == "" || rest[0] != 's' {
		return false
	}
	c, _ := utf8.DecodeRuneInString(rest[1:])
	return !unicode.IsLower(c)
}

// endsClause reports whether c, of size bytes, ends a sentence or clause.
func (s *wordScanner) endsClause(c rune, size int) bool {
	switch c {
	case '\n', '。', '；', '！', '？', ';', '!', '?':
		return true
	case '.', ':':
		next, _ := utf8.DecodeRuneInString(s.text[s.at+size:])
		return s.at+size == len(s.text) || unicode.IsSpace(next)
	}
	return false
}

func wordCharacter(c rune) bool {
	if c < utf8.RuneSelf {
		return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
	}
	return c != utf8.RuneError && (unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.IsMark(c))
}

// isNumber reports whether a word has only digits.
func isNumber(word []byte) bool {
	return !slices.ContainsFunc(word, func(c byte) bool { return c < '0' || c > '9' })
}

// unspaced reports whether c belongs to a script that is written without spaces.
func unspaced(c rune) bool {
	return c >= 0x0e00 && unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}
