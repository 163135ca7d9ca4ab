package grep

import (
	"strings"
	"unicode/utf8"
)

// A classReader reads the items of one class in brackets.
type classReader struct {
	t     *translator
	start int // offset of the class in the pattern
	set   runeSet
}

const setAdvice = "classes in classes and operations on them are not supported; write the characters that are left, or put a \\ before "

// readItem reads an item, or reports the end of the class.
func (c *classReader) readItem(first bool) (end bool, err error) {
	t := c.t
	rest := t.rest()
	switch {
	case rest == "":
		t.at = c.start
		return false, t.syntaxError(t.at+1, `the class is not closed; add a ], or write \[ for the character itself`)
	case rest[0] == ']' && !first:
		return true, nil
	case strings.HasPrefix(rest, "[:"):
		if done, err := c.readPosix(); done || err != nil {
			return false, err
		}
		return false, t.syntaxError(t.at+1, setAdvice+"the [")
	case rest[0] == '[':
		return false, t.syntaxError(t.at+1, setAdvice+"the [")
	case strings.HasPrefix(rest, "&&"), strings.HasPrefix(rest, "~~"), strings.HasPrefix(rest, "--") && !first:
		return false, t.syntaxError(t.at+2, setAdvice+"each "+rest[:1])
	case t.scope().extended && isPatternSpace(rune(rest[0])):
		t.at++
		return false, nil
	}
	return false, c.readRange()
}

// readPosix reads a class such as [:alpha:]. It reports false if the text is not one.
func (c *classReader) readPosix() (bool, error) {
	t := c.t
	name, _, closed := strings.Cut(t.rest()[2:], ":]")
	if !closed || strings.ContainsAny(name, "[]") {
		return false, nil
	}
	plain, negated := strings.CutPrefix(name, "^")
	s, ok := posixSet(plain)
	if !ok {
		return false, t.syntaxError(t.at+len(name)+4, "no such class; there are alnum, alpha, ascii, blank, cntrl, digit, graph, lower, print, punct, space, upper, word and xdigit")
	}
	if negated {
		s = s.negated()
	}
	c.set = append(c.set, s...)
	t.at += len(name) + 4
	return true, nil
}

// readRange reads a character, a range of characters, or a class with a backslash.
func (c *classReader) readRange() error {
	t := c.t
	from := t.at
	low, done, err := c.readChar()
	if err != nil || done {
		return err
	}
	high := low
	if rest := t.rest(); strings.HasPrefix(rest, "-") && len(rest) > 1 && rest[1] != ']' && !strings.HasPrefix(rest, "--") {
		t.at++
		if high, done, err = c.readChar(); err != nil {
			return err
		}
		if done {
			return newSyntaxError(t.in, from, t.at, `a range ends with a character, not with a class; write \- for the character itself`)
		}
		if high < low {
			return newSyntaxError(t.in, from, t.at, `the range begins behind its end; turn it round, or write \- for the character itself`)
		}
	}
	c.set = append(c.set, low, high)
	return nil
}

// readChar reads a character. It reports true if it read a class instead, whose
// characters it has added.
func (c *classReader) readChar() (r rune, class bool, err error) {
	t := c.t
	rest := t.rest()
	if rest[0] != '\\' {
		r, size := utf8.DecodeRuneInString(rest)
		if r == utf8.RuneError && size == 1 {
			return 0, false, t.syntaxError(t.at+1, "the pattern is not UTF-8")
		}
		t.at += size
		return r, false, nil
	}
	if len(rest) > 1 {
		if s, ok := t.perlSet(rest[1]); ok {
			c.set = append(c.set, s...)
			t.at += 2
			return 0, true, nil
		}
		if rest[1] == 'p' || rest[1] == 'P' {
			s, size, err := t.property()
			c.set = append(c.set, s...)
			t.at += size
			return 0, true, err
		}
		if rest[1] == 'b' {
			return 0, false, t.syntaxError(t.at+2, `no such escape in a class; write \x08 for a backspace, or \b outside of the brackets for the end of a word`)
		}
	}
	r, size, err := t.escapedRune()
	t.at += size
	return r, false, err
}
