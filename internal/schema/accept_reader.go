package schema

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

// maxUndeclared is the maximum number of undeclared keys that an acceptReader compares.
const maxUndeclared = 12

// A acceptReader reads one text that is not yet known to be valid JSON. It checks the grammar
// and the schema in one pass, so it cannot be a jsonscan.Scanner, which relies on the
// grammar. Each method reports whether it stepped over the part that it is named after;
// if not, pos is meaningless.
type acceptReader struct {
	text   []byte // UTF-8
	pos    int
	levels int // of objects and lists that may still be opened
}

// peek returns the next byte, or 0 at the end of the text, which is never valid.
func (r *acceptReader) peek() byte {
	if r.pos < len(r.text) {
		return r.text[r.pos]
	}
	return 0
}

func (r *acceptReader) space() {
	for r.pos < len(r.text) {
		switch r.text[r.pos] {
		case ' ', '\n', '\r', '\t':
			r.pos++
		default:
			return
		}
	}
}

// value reads a value that a accepts, with the space before it.
func (r *acceptReader) value(a *acceptor) bool {
	r.space()
	if len(a.either) > 0 {
		return r.choice(a)
	}
	switch r.peek() {
	case '{':
		return a.kinds&objects != 0 && r.object(a)
	case '[':
		return a.kinds&lists != 0 && r.list(a)
	}
	start := r.pos
	return r.scalar(a) && a.isListed(r.text[start:r.pos])
}

func (r *acceptReader) scalar(a *acceptor) bool {
	switch r.peek() {
	case '"':
		return a.kinds&texts != 0 && r.textOf(a)
	case 't':
		return a.kinds&booleans != 0 && r.word("true")
	case 'f':
		return a.kinds&booleans != 0 && r.word("false")
	case 'n':
		return a.kinds&nulls != 0 && r.word("null")
	default:
		return r.number(a)
	}
}

// choice reads a value that one of the alternatives accepts.
func (r *acceptReader) choice(a *acceptor) bool {
	start := *r
	for _, one := range a.either {
		if r.value(one) {
			return true
		}
		*r = start
	}
	return false
}

func (r *acceptReader) word(word string) bool {
	end := r.pos + len(word)
	if end > len(r.text) || string(r.text[r.pos:end]) != word {
		return false
	}
	r.pos = end
	return true
}

func (r *acceptReader) list(a *acceptor) bool {
	if !r.open() {
		return false
	}
	n := 0
	for ; r.another(']', n == 0); n++ {
		if !r.value(a.items) {
			return false
		}
	}
	return r.closed(']') && within(a.bounds.MinItems, n, a.bounds.MaxItems)
}

// open steps over the bracket that opens an object or list.
func (r *acceptReader) open() bool {
	r.levels--
	r.pos++
	return r.levels >= 0
}

// another steps over the comma before the next element. It reports whether an element must
// follow.
func (r *acceptReader) another(end byte, first bool) bool {
	r.space()
	if first {
		return r.peek() != end
	}
	if r.peek() != ',' {
		return false
	}
	r.pos++
	return true
}

// closed steps over the closing bracket.
func (r *acceptReader) closed(end byte) bool {
	closed := r.peek() == end
	r.pos++
	r.levels++
	return closed
}

func (r *acceptReader) object(a *acceptor) bool {
	if !r.open() {
		return false
	}
	k := objectKeys{acceptor: a}
	n := 0
	for ; r.another('}', n == 0); n++ {
		r.space()
		key, escaped, ok := r.string()
		if !ok || escaped {
			return false // an escaped key may equal another key
		}
		value := k.accept(key)
		r.space()
		if value == nil || !r.word(":") || !r.value(value) {
			return false
		}
	}
	return r.closed('}') && k.seen&a.required == a.required && within(a.bounds.MinProperties, n, a.bounds.MaxProperties)
}

// objectKeys holds the keys of one object that were read.
type objectKeys struct {
	*acceptor
	seen       uint64 // a bit for each of the properties
	undeclared [maxUndeclared][]byte
	n          int // number of undeclared keys
}

// accept returns the acceptor for the value of key. It returns nil if the object has the key
// already, if the key is not allowed, and if there are too many undeclared keys.
func (k *objectKeys) accept(key []byte) *acceptor {
	for i := range k.properties {
		bit := uint64(1) << i
		switch {
		case !bytes.Equal(k.properties[i].name, key):
		case k.seen&bit != 0:
			return nil
		default:
			k.seen |= bit
			return k.properties[i].value
		}
	}
	if k.additional == nil || k.n == maxUndeclared {
		return nil
	}
	for _, other := range k.undeclared[:k.n] {
		if bytes.Equal(other, key) {
			return nil
		}
	}
	for _, p := range k.properties {
		if bytes.EqualFold(p.name, key) {
			return nil
		}
	}
	k.undeclared[k.n] = key
	k.n++
	return k.additional
}

func (r *acceptReader) textOf(a *acceptor) bool {
	text, escaped, ok := r.string()
	if !ok || !a.hasTextBounds() {
		return ok
	}
	return !escaped && a.acceptsText(text)
}

// string reads a string with its quotes. It returns the content between them.
func (r *acceptReader) string() (content []byte, escaped, ok bool) {
	if r.peek() != '"' {
		return nil, false, false
	}
	start := r.pos + 1
	for i := start; i < len(r.text); i++ {
		switch c := r.text[i]; {
		case c == '"':
			r.pos = i + 1
			return r.text[start:i], escaped, true
		case c == '\\':
			size := escapeSize(r.text[i:])
			if size == 0 {
				return nil, false, false
			}
			escaped = true
			i += size - 1
		case c < ' ':
			return nil, false, false
		}
	}
	return nil, false, false
}

// escapeSize returns the length of the escape at the start of text. It returns 0 for
// text that is not a valid escape, and for a surrogate, of which JSON needs two.
func escapeSize(text []byte) int {
	const codePoint = len(`\u0000`)
	if len(text) < 2 {
		return 0
	}
	switch text[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if len(text) < codePoint {
			return 0
		}
		n, err := strconv.ParseUint(string(text[2:codePoint]), 16, 32)
		if err != nil || !utf8.ValidRune(rune(n)) {
			return 0
		}
		return codePoint
	}
	return 0
}

// number reads a number of a kind and value that a accepts.
func (r *acceptReader) number(a *acceptor) bool {
	start := r.pos
	kind := integers
	for ; r.pos < len(r.text); r.pos++ {
		c := r.text[r.pos]
		if c == '.' || c|0x20 == 'e' {
			kind = decimals
		} else if c != '-' && c != '+' && (c < '0' || c > '9') {
			break
		}
	}
	number := r.text[start:r.pos]
	return a.kinds&kind != 0 && json.Valid(number) && !isLong(string(number)) && a.acceptsNumber(number)
}
