package strictjson

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxLevels is the maximum number of nested objects and lists that encoding/json reads.
const maxLevels = 10_000

// A Fault is the first place where a text is not JSON. The words are this package's own, so
// that they are the same with every release of Go.
type Fault struct {
	Offset  int    // of the first wrong byte; the length if the text ends too early
	What    string // the description of the fault
	Advice  string // the remedy, for the author of the text
	TooDeep bool   // the text may be JSON, but nests deeper than encoding/json reads
}

// FindFault returns the first fault of a text, or nil if json.Valid accepts it. Bytes that
// are not UTF-8 are faults only outside strings.
func FindFault(text []byte) *Fault {
	s := syntax{text: text}
	fault := s.value()
	for fault == nil && len(s.open) > 0 {
		fault = s.next()
	}
	if fault == nil && !s.ended() {
		fault = &Fault{Offset: s.pos, What: "there is more text after the value", Advice: "send one JSON object and nothing else"}
	}
	return fault
}

// syntax checks the grammar of a text. It does not recurse, since a text may nest deeper
// than a goroutine's stack should grow.
type syntax struct {
	text  []byte
	pos   int
	open  []byte // the expected closing brackets, the innermost last
	fresh bool   // the last token opened the innermost bracket
}

// ended steps over space and reports whether that was the end of the text.
func (s *syntax) ended() bool {
	for s.pos < len(s.text) && strings.IndexByte(" \t\r\n", s.text[s.pos]) >= 0 {
		s.pos++
	}
	return s.pos == len(s.text)
}

// next reads the token after a value or an opening bracket: a closing bracket, or the next
// member or element.
func (s *syntax) next() *Fault {
	if s.ended() {
		return s.unfinished()
	}
	closing, c, fresh := s.open[len(s.open)-1], s.text[s.pos], s.fresh
	s.fresh = false
	switch {
	case c == closing:
		s.pos++
		s.open = s.open[:len(s.open)-1]
		return nil
	case fresh:
	case c != ',':
		return s.fault("found % where a comma or "+string(closing)+" is wanted", "check the quotes and commas before it")
	default:
		s.pos++
	}
	if closing == '}' {
		if fault := s.key(); fault != nil {
			return fault
		}
	}
	return s.value()
}

// key reads a key and the colon after it.
func (s *syntax) key() *Fault {
	if s.ended() {
		return s.unfinished()
	}
	if s.text[s.pos] != '"' {
		return s.fault("found % where a key in double quotes is wanted", "remove a comma too many or quote the key")
	}
	if fault := s.string(); fault != nil {
		return fault
	}
	if s.ended() {
		return s.unfinished()
	}
	if s.text[s.pos] != ':' {
		return s.fault("found % where a colon is wanted after the key", "check the quotes before it")
	}
	s.pos++
	return nil
}

// value reads a scalar, or the opening bracket of an object or list.
func (s *syntax) value() *Fault {
	if s.ended() {
		return s.unfinished()
	}
	switch c := s.text[s.pos]; {
	case c == '{':
		return s.enter('}')
	case c == '[':
		return s.enter(']')
	case c == '"':
		return s.string()
	case c == 't':
		return s.word("true")
	case c == 'f':
		return s.word("false")
	case c == 'n':
		return s.word("null")
	case c == '-', isDigit(c):
		return s.number()
	}
	return s.fault("found % where a value is wanted", "send an object, list, text in double quotes, number, true, false or null")
}

func (s *syntax) enter(closing byte) *Fault {
	if len(s.open) == maxLevels {
		return &Fault{Offset: s.pos, What: fmt.Sprintf("the value nests deeper than %d levels", maxLevels), Advice: "send a flatter one", TooDeep: true}
	}
	s.open, s.fresh = append(s.open, closing), true
	s.pos++
	return nil
}

func (s *syntax) string() *Fault {
	for s.pos++; s.pos < len(s.text); s.pos++ {
		switch c := s.text[s.pos]; {
		case c == '"':
			s.pos++
			return nil
		case c == '\\':
			if fault := s.escape(); fault != nil {
				return fault
			}
		case c == '\n':
			return s.fault("a line break inside a string", `write it as \n`)
		case c == '\t':
			return s.fault("a tab inside a string", `write it as \t`)
		case c < ' ':
			return s.fault("the control character % inside a string", "write it as an escape")
		}
	}
	return s.unfinishedString()
}

// escape reads an escape up to its last character.
func (s *syntax) escape() *Fault {
	s.pos++
	switch {
	case s.pos == len(s.text):
		return s.unfinishedString()
	case s.text[s.pos] != 'u':
		if strings.IndexByte(`"\/bfnrt`, s.text[s.pos]) < 0 {
			return s.fault("the backslash before % starts no escape", `write \\ for a backslash`)
		}
		return nil
	}
	for range 4 {
		s.pos++
		switch {
		case s.pos == len(s.text):
			return s.unfinishedString()
		case !isHexadecimal(s.text[s.pos]):
			return s.fault(`\u needs four hexadecimal digits, found %`, "write the character itself")
		}
	}
	return nil
}

func (s *syntax) word(word string) *Fault {
	for i := range len(word) {
		switch {
		case s.pos == len(s.text):
			return s.unfinished()
		case s.text[s.pos] != word[i]:
			return s.fault("found % inside a word", "only true, false and null stand without quotes")
		}
		s.pos++
	}
	return nil
}

func (s *syntax) number() *Fault {
	if s.text[s.pos] == '-' {
		s.pos++
	}
	if s.pos < len(s.text) && s.text[s.pos] == '0' {
		s.pos++
	} else if fault := s.digits(); fault != nil {
		return fault
	}
	if s.pos < len(s.text) && s.text[s.pos] == '.' {
		s.pos++
		if fault := s.digits(); fault != nil {
			return fault
		}
	}
	if s.pos < len(s.text) && (s.text[s.pos] == 'e' || s.text[s.pos] == 'E') {
		s.pos++
		if s.pos < len(s.text) && (s.text[s.pos] == '+' || s.text[s.pos] == '-') {
			s.pos++
		}
		return s.digits()
	}
	return nil
}

// digits reads one or more digits.
func (s *syntax) digits() *Fault {
	switch {
	case s.pos == len(s.text):
		return s.unfinished()
	case !isDigit(s.text[s.pos]):
		return s.fault("found % inside a number", "write it in decimal, such as 12 or 0.5")
	}
	for s.pos < len(s.text) && isDigit(s.text[s.pos]) {
		s.pos++
	}
	return nil
}

// fault returns a fault at the next character, which replaces % in what.
func (s *syntax) fault(what, advice string) *Fault {
	found, _ := utf8.DecodeRune(s.text[s.pos:])
	return &Fault{Offset: s.pos, What: strings.Replace(what, "%", strconv.QuoteRune(found), 1), Advice: advice}
}

func (s *syntax) unfinished() *Fault {
	return &Fault{Offset: len(s.text), What: "the text ends before the value is complete", Advice: "send the whole object again"}
}

func (s *syntax) unfinishedString() *Fault {
	return &Fault{Offset: len(s.text), What: "the text ends inside a string", Advice: "send the whole object again"}
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isHexadecimal(c byte) bool {
	return isDigit(c) || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// A Trail is a path from the root of a value to a part of it. The nil Trail is the root. It
// becomes a text only when Path is called.
type Trail struct {
	parent *Trail
	key    string
	index  int // -1 for a key
}

// Key returns the trail to a member of the object at t.
func (t *Trail) Key(key string) *Trail { return &Trail{parent: t, key: key, index: -1} }

// Index returns the trail to an element of the list at t.
func (t *Trail) Index(i int) *Trail { return &Trail{parent: t, index: i} }

// Path returns the path for a message, such as items[2].name.
func (t *Trail) Path() string {
	switch {
	case t == nil:
		return ""
	case t.index < 0:
		return AppendKey(t.parent.Path(), t.key)
	default:
		return AppendIndex(t.parent.Path(), t.index)
	}
}
