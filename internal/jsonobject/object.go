// Package jsonobject holds JSON objects that keep the order of their members: an
// [Object] leaves its values encoded, so that unchanged ones keep their bytes, and a
// [Tree] is decoded to the last value.
package jsonobject

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// An Object is a JSON object that keeps the order of its members and the bytes of their
// values.
type Object []Member

// A Member is one name and its value.
type Member struct {
	Name  string
	Value json.RawMessage
}

// With returns an object of one member.
func With(name string, value json.RawMessage) Object { return Object{}.With(name, value) }

// With returns a copy of o with one more member at the end, which o must not have.
func (o Object) With(name string, value json.RawMessage) Object {
	return append(o[:len(o):len(o)], Member{Name: name, Value: value})
}

var errNoObject = errors.New("not a JSON object")

// Parse returns the object at the start of raw. It does not look at the text after it.
func Parse(raw []byte) (Object, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return nil, errNoObject
	}
	o := Object{}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, err
		}
		text, _ := name.(string) // the decoder accepts nothing else here
		m := Member{Name: text}
		if err := dec.Decode(&m.Value); err != nil {
			return nil, err
		}
		o = append(o, m)
	}
	_, err := dec.Token()
	return o, err
}

// ParseUnique is Parse, and refuses an object with a repeated name: readers differ on its
// meaning.
func ParseUnique(raw []byte) (o Object, ok bool) {
	o, err := Parse(raw)
	if err != nil {
		return nil, false
	}
	const few = 16 // for so many names, comparing each pair is faster than a map
	if len(o) <= few {
		for i, m := range o {
			for _, before := range o[:i] {
				if before.Name == m.Name {
					return nil, false
				}
			}
		}
		return o, true
	}
	seen := make(map[string]bool, len(o))
	for _, m := range o {
		if seen[m.Name] {
			return nil, false
		}
		seen[m.Name] = true
	}
	return o, true
}

// Get returns the value of a member, or nil.
func (o Object) Get(name string) json.RawMessage {
	for _, m := range o {
		if m.Name == name {
			return m.Value
		}
	}
	return nil
}

// Text returns the value of a member that is a string.
func (o Object) Text(name string) (s string, ok bool) {
	raw := o.Get(name)
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	return s, json.Unmarshal(raw, &s) == nil
}

// Set replaces a member in its place, or adds it at the end.
func (o *Object) Set(name string, value json.RawMessage) {
	for i, m := range *o {
		if m.Name == name {
			(*o)[i].Value = value
			return
		}
	}
	*o = append(*o, Member{Name: name, Value: value})
}

// Encode returns the text of the object.
func (o Object) Encode() json.RawMessage {
	var b []byte
	for i, m := range o {
		b = append(b, "{,"[min(i, 1)])
		b = append(b, Quote(m.Name)...)
		b = append(b, ':')
		b = append(b, m.Value...)
	}
	if len(o) == 0 {
		b = append(b, '{')
	}
	return append(b, '}')
}

// List returns the text of a JSON array of encoded values.
func List(values []json.RawMessage) json.RawMessage {
	size := len("[]")
	for _, v := range values {
		size += len(v) + len(",")
	}
	b := append(make([]byte, 0, size), '[')
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, v...)
	}
	return append(b, ']')
}

// Quote encodes a string. Unlike json.Marshal, it does not escape <, > and &, which are common
// in texts for models. Each byte that is not valid UTF-8 becomes the escape \ufffd.
// encoding/json writes the escape or the character, depending on the release of Go, but the
// bytes of a request must not depend on it.
func Quote(s string) json.RawMessage {
	quoted, from := append(make([]byte, 0, len(s)+2), '"'), 0
	for i := 0; i < len(s); {
		r, size := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
		}
		if escape := escapeOf(r, size); escape != "" {
			quoted = append(append(quoted, s[from:i]...), escape...)
			from = i + size
		}
		i += size
	}
	return append(append(quoted, s[from:]...), '"')
}

// escapeOf returns the escape of a character that was decoded from size bytes, or "" if it
// needs none. U+2028 and U+2029 are escaped since they end a line in JavaScript.
func escapeOf(r rune, size int) string {
	switch {
	case r == '"':
		return `\"`
	case r == '\\':
		return `\\`
	case r == '\n':
		return `\n`
	case r == '\t':
		return `\t`
	case r == '\r':
		return `\r`
	case r == '\b':
		return `\b`
	case r == '\f':
		return `\f`
	case r < ' ', r == '\u2028', r == '\u2029', r == utf8.RuneError && size == 1:
		return fmt.Sprintf(`\u%04x`, r)
	}
	return ""
}

// Is reports whether raw is a valid JSON object.
func Is(raw []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(raw, " \t\r\n"), []byte("{")) && json.Valid(raw)
}
