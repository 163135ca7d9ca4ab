package grep

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// A translator turns a pattern in ripgrep's syntax into one in Go's that means
// the same. What is called a word character, a digit or a blank is written out,
// because Go knows ASCII only.
type translator struct {
	in         string
	at         int
	out        strings.Builder
	scopes     []scope // the groups that are open, the pattern itself first
	lastItem   item
	lineByLine bool // a match may not hold the end of a line
}

// A scope is what flags say within a group.
type scope struct {
	start    int // where the group begins
	extended bool
	ascii    bool
}

// An item is what stands before the place that is read.
type item int

const (
	noItem       item = iota // that could be repeated
	atom                     // what can be
	repeated                 // what has been
	lazyRepeated             // what has been, and is not greedy
)

func translate(q Query) (string, error) {
	t := translator{in: q.Pattern, scopes: []scope{{ascii: q.ASCII}}, lineByLine: !q.Multiline}
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

// syntaxError blames what is between t.at and to.
func (t *translator) syntaxError(to int, reason string) error {
	return newSyntaxError(t.in, t.at, to, reason)
}

// rest returns what is not read yet.
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
	case '.', '^', '$':
		t.emit(1, string(r), atom)
	default:
		return t.literal(r, size)
	}
	return nil
}

// emit writes out for the size bytes that were read.
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

// char writes r for the size bytes that were read.
func (t *translator) char(r rune, size int) error {
	if r == '\n' && t.lineByLine {
		return t.syntaxError(t.at+size, newlineAdvice)
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
