package content

import (
	"encoding/base64"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/jsonscan"
)

// members are those of a JSON object, as they were sent. Of a repeated key the last one
// counts, as in most decoders. Nil members are those of an empty object.
type members map[string][]byte

// membersOf returns the members of a value, or nil if that is no object. The value is valid
// JSON; the members are parts of it.
func membersOf(value []byte) members {
	if len(value) == 0 || value[0] != '{' {
		return nil
	}
	m := members{}
	for s := (jsonscan.Scanner{Text: value, Pos: 1}); s.More(); {
		key := jsonscan.Unquote(s.Value())
		m[key] = s.Value()
	}
	return m
}

// elementsOf returns the elements of a value, or nil if that is no list.
func elementsOf(value []byte) (elements [][]byte) {
	if len(value) == 0 || value[0] != '[' {
		return nil
	}
	for s := (jsonscan.Scanner{Text: value, Pos: 1}); s.More(); {
		elements = append(elements, s.Value())
	}
	return elements
}

// value returns a member, or nil if there is none or it is null.
func (m members) value(name string) []byte {
	if v := m[name]; string(v) != "null" {
		return v
	}
	return nil
}

// text returns a member that is a string.
func (m members) text(name string) (text string, ok bool) {
	v := m[name]
	if len(v) == 0 || v[0] != '"' {
		return "", false
	}
	return jsonscan.Unquote(v), true
}

// object returns the members of a member.
func (m members) object(name string) members { return membersOf(m[name]) }

// bytes returns a member that holds bytes in base64, in any of its common spellings.
func (m members) bytes(name string) (data []byte, ok bool) {
	text, ok := m.text(name)
	if !ok {
		return nil, false
	}
	encoding := base64.RawStdEncoding
	if strings.ContainsAny(text, "-_") {
		encoding = base64.RawURLEncoding
	}
	data, err := encoding.DecodeString(strings.TrimRight(text, "=\r\n")) // line breaks within are skipped
	return data, err == nil
}
