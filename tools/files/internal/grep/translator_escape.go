package grep

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// escape translates an escape sequence outside of brackets.
func (t *translator) escape() error {
	if t.at+1 == len(t.in) {
		return t.syntaxError(t.at+1, `a \ ends the pattern; write \\ for the character itself`)
	}
	c := t.in[t.at+1]
	if isAssertion(c) {
		t.emit(2, t.in[t.at:t.at+2], atom)
		return nil
	}
	if s, ok := t.perlSet(c); ok {
		t.emit(2, "(?-i:"+s.bracketClass(false)+")", atom)
		return nil
	}
	if c == 'p' || c == 'P' {
		s, size, err := t.property()
		if err != nil {
			return err
		}
		t.emit(size, s.bracketClass(false), atom)
		return nil
	}
	r, size, err := t.escapedRune()
	if err != nil {
		return err
	}
	return t.char(r, size)
}

// isAssertion reports whether a backslash and c are an assertion in both syntaxes.
func isAssertion(c byte) bool { return strings.IndexByte("AzbB", c) >= 0 }

// perlSet returns the class for which a backslash and c stand.
func (t *translator) perlSet(c byte) (runeSet, bool) {
	return perlSet(c, t.scope().ascii)
}

// property reads a Unicode property such as \pL, \p{Greek} or \P{Greek}.
func (t *translator) property() (s runeSet, size int, err error) {
	rest := t.rest()
	if len(rest) < 3 {
		return nil, 0, t.syntaxError(len(t.in), `the name of a property is missing; write \p{Greek}`)
	}
	_, n := utf8.DecodeRuneInString(rest[2:])
	name, size := rest[2:2+n], 2+n
	if name == "{" {
		body, _, closed := strings.Cut(rest[3:], "}")
		if !closed {
			return nil, 0, t.syntaxError(len(t.in), "the name of the property is not closed; add a }")
		}
		name, size = body, len(body)+4
	}
	if t.scope().ascii {
		return nil, 0, t.syntaxError(t.at+size, "only ASCII is matched here; write the characters out")
	}
	opposite := rest[1] == 'P'
	if key, value, ok := strings.Cut(name, "!="); ok {
		name, opposite = key+"="+value, !opposite
	}
	if s = lookUpProperty(name); s == nil {
		return nil, 0, t.syntaxError(t.at+size, `no such property; write a script or a category, as in \p{Greek} or \p{Lu}`)
	}
	if opposite {
		s = s.negated()
	}
	return s, size, nil
}

// escapedRune reads an escape sequence that stands for one character.
func (t *translator) escapedRune() (r rune, size int, err error) {
	if t.at+1 == len(t.in) {
		return 0, 0, t.syntaxError(t.at+1, `a \ ends the pattern; write \\ for the character itself`)
	}
	c := t.in[t.at+1]
	if i := strings.IndexByte("aftnrv", c); i >= 0 {
		return rune("\a\f\t\n\r\v"[i]), 2, nil
	}
	switch {
	case c == 'x' || c == 'u' || c == 'U':
		return t.hexRune(c)
	case '0' <= c && c <= '9':
		return 0, 0, t.syntaxError(t.at+2, "references to groups are not supported; write out what the group matches")
	case c == '<' || c == '>':
		return 0, 0, t.syntaxError(t.at+2, `write \b for the beginning or the end of a word`)
	case c < utf8.RuneSelf && !isAlnum(c):
		return rune(c), 2, nil
	}
	_, n := utf8.DecodeRuneInString(t.in[t.at+1:])
	return 0, 0, t.syntaxError(t.at+1+n, escapeAdvice(c))
}

func isAlnum(c byte) bool {
	return '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}

// escapeAdvice returns the advice for an escape sequence that other programs know.
func escapeAdvice(c byte) string {
	switch c {
	case 'h':
		return `no such escape; write [ \t] for blanks within a line`
	case 'Z', 'G':
		return `no such escape; write $ for the end of a line, ^ for its beginning`
	case 'R', 'N':
		return `no such escape; write \r?\n and search with multiline, or [^\n]`
	case 'Q', 'E':
		return `no such escape; put a \ before each character that is meant as it is`
	case 'K':
		return "look-around is not supported; search for what the lines hold and look at the results"
	case 'k', 'g':
		return "references to groups are not supported; write out what the group matches"
	case 'e':
		return `no such escape; write \x1b`
	}
	return `no such escape; leave the \ out, or write \\ for the character itself`
}

// hexRune reads \x41, \x{41}, \u0041, \u{41} or \U00000041.
func (t *translator) hexRune(kind byte) (r rune, size int, err error) {
	rest := t.in[t.at+2:]
	var digits string
	if body, _, closed := strings.Cut(rest, "}"); closed && strings.HasPrefix(rest, "{") {
		digits, size = body[1:], 2+len(body)+1
	} else {
		n := map[byte]int{'x': 2, 'u': 4, 'U': 8}[kind]
		digits, size = rest[:min(n, len(rest))], 2+n
		if len(digits) < n {
			digits = ""
		}
	}
	n, err := strconv.ParseUint(digits, 16, 32)
	if err != nil || n > utf8.MaxRune || !utf8.ValidRune(rune(n)) {
		return 0, 0, t.syntaxError(t.at+size, `no character has this number; write it in hexadecimal digits, as in \x41 or \x{20AC}`)
	}
	if n >= utf8.RuneSelf && t.scope().ascii {
		return 0, 0, t.syntaxError(t.at+size, "only ASCII is matched here; use a number below 80, or no (?-u)")
	}
	return rune(n), size, nil
}
