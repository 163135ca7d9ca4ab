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
	in     string
	at     int
	out    strings.Builder
	scopes []scope // the groups that are open, the pattern itself first
	last   item
	lines  bool // a match may not hold the end of a line
}

// A scope is what flags say within a group.
type scope struct {
	begin    int // where the group begins
	extended bool
	ascii    bool
}

// An item is what stands before the place that is read.
type item int

const (
	nothing  item = iota // that could be repeated
	atom                 // what can be
	repeated             // what has been
	lazy                 // what has been, and is not greedy
)

func translate(q Query) (string, error) {
	t := translator{in: q.Pattern, scopes: []scope{{ascii: q.ASCII}}, lines: !q.Multiline}
	for t.at < len(t.in) {
		if err := t.next(); err != nil {
			return "", err
		}
	}
	if len(t.scopes) > 1 {
		at := t.scope().begin
		return "", newError(t.in, at, at+1, `the group is not closed; add a ), or write \( for the character itself`)
	}
	return t.out.String(), nil
}

func (t *translator) scope() *scope { return &t.scopes[len(t.scopes)-1] }

// bad blames what is between t.at and to.
func (t *translator) bad(to int, reason string) error { return newError(t.in, t.at, to, reason) }

// rest returns what is not read yet.
func (t *translator) rest() string { return t.in[t.at:] }

// next translates one construct.
func (t *translator) next() error {
	r, size := utf8.DecodeRuneInString(t.rest())
	if r == utf8.RuneError && size == 1 {
		return t.bad(t.at+1, "the pattern is not UTF-8")
	}
	switch r {
	case '\\':
		return t.escape()
	case '[':
		return t.class()
	case '(':
		return t.open()
	case ')':
		if len(t.scopes) == 1 {
			return t.bad(t.at+1, `no group is open; write \) for the character itself`)
		}
		t.scopes = t.scopes[:len(t.scopes)-1]
		t.emit(1, ")", atom)
	case '|':
		t.emit(1, "|", nothing)
	case '*', '+', '?':
		return t.repeat(t.in[t.at:t.at+1], 1)
	case '{':
		return t.count()
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
	t.last = last
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
	if r == '\n' && t.lines {
		return t.bad(t.at+size, newlineAdvice)
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

// repeat translates a repetition that is written as op in size bytes.
func (t *translator) repeat(op string, size int) error {
	switch {
	case t.last == atom:
		t.emit(size, op, repeated)
	case t.last == repeated && op == "?":
		t.emit(size, op, lazy)
	case t.last == nothing:
		return t.bad(t.at+size, "there is nothing before it to repeat; write \\"+op+" for the character itself")
	default:
		return t.bad(t.at+size, "it repeats a repetition; put what comes before into a group, as in (?:a+)*")
	}
	return nil
}

// maxRepeat is Go's limit.
const maxRepeat = 1000

// count translates a repetition in braces. Braces that cannot be one stand for
// themselves, where ripgrep refuses them.
func (t *translator) count() error {
	body, _, closed := strings.Cut(t.rest()[1:], "}")
	low, high, two := strings.Cut(body, ",")
	size := len(body) + 2
	if closed && two && low == "" && isNumber(high) {
		return t.bad(t.at+size, "the smaller number is missing; write {0,"+high+"}")
	}
	if !closed || !isNumber(low) || high != "" && !isNumber(high) {
		t.emit(1, `\{`, atom)
		return nil
	}
	least, err := strconv.Atoi(low)
	most := least
	if err == nil && high != "" {
		most, err = strconv.Atoi(high)
	}
	if err != nil || max(least, most) > maxRepeat {
		return t.bad(t.at+size, "more than 1000 repetitions; use a smaller number, or * or +")
	}
	if most < least {
		return t.bad(t.at+size, "the first number must not be the greater one")
	}
	return t.repeat(t.rest()[:size], size)
}

func isNumber(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// open translates the beginning of a group.
func (t *translator) open() error {
	s := *t.scope()
	s.begin = t.at
	rest := t.rest()
	for _, look := range []string{"(?=", "(?!", "(?<=", "(?<!"} {
		if strings.HasPrefix(rest, look) {
			return t.bad(t.at+len(look), "look-around is not supported; search for what the lines hold and look at the results")
		}
	}
	switch {
	case strings.HasPrefix(rest, "(?>"):
		return t.bad(t.at+3, "groups that do not give back are not supported; write (?:")
	case strings.HasPrefix(rest, "(?P<") || strings.HasPrefix(rest, "(?<"):
		return t.named(s)
	case strings.HasPrefix(rest, "(?"):
		return t.setFlags(s)
	}
	t.scopes = append(t.scopes, s)
	t.emit(1, "(", nothing)
	return nil
}

// named translates the beginning of a group with a name. Nobody asks for it by
// its name.
func (t *translator) named(s scope) error {
	begin := strings.IndexByte(t.rest(), '<') + 1
	end := strings.IndexByte(t.rest(), '>')
	if end <= begin {
		return t.bad(t.at+begin, "the name of the group is not closed; write (?P<name>")
	}
	t.scopes = append(t.scopes, s)
	t.emit(end+1, "(", nothing)
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
				return t.bad(t.at+i+1, "a second - in the flags; leave it out")
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
				t.emit(i+1, "(?"+given+":", nothing)
				return nil
			}
			s.begin = t.scope().begin
			*t.scope() = s
			if given != "" {
				given = "(?" + given + ")"
			}
			t.emit(i+1, given, nothing)
			return nil
		default:
			return t.bad(t.at+i+1, "the flags are i, m, s, U, x and u; write (?:...) for a group")
		}
	}
	return t.bad(len(t.in), "the group is not closed; write (?: and )")
}

// assertion tells whether what follows a backslash is an assertion that both
// syntaxes know.
func assertion(c byte) bool { return strings.IndexByte("AzbB", c) >= 0 }

// perl returns the class that a backslash and c stand for.
func (t *translator) perl(c byte) (set, bool) {
	return perlClass(c, t.scope().ascii)
}

// escape translates what a backslash begins outside of brackets.
func (t *translator) escape() error {
	if t.at+1 == len(t.in) {
		return t.bad(t.at+1, `a \ ends the pattern; write \\ for the character itself`)
	}
	c := t.in[t.at+1]
	if assertion(c) {
		t.emit(2, t.in[t.at:t.at+2], atom)
		return nil
	}
	if s, ok := t.perl(c); ok {
		t.emit(2, "(?-i:"+s.class(false)+")", atom)
		return nil
	}
	if c == 'p' || c == 'P' {
		s, size, err := t.property()
		if err != nil {
			return err
		}
		t.emit(size, s.class(false), atom)
		return nil
	}
	r, size, err := t.escaped()
	if err != nil {
		return err
	}
	return t.char(r, size)
}
