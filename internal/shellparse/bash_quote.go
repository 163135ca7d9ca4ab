package shellparse

import (
	"strings"
	"unicode/utf8"
)

// unquoteDouble returns the text between double quotes without its backslashes.
func unquoteDouble(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && strings.IndexByte("$`\"\\\n", text[i+1]) >= 0 {
			i++
			if text[i] == '\n' {
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// singleEscapes maps the letters that stand for one byte after a backslash in $'…'.
var singleEscapes = map[byte]byte{
	'a': 7, 'b': 8, 'e': 27, 'E': 27, 'f': 12, 'n': 10, 'r': 13, 't': 9, 'v': 11,
	'\\': '\\', '\'': '\'', '"': '"', '?': '?',
}

// unquoteDollar returns the text of $'…'. It reports false if shells decode an escape
// differently.
func unquoteDollar(text string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			b.WriteByte(text[i])
			continue
		}
		i++
		if i == len(text) {
			return "", false
		}
		if c, ok := singleEscapes[text[i]]; ok {
			b.WriteByte(c)
			continue
		}
		n, ok := decodeEscape(&b, text[i:])
		if !ok {
			return "", false
		}
		i += n - 1
	}
	// A shell cannot hold a zero byte: bash ends the word there.
	return b.String(), !strings.Contains(b.String(), "\x00") && utf8.ValidString(b.String())
}

// decodeEscape writes the character of a numeric escape and returns the length of the
// escape.
func decodeEscape(b *strings.Builder, text string) (int, bool) {
	switch c := text[0]; {
	case '0' <= c && c <= '7':
		v, n := readDigits(text, 8, 3)
		if v > 0xff {
			return 0, false
		}
		b.WriteByte(byte(v))
		return n, true
	case c == 'x':
		v, n := readDigits(text[1:], 16, 2)
		b.WriteByte(byte(v))
		return 1 + n, n > 0
	case c == 'u' || c == 'U':
		limit := 4
		if c == 'U' {
			limit = 8
		}
		v, n := readDigits(text[1:], 16, limit)
		// The locale decides about characters beyond ASCII.
		if n == 0 || v >= utf8.RuneSelf {
			return 0, false
		}
		b.WriteByte(byte(v))
		return 1 + n, true
	}
	return 0, false
}

// readDigits reads at most limit digits and returns their value and number.
func readDigits(text string, base, limit int) (value int64, n int) {
	for n < len(text) && n < limit {
		d := int64(strings.IndexByte("0123456789abcdef", lowerByte(text[n])))
		if d < 0 || d >= int64(base) {
			break
		}
		value = value*int64(base) + d
		n++
	}
	return value, n
}

func lowerByte(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}
