package pattern

import (
	"errors"
	"slices"
	"strings"
	"unicode/utf8"
)

// A segment is the pattern of one name in a path. The zero segment is the pattern "**",
// which stands for any number of names.
type segment []token

// A token matches a run of characters.
type token struct {
	kind  tokenKind
	text  string // text of a literal
	class *class
}

type tokenKind int

const (
	literal   tokenKind = iota
	anyChar             // ?
	anyChars            // *
	charClass           // [...]
)

// parseSegment parses the gitignore pattern of one name, which is not "**".
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
			if len(s) == 0 || s[len(s)-1].kind != anyChars {
				s = append(s, token{kind: anyChars})
			}
		case '?':
			flush()
			s = append(s, token{kind: anyChar})
		case '[':
			flush()
			cl, n, err := parseClass(text[i+1:])
			if err != nil {
				return nil, err
			}
			s = append(s, token{kind: charClass, class: cl})
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
func (s segment) anyName() bool { return len(s) == 1 && s[0].kind == anyChars }

// literal returns the only name that s matches, if it has no wildcards.
func (s segment) literal() (string, bool) {
	if len(s) == 1 && s[0].kind == literal {
		return s[0].text, true
	}
	return "", false
}

// fold returns s for names that f has folded.
func (s segment) fold(f folding) segment {
	if !s.changes(f) {
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

// changes reports whether fold returns another segment.
func (s segment) changes(f folding) bool {
	return !s.anyDepth() && f != foldNone && slices.ContainsFunc(s, func(t token) bool { return t.class != nil || f.fold(t.text) != t.text })
}

// matches reports whether s matches name.
func (s segment) matches(name string) bool {
	i, star := 0, -1
	var retry string // rest of the name after the characters that the last star matches
	for rest := name; ; {
		if i < len(s) && s[i].kind == anyChars {
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

// prefix returns how many bytes at the start of text t matches.
func (t token) prefix(text string) (int, bool) {
	if t.kind == literal {
		return len(t.text), strings.HasPrefix(text, t.text)
	}
	r, n := utf8.DecodeRuneInString(text)
	return n, n > 0 && (t.kind == anyChar || t.class.has(r))
}
