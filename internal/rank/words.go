package rank

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// maxWord is the longest word in bytes; the rest of a longer one is not read.
const maxWord = 40

// A wordScanner cuts a text into words: runs of letters and digits in lower case, cut
// again where a name in camelCase changes case. Of a script that is written
// without spaces each two neighbouring characters are a word.
type wordScanner struct {
	text       string
	at         int
	word       []byte // the last word; its memory is used again
	afterBreak bool   // a sentence or a part of one ended before the word
	pending    rune   // the character a pair may begin with; 0 if there is none
	paired     bool   // pending has been part of a pair
}

// next reads the next word and says whether there was one.
func (s *wordScanner) next() bool {
	s.word, s.afterBreak = s.word[:0], false
	var last, before rune // the characters before this one; 0 outside of a word
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

// pair takes c after the pending character; it says whether the two are a word.
func (s *wordScanner) pair(c rune) bool {
	first := s.pending
	s.pending, s.paired = c, first != 0
	if first == 0 {
		return false
	}
	s.word = utf8.AppendRune(utf8.AppendRune(s.word, first), c)
	return true
}

// flushSingle ends a run of characters without spaces; one that stood alone is a word.
func (s *wordScanner) flushSingle() bool {
	alone := s.pending != 0 && !s.paired
	if alone {
		s.word = utf8.AppendRune(s.word, s.pending)
	}
	s.pending = 0
	return alone
}

// skipPossessive passes over the 's after a word.
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

// startsWord says whether a new word begins with c because the case changes, as in
// getUser and in HTMLPage, where the last capital belongs to the second word.
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

// plural says whether rest is an s that ends a word, as the one after IDs.
func plural(rest string) bool {
	if rest == "" || rest[0] != 's' {
		return false
	}
	c, _ := utf8.DecodeRuneInString(rest[1:])
	return !unicode.IsLower(c)
}

// endsClause says whether c, of size bytes, ends a sentence or a part of one here.
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

// isNumber says whether a word has digits only.
func isNumber(word []byte) bool {
	return !slices.ContainsFunc(word, func(c byte) bool { return c < '0' || c > '9' })
}

// unspaced says whether c is of a script that is written without spaces.
func unspaced(c rune) bool {
	return c >= 0x0e00 && unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}
