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

// class translates a class in brackets.
func (t *translator) class() error {
	c := classReader{t: t, start: t.at}
	t.at++
	negated := strings.HasPrefix(t.rest(), "^")
	if negated {
		t.at++
	}
	for first := true; ; first = false {
		end, err := c.readItem(first)
		if err != nil {
			return err
		}
		if end {
			break
		}
	}
	s := c.set.canonical()
	if !negated && t.lineByLine && len(s) == 2 && s[0] == '\n' && s[1] == '\n' {
		return newSyntaxError(t.in, c.start, t.at+1, newlineAdvice)
	}
	t.emit(1, s.bracketClass(negated), atom)
	return nil
}

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

// openGroup translates the start of a group.
func (t *translator) openGroup() error {
	s := *t.scope()
	s.start = t.at
	rest := t.rest()
	for _, look := range []string{"(?=", "(?!", "(?<=", "(?<!"} {
		if strings.HasPrefix(rest, look) {
			return t.syntaxError(t.at+len(look), "look-around is not supported; search for what the lines hold and look at the results")
		}
	}
	switch {
	case strings.HasPrefix(rest, "(?>"):
		return t.syntaxError(t.at+3, "groups that do not give back are not supported; write (?:")
	case strings.HasPrefix(rest, "(?P<") || strings.HasPrefix(rest, "(?<"):
		return t.openNamedGroup(s)
	case strings.HasPrefix(rest, "(?"):
		return t.setFlags(s)
	}
	t.scopes = append(t.scopes, s)
	t.emit(1, "(", noItem)
	return nil
}

// openNamedGroup translates the start of a named group. It drops the name, which no
// caller needs.
func (t *translator) openNamedGroup(s scope) error {
	begin := strings.IndexByte(t.rest(), '<') + 1
	end := strings.IndexByte(t.rest(), '>')
	if end <= begin {
		return t.syntaxError(t.at+begin, "the name of the group is not closed; write (?P<name>")
	}
	t.scopes = append(t.scopes, s)
	t.emit(end+1, "(", noItem)
	return nil
}

// setFlags translates (?flags) and (?flags:.
func (t *translator) setFlags(s scope) error {
	var flags strings.Builder
	on := true
	for i := 2; i < len(t.rest()); i++ {
		switch c := t.rest()[i]; c {
		case '-':
			if !on {
				return t.syntaxError(t.at+i+1, "a second - in the flags; leave it out")
			}
			on = false
			flags.WriteByte(c)
		case 'i', 'm', 's', 'U':
			flags.WriteByte(c)
		case 'x':
			s.extended = on
		case 'u':
			s.ascii = !on
		case ':', ')':
			given := strings.TrimSuffix(flags.String(), "-")
			if c == ':' {
				t.scopes = append(t.scopes, s)
				t.emit(i+1, "(?"+given+":", noItem)
				return nil
			}
			s.start = t.scope().start
			*t.scope() = s
			if given != "" {
				given = "(?" + given + ")"
			}
			t.emit(i+1, given, noItem)
			return nil
		default:
			return t.syntaxError(t.at+i+1, "the flags are i, m, s, U, x and u; write (?:...) for a group")
		}
	}
	return t.syntaxError(len(t.in), "the group is not closed; write (?: and )")
}

// repeat translates a repetition, which is written as op and has size bytes.
func (t *translator) repeat(op string, size int) error {
	switch {
	case t.lastItem == atom:
		t.emit(size, op, repeated)
	case t.lastItem == repeated && op == "?":
		t.emit(size, op, lazyRepeated)
	case t.lastItem == noItem:
		return t.syntaxError(t.at+size, "there is nothing before it to repeat; write \\"+op+" for the character itself")
	default:
		return t.syntaxError(t.at+size, "it repeats a repetition; put what comes before into a group, as in (?:a+)*")
	}
	return nil
}

// countedRepeat translates a repetition in braces. Braces that cannot be a repetition
// stand for themselves; ripgrep refuses them.
func (t *translator) countedRepeat() error {
	body, _, closed := strings.Cut(t.rest()[1:], "}")
	low, high, two := strings.Cut(body, ",")
	size := len(body) + 2
	if closed && two && low == "" && isNumber(high) {
		return t.syntaxError(t.at+size, "the smaller number is missing; write {0,"+high+"}")
	}
	if !closed || !isNumber(low) || high != "" && !isNumber(high) {
		t.emit(1, `\{`, atom)
		return nil
	}
	minimum, err := strconv.Atoi(low)
	maximum := minimum
	if err == nil && high != "" {
		maximum, err = strconv.Atoi(high)
	}
	if err != nil || max(minimum, maximum) > maxRepeat {
		return t.syntaxError(t.at+size, "more than 1000 repetitions; use a smaller number, or * or +")
	}
	if maximum < minimum {
		return t.syntaxError(t.at+size, "the first number must not be the greater one")
	}
	return t.repeat(t.rest()[:size], size)
}

// maxRepeat is the limit of Go's regular expressions.
const maxRepeat = 1000

func isNumber(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
