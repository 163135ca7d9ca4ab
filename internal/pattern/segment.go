package pattern

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A segment is what a pattern says of one name in a path. The zero segment is
// the pattern "**", which stands for any number of names.
type segment []token

// A token stands for a run of characters.
type token struct {
	kind  tokenKind
	text  string // of a literal
	class *class
}

type tokenKind int

const (
	literal tokenKind = iota
	one               // ?
	many              // *
	set               // [...]
)

// parseSegment reads the gitignore pattern of one name, which is not "**".
func parseSegment(text string) (segment, error) {
	var s segment
	var run strings.Builder
	flush := func() {
		if run.Len() > 0 {
			s = append(s, token{text: run.String()})
			run.Reset()
		}
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '*':
			flush()
			if len(s) == 0 || s[len(s)-1].kind != many {
				s = append(s, token{kind: many})
			}
		case '?':
			flush()
			s = append(s, token{kind: one})
		case '[':
			flush()
			cl, n, err := parseClass(text[i+1:])
			if err != nil {
				return nil, err
			}
			s = append(s, token{kind: set, class: cl})
			i += n
		case '\\':
			if i++; i == len(text) {
				return nil, errors.New(`a name ends in a backslash; separate names by "/", and write \\ for a backslash that belongs to a name`)
			}
			run.WriteByte(text[i])
		default:
			run.WriteByte(c)
		}
	}
	flush()
	return s, nil
}

func (s segment) anyDepth() bool { return s == nil }

// anyName reports whether s is "*".
func (s segment) anyName() bool { return len(s) == 1 && s[0].kind == many }

// literal returns the one name that s stands for.
func (s segment) literal() (string, bool) {
	if len(s) == 1 && s[0].kind == literal {
		return s[0].text, true
	}
	return "", false
}

// fold returns s for names that are folded by f.
func (s segment) fold(f folding) segment {
	if s.anyDepth() || f == exactly {
		return s
	}
	folded := make(segment, len(s))
	for i, t := range s {
		t.text = f.fold(t.text)
		if t.class != nil {
			c := *t.class
			c.fold = f
			t.class = &c
		}
		folded[i] = t
	}
	return folded
}

// matches reports whether s stands for name.
func (s segment) matches(name string) bool {
	i, star := 0, -1
	var retry string // what is left after the run that the last star stands for
	for rest := name; ; {
		if i < len(s) && s[i].kind == many {
			i++
			star, retry = i, rest
			continue
		}
		if i == len(s) && rest == "" {
			return true
		}
		if i < len(s) {
			if n, ok := s[i].prefix(rest); ok {
				rest = rest[n:]
				i++
				continue
			}
		}
		if star < 0 || retry == "" {
			return false
		}
		_, n := utf8.DecodeRuneInString(retry)
		retry = retry[n:]
		i, rest = star, retry
	}
}

// prefix returns how many bytes at the start of text t stands for.
func (t token) prefix(text string) (int, bool) {
	if t.kind == literal {
		return len(t.text), strings.HasPrefix(text, t.text)
	}
	r, n := utf8.DecodeRuneInString(text)
	return n, n > 0 && (t.kind == one || t.class.has(r))
}

// A class is a set of characters.
type class struct {
	not   bool
	spans [][2]rune
	named []func(rune) bool
	fold  folding
}

// parseClass reads what follows a "[", and returns how many bytes it read.
func parseClass(text string) (*class, int, error) {
	c, i := &class{}, 0
	if strings.HasPrefix(text, "!") || strings.HasPrefix(text, "^") {
		c.not, i = true, 1
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

// has reports whether r, or what folding takes for the same, is in the set. Once
// marks are dropped, a set that goes beyond ASCII may mean any character.
func (c *class) has(r rune) bool {
	if c.fold == foldMarks && slices.ContainsFunc(c.spans, func(s [2]rune) bool { return s[1] >= utf8.RuneSelf }) {
		return true
	}
	in := c.lists(r)
	if c.fold != exactly {
		for next := unicode.SimpleFold(r); next != r && !in; next = unicode.SimpleFold(next) {
			in = (c.fold != foldASCII || next < utf8.RuneSelf && r < utf8.RuneSelf) && c.lists(next)
		}
	}
	return in != c.not
}

func (c *class) lists(r rune) bool {
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
