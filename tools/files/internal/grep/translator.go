package grep

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// A translator converts a pattern from ripgrep's syntax to an equivalent one in Go's.
// It writes out the classes of word characters, digits and blanks, since these are
// ASCII only in Go.
type translator struct {
	in         string
	at         int // offset in the pattern
	out        strings.Builder
	scopes     []scope // the pattern and the open groups, outermost first
	lastItem   item
	lineByLine bool // matches cannot contain a line end
	crlf       bool // "\r\n" is a line end, too
}

// A scope has the flags that apply within a group.
type scope struct {
	start    int  // offset of the group in the pattern
	extended bool // (?x): white space and comments are ignored
	ascii    bool // (?-u): only ASCII is matched
}

// An item is the kind of construct before the current offset.
type item int

const (
	noItem       item = iota // nothing that can be repeated
	atom                     // can be repeated
	repeated                 // has a repetition
	lazyRepeated             // has a repetition that is lazy
)

func translate(q Query) (string, error) {
	t := translator{in: q.Pattern, scopes: []scope{{ascii: q.ASCII}}, lineByLine: !q.Multiline, crlf: q.CRLF}
	for t.at < len(t.in) {
		if err := t.translateNext(); err != nil {
			return "", err
		}
	}
	if len(t.scopes) > 1 {
		at := t.scope().start
		return "", newSyntaxError(t.in, at, at+1, `the group is not closed; add a ), or write \( for the character itself`)
	}
	return t.out.String(), nil
}

func (t *translator) scope() *scope { return &t.scopes[len(t.scopes)-1] }

// syntaxError returns an error about the pattern from the current offset up to to.
func (t *translator) syntaxError(to int, reason string) error {
	return newSyntaxError(t.in, t.at, to, reason)
}

// rest returns the part of the pattern that is not translated yet.
func (t *translator) rest() string { return t.in[t.at:] }

// translateNext translates one construct.
func (t *translator) translateNext() error {
	r, size := utf8.DecodeRuneInString(t.rest())
	if r == utf8.RuneError && size == 1 {
		return t.syntaxError(t.at+1, "the pattern is not UTF-8")
	}
	switch r {
	case '\\':
		return t.escape()
	case '[':
		return t.class()
	case '(':
		return t.openGroup()
	case ')':
		if len(t.scopes) == 1 {
			return t.syntaxError(t.at+1, `no group is open; write \) for the character itself`)
		}
		t.scopes = t.scopes[:len(t.scopes)-1]
		t.emit(1, ")", atom)
	case '|':
		t.emit(1, "|", noItem)
	case '*', '+', '?':
		return t.repeat(t.in[t.at:t.at+1], 1)
	case '{':
		return t.countedRepeat()
	case '$':
		if t.crlf {
			t.emit(1, beforeAnyLineEnd, atom)
			return nil
		}
		t.emit(1, "$", atom)
	case '.', '^':
		t.emit(1, string(r), atom)
	default:
		return t.literal(r, size)
	}
	return nil
}

// emit writes out and moves past size bytes of the pattern.
func (t *translator) emit(size int, out string, last item) {
	t.at += size
	t.out.WriteString(out)
	t.lastItem = last
}

// literal translates a character that stands for itself.
func (t *translator) literal(r rune, size int) error {
	if t.scope().extended && isPatternSpace(r) {
		t.at += size
		return nil
	}
	if t.scope().extended && r == '#' {
		if end := strings.IndexByte(t.rest(), '\n'); end >= 0 {
			t.at += end + 1
		} else {
			t.at = len(t.in)
		}
		return nil
	}
	return t.char(r, size)
}

// char writes an expression for r and moves past size bytes of the pattern.
func (t *translator) char(r rune, size int) error {
	if r == '\n' && t.lineByLine {
		return t.syntaxError(t.at+size, newlineAdvice)
	}
	if r == '\n' && t.crlf {
		t.emit(size, anyLineEnd, atom)
		return nil
	}
	t.emit(size, runeText(r), atom)
	return nil
}

func isPatternSpace(r rune) bool {
	return strings.ContainsRune("\t\n\v\f\r \u0085\u200e\u200f\u2028\u2029", r)
}

// runeText returns an expression for r.
func runeText(r rune) string {
	if r < utf8.RuneSelf {
		return `\x{` + strconv.FormatInt(int64(r), 16) + `}`
	}
	return string(r)
}
