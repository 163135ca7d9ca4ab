package pattern

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A class is a set of characters.
type class struct {
	negated bool
	spans   [][2]rune
	named   []func(rune) bool
	fold    folding
}

// parseClass parses the text after a "[". It returns the number of bytes read.
func parseClass(text string) (*class, int, error) {
	c, i := &class{}, 0
	if strings.HasPrefix(text, "!") || strings.HasPrefix(text, "^") {
		c.negated, i = true, 1
	}
	for first := true; i < len(text); first = false {
		if text[i] == ']' && !first {
			return c, i + 1, nil
		}
		if name, ok := className(text[i:]); ok {
			is := classNamed(name)
			if is == nil {
				return nil, 0, fmt.Errorf("there is no class [:%s:]; write [:alpha:], [:digit:] or the like", name)
			}
			c.named = append(c.named, is)
			i += len("[::]") + len(name)
			continue
		}
		low, n := classRune(text[i:])
		i += n
		high := low
		if rest := text[i:]; len(rest) > 1 && rest[0] == '-' && rest[1] != ']' {
			high, n = classRune(rest[1:])
			i += 1 + n
		}
		c.spans = append(c.spans, [2]rune{low, high})
	}
	return nil, 0, errors.New(`a "[" has no "]" in the same name; write \[ for the character itself`)
}

// className returns the name at the start of text, if it starts with "[:name:]".
func className(text string) (string, bool) {
	inner, ok := strings.CutPrefix(text, "[:")
	if !ok {
		return "", false
	}
	name, _, ok := strings.Cut(inner, "]")
	if !ok {
		return "", false
	}
	return strings.CutSuffix(name, ":")
}

// classRune reads a character of a class, which may be escaped.
func classRune(text string) (r rune, n int) {
	if len(text) > 1 && text[0] == '\\' {
		r, n = utf8.DecodeRuneInString(text[1:])
		return r, n + 1
	}
	return utf8.DecodeRuneInString(text)
}

// has reports whether r, or a rune that folding treats as equal, is in the set. When marks
// are dropped, a set beyond ASCII may match any rune.
func (c *class) has(r rune) bool {
	if c.fold == foldMarks && slices.ContainsFunc(c.spans, func(s [2]rune) bool { return s[1] >= utf8.RuneSelf }) {
		return true
	}
	in := c.contains(r)
	if c.fold != foldNone {
		for next := unicode.SimpleFold(r); next != r && !in; next = unicode.SimpleFold(next) {
			in = (c.fold != foldASCII || next < utf8.RuneSelf && r < utf8.RuneSelf) && c.contains(next)
		}
	}
	return in != c.negated
}

func (c *class) contains(r rune) bool {
	for _, s := range c.spans {
		if s[0] <= r && r <= s[1] {
			return true
		}
	}
	for _, is := range c.named {
		if is(r) {
			return true
		}
	}
	return false
}

func classNamed(name string) func(rune) bool {
	ascii := func(is func(rune) bool) func(rune) bool {
		return func(r rune) bool { return r < utf8.RuneSelf && is(r) }
	}
	letter := func(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' }
	digit := func(r rune) bool { return '0' <= r && r <= '9' }
	switch name {
	case "alpha":
		return letter
	case "digit":
		return digit
	case "alnum":
		return func(r rune) bool { return letter(r) || digit(r) }
	case "lower":
		return func(r rune) bool { return 'a' <= r && r <= 'z' }
	case "upper":
		return func(r rune) bool { return 'A' <= r && r <= 'Z' }
	case "xdigit":
		return func(r rune) bool { return digit(r) || 'a' <= r && r <= 'f' || 'A' <= r && r <= 'F' }
	case "blank":
		return func(r rune) bool { return r == ' ' || r == '\t' }
	case "space":
		return ascii(unicode.IsSpace)
	case "cntrl":
		return ascii(unicode.IsControl)
	case "print":
		return ascii(unicode.IsPrint)
	case "graph":
		return ascii(func(r rune) bool { return r != ' ' && unicode.IsPrint(r) })
	case "punct":
		return ascii(func(r rune) bool { return r > ' ' && unicode.IsPrint(r) && !letter(r) && !digit(r) })
	}
	return nil
}
