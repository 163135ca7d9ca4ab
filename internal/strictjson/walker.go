package strictjson

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A walker builds the value of a text that json.Valid accepted and that is
// UTF-8. So it never checks the grammar and never runs past the end.
type walker struct {
	text  string
	pos   int
	depth int // levels left
	limit int // levels allowed
}

// value reads one value with the space around it.
func (w *walker) value() (any, error) {
	w.space()
	switch w.text[w.pos] {
	case '{':
		return w.object()
	case '[':
		return w.list()
	case '"':
		s, err := w.string()
		if err != nil {
			return nil, err
		}
		return s, nil
	case 't':
		w.pos += len("true")
		return true, nil
	case 'f':
		w.pos += len("false")
		return false, nil
	case 'n':
		w.pos += len("null")
		return nil, nil
	default:
		return w.number(), nil
	}
}

func (w *walker) object() (any, error) {
	if err := w.enter(); err != nil {
		return nil, err
	}
	object := map[string]any{}
	for w.more('}') {
		key, err := w.string()
		if err != nil {
			return nil, err
		}
		w.space()
		w.pos++ // the colon
		v, err := w.value()
		if err != nil {
			return nil, within(AppendKey("", key), err)
		}
		size := len(object)
		if object[key] = v; len(object) == size {
			return nil, &DuplicateKeyError{Key: key}
		}
	}
	w.depth++
	return object, nil
}

func (w *walker) list() (any, error) {
	if err := w.enter(); err != nil {
		return nil, err
	}
	list := []any{}
	for w.more(']') {
		v, err := w.value()
		if err != nil {
			return nil, within(AppendIndex("", len(list)), err)
		}
		list = append(list, v)
	}
	w.depth++
	return list, nil
}

// enter steps over the bracket that opens an object or list.
func (w *walker) enter() error {
	if w.depth == 0 {
		return &LimitError{Unit: "levels", Limit: w.limit}
	}
	w.depth--
	w.pos++
	return nil
}

// more steps to the next element, or over the bracket that ends them.
func (w *walker) more(end byte) bool {
	w.space()
	switch w.text[w.pos] {
	case end:
		w.pos++
		return false
	case ',':
		w.pos++
		w.space()
	}
	return true
}

func (w *walker) space() {
	for w.pos < len(w.text) && w.text[w.pos] <= ' ' {
		w.pos++
	}
}

func (w *walker) number() json.Number {
	start := w.pos
	for w.pos < len(w.text) && isNumeric(w.text[w.pos]) {
		w.pos++
	}
	return json.Number(w.text[start:w.pos])
}

func isNumeric(c byte) bool {
	return '0' <= c && c <= '9' || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E'
}

// string reads a string, which is a part of the text unless it has an escape.
func (w *walker) string() (string, error) {
	w.pos++ // the quote
	for i := w.pos; ; i++ {
		switch w.text[i] {
		case '"':
			s := w.text[w.pos:i]
			w.pos = i + 1
			return s, nil
		case '\\':
			return w.escaped(i)
		}
	}
}

// escaped reads the rest of a string whose first escape is at i.
func (w *walker) escaped(i int) (string, error) {
	var out strings.Builder
	for {
		out.WriteString(w.text[w.pos:i])
		w.pos = i
		if w.text[i] == '"' {
			w.pos++
			return out.String(), nil
		}
		r, err := w.escape()
		if err != nil {
			return "", err
		}
		out.WriteRune(r)
		for i = w.pos; w.text[i] != '"' && w.text[i] != '\\'; {
			i++
		}
	}
}

// escape reads one escape, or two that are one character together.
func (w *walker) escape() (rune, error) {
	c := w.text[w.pos+1]
	w.pos += 2
	switch c {
	case 'b':
		return '\b', nil
	case 'f':
		return '\f', nil
	case 'n':
		return '\n', nil
	case 'r':
		return '\r', nil
	case 't':
		return '\t', nil
	case 'u':
		return w.unit()
	default: // quote, backslash, slash
		return rune(c), nil
	}
}

// unit reads what follows \u.
func (w *walker) unit() (rune, error) {
	start := w.pos - len(`\u`)
	high := w.hex()
	if !utf16.IsSurrogate(high) {
		return high, nil
	}
	if strings.HasPrefix(w.text[w.pos:], `\u`) {
		w.pos += len(`\u`)
		if r := utf16.DecodeRune(high, w.hex()); r != utf8.RuneError {
			return r, nil
		}
	}
	return 0, &SyntaxError{
		Offset: start,
		Msg: w.text[start:start+len(`\uXXXX`)] + " is half a character without its other half; " +
			"write the character itself",
	}
}

func (w *walker) hex() rune {
	const digits = 4
	n, err := strconv.ParseUint(w.text[w.pos:w.pos+digits], 16, 32)
	if err != nil {
		n = utf8.RuneError // cannot happen: json.Valid saw the digits
	}
	w.pos += digits
	return rune(n)
}
