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

// emojiRanges holds the characters of properties of emoji as the content of a character
// class. The ranges are those of Unicode's emoji-data.txt.
var emojiRanges = map[string]string{
	"Emoji_Component": `#*0-9\u200D\u20E3\uFE0F` + "\U0001F1E6-\U0001F1FF\U0001F3FB-\U0001F3FF\U0001F9B0-\U0001F9B3\U000E0020-\U000E007F",
	"Extended_Pictographic": `\u00A9\u00AE\u203C\u2049\u2122\u2139\u2194-\u2199\u21A9-\u21AA\u231A-\u231B\u2328\u2388\u23CF` +
		`\u23E9-\u23F3\u23F8-\u23FA\u24C2\u25AA-\u25AB\u25B6\u25C0\u25FB-\u25FE\u2600-\u2605\u2607-\u2612\u2614-\u2685` +
		`\u2690-\u2705\u2708-\u2712\u2714\u2716\u271D\u2721\u2728\u2733-\u2734\u2744\u2747\u274C\u274E\u2753-\u2755\u2757` +
		`\u2763-\u2767\u2795-\u2797\u27A1\u27B0\u27BF\u2934-\u2935\u2B05-\u2B07\u2B1B-\u2B1C\u2B50\u2B55\u3030\u303D\u3297\u3299` +
		"\U0001F000-\U0001F0FF\U0001F10D-\U0001F10F\U0001F12F\U0001F16C-\U0001F171\U0001F17E-\U0001F17F\U0001F18E\U0001F191-\U0001F19A" +
		"\U0001F1AD-\U0001F1E5\U0001F201-\U0001F20F\U0001F21A\U0001F22F\U0001F232-\U0001F23A\U0001F23C-\U0001F23F\U0001F249-\U0001F3FA" +
		"\U0001F400-\U0001F53D\U0001F546-\U0001F64F\U0001F680-\U0001F6FF\U0001F774-\U0001F77F\U0001F7D5-\U0001F7FF\U0001F80C-\U0001F80F" +
		"\U0001F848-\U0001F84F\U0001F85A-\U0001F85F\U0001F888-\U0001F88F\U0001F8AE-\U0001F8FF\U0001F90C-\U0001F93A\U0001F93C-\U0001F945" +
		"\U0001F947-\U0001FAFF\U0001FC00-\U0001FFFD",
}
