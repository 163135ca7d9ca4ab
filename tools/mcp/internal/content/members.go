package content

import (
	"bytes"
	"encoding/base64"
	"mime"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/jsonscan"
)

// members are those of a JSON object: its text as it was sent, or nothing. Of a repeated key
// the last one counts, as in most decoders.
type members []byte

// membersOf returns the members of a value, which is valid JSON, or nil if it is no object.
func membersOf(value []byte) members {
	if len(value) == 0 || value[0] != '{' {
		return nil
	}
	return value
}

// raw returns the text of a member, or nil if there is no such member.
func (m members) raw(name string) (value []byte) {
	if len(m) == 0 {
		return nil
	}
	for s := (jsonscan.Scanner{Text: m, Pos: 1}); s.More(); {
		key := s.Value()
		if v := s.Value(); isKey(key, name) {
			value = v
		}
	}
	return value
}

// isKey reports whether a string literal stands for name.
func isKey(literal []byte, name string) bool {
	if bytes.IndexByte(literal, '\\') >= 0 {
		return jsonscan.Unquote(literal) == name
	}
	return string(literal[1:len(literal)-1]) == name
}

// elementsOf returns the first elements of a list, and the text of the others and how many
// there are. A value that is no list has none.
func elementsOf(value []byte, first int) (elements [][]byte, others []byte, count int) {
	if len(value) == 0 || value[0] != '[' {
		return nil, nil, 0
	}
	s := jsonscan.Scanner{Text: value, Pos: 1}
	for s.More() {
		if len(elements) == first {
			others = value[s.Pos : len(value)-1]
			break
		}
		elements = append(elements, s.Value())
	}
	for ; s.More(); count++ {
		s.Value()
	}
	return elements, others, count
}

// value returns a member, or nil if it is absent or null.
func (m members) value(name string) []byte {
	if v := m.raw(name); string(v) != "null" {
		return v
	}
	return nil
}

// text returns a member that is a string.
func (m members) text(name string) (text string, ok bool) { return stringOf(m.raw(name)) }

// stringOf returns a value that is a string.
func stringOf(value []byte) (text string, ok bool) {
	if len(value) == 0 || value[0] != '"' {
		return "", false
	}
	return jsonscan.Unquote(value), true
}

// object returns the members of a member.
func (m members) object(name string) members { return membersOf(m.raw(name)) }

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

// maxType is the maximum length of a media type. RFC 6838 allows 127 characters for each of
// its two halves.
const maxType = 255

// mime returns the media type of a block or resource, without parameters, or "" if it has
// none that can be read. Spelled is the type with its parameters, as it was sent.
func (m members) mime() (kind, spelled string) {
	text, _ := m.text("mimeType")
	kind, _, err := mime.ParseMediaType(text)
	if err != nil || len(text) > maxType || !strings.Contains(kind, "/") {
		return "", ""
	}
	return kind, text
}
