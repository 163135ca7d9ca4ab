package strictjson

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/internal/jsonscan"
)

// A decoder builds the value of a valid text in UTF-8.
type decoder struct {
	scan   jsonscan.Scanner
	copied string // a copy of the text; numbers and strings without escapes are parts of it
	depth  int    // levels left
	limit  int    // levels allowed
}

// value reads one value with the space before it.
func (d *decoder) value() (any, error) {
	d.scan.Next()
	switch d.scan.Text[d.scan.Pos] {
	case '{':
		return d.object()
	case '[':
		return d.list()
	case '"':
		s, err := d.string()
		if err != nil {
			return nil, err
		}
		return s, nil
	case 't':
		d.scan.Value()
		return true, nil
	case 'f':
		d.scan.Value()
		return false, nil
	case 'n':
		d.scan.Value()
		return nil, nil
	default:
		start := d.scan.Pos
		d.scan.Value()
		return json.Number(d.copied[start:d.scan.Pos]), nil
	}
}

func (d *decoder) object() (any, error) {
	if err := d.enter(); err != nil {
		return nil, err
	}
	object := map[string]any{}
	for d.scan.More() {
		key, err := d.string()
		if err != nil {
			return nil, err
		}
		v, err := d.value()
		if err != nil {
			return nil, prependPath(AppendKey("", key), err)
		}
		size := len(object)
		if object[key] = v; len(object) == size {
			return nil, &DuplicateKeyError{Key: key}
		}
	}
	d.leave()
	return object, nil
}

func (d *decoder) list() (any, error) {
	if err := d.enter(); err != nil {
		return nil, err
	}
	list := []any{}
	for d.scan.More() {
		v, err := d.value()
		if err != nil {
			return nil, prependPath(AppendIndex("", len(list)), err)
		}
		list = append(list, v)
	}
	d.leave()
	return list, nil
}

// enter steps over the bracket that opens an object or list.
func (d *decoder) enter() error {
	if d.depth == 0 {
		return &LimitError{Unit: "levels", Limit: d.limit}
	}
	d.depth--
	d.scan.Pos++
	return nil
}

// leave steps over the bracket that closes an object or list.
func (d *decoder) leave() {
	d.depth++
	d.scan.Pos++
}

// string reads a string, which is a part of the copy unless it has an escape.
func (d *decoder) string() (string, error) {
	start := d.scan.Pos
	literal := d.scan.Value()
	if bytes.IndexByte(literal, '\\') < 0 {
		return d.copied[start+1 : d.scan.Pos-1], nil
	}
	if i := jsonscan.IndexLoneSurrogate(literal); i >= 0 {
		return "", &SyntaxError{
			Offset: start + i,
			Msg: string(literal[i:i+len(`\uXXXX`)]) + " is half a character without its other half; " +
				"write the character itself",
		}
	}
	return jsonscan.Unquote(literal), nil
}

// maxQuoted is the maximum number of characters of a quoted text in a message.
const maxQuoted = 80

// AppendQuoted appends s as a JSON string. It escapes only the characters that JSON
// requires: the quote, the backslash and control characters below U+0020. Invalid UTF-8
// stays unchanged.
func AppendQuoted(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[start:i]...)
		start = i + 1
		if short := strings.IndexByte("\"\\\b\f\n\r\t", c); short >= 0 {
			dst = append(dst, '\\', `"\bfnrt`[short])
		} else {
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&0xf])
		}
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

// Quote returns s as a JSON string for a message. A string of more than 80 characters is
// cut, with an ellipsis at its end.
func Quote(s string) string {
	return string(AppendQuoted(nil, Cut(s)))
}

// Cut returns at most the first 80 characters of s, with an ellipsis if s has more.
func Cut(s string) string {
	if len(s) <= maxQuoted {
		return s
	}
	end := 0
	for range maxQuoted {
		if end == len(s) {
			return s
		}
		_, size := utf8.DecodeRuneInString(s[end:])
		end += size
	}
	if end == len(s) {
		return s
	}
	return s[:end] + "…"
}
