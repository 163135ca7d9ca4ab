// Package strictjson decodes one JSON value in the one way that leaves no doubt
// about what it says.
//
// encoding/json keeps the last of two equal keys and puts U+FFFD in place of
// what is not text; the next reader may do otherwise. Here both are errors, and
// so what a rule checked is what a tool gets.
package strictjson

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/internal/jsonscan"
)

const (
	// DefaultBytes is how long a JSON text may be unless [Limits] says otherwise.
	DefaultBytes = 16 << 20
	// DefaultDepth is how many objects and lists may enclose each other unless
	// [Limits] says otherwise.
	DefaultDepth = 128
)

// Limits bound what [Decode] reads. Zero fields mean the defaults.
type Limits struct {
	Bytes int // of the whole text
	Depth int // of objects and lists inside each other
}

// Decode returns the one JSON value in data: a map[string]any, []any, string,
// [json.Number] with the number's exact text, bool, or nil.
//
// Whatever it accepts encoding/json accepts with the same result, given
// UseNumber. It refuses more: a key that an object has twice, text that is not
// UTF-8, an escaped surrogate without its other half, and what is over the
// limits. The error is a *[SyntaxError], a *[DuplicateKeyError] or a
// *[LimitError]; each is worded for a model.
//
// The value does not refer to data. Its strings share one copy of it, which
// lives as long as any of them.
func Decode(data []byte, l Limits) (any, error) {
	if l.Bytes <= 0 {
		l.Bytes = DefaultBytes
	}
	if l.Depth <= 0 {
		l.Depth = DefaultDepth
	}
	if len(data) > l.Bytes {
		return nil, &LimitError{Unit: "bytes", Limit: l.Bytes}
	}
	if !utf8.Valid(data) {
		return nil, invalidUTF8(data)
	}
	if !json.Valid(data) {
		return nil, explain(data, l)
	}
	w := decoder{scan: jsonscan.Scanner{Text: data}, copied: string(data), depth: l.Depth, limit: l.Depth}
	return w.value()
}

// Canonical returns data without insignificant space and with no more escapes
// in its strings than JSON asks for. The order of keys and the text of numbers
// stay as they are. It refuses what [Decode] refuses, with its errors.
func Canonical(data []byte) ([]byte, error) {
	if _, err := Decode(data, Limits{}); err != nil {
		return nil, err
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, data); err != nil {
		return nil, err
	}
	short := compact.Bytes()
	if bytes.IndexByte(short, '\\') < 0 {
		return short, nil
	}
	return unescapeStrings(short), nil
}

// unescapeStrings returns a valid text with few escapes in its strings.
func unescapeStrings(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for s := (jsonscan.Scanner{Text: text}); s.Pos < len(text); {
		if c := text[s.Pos]; c != '"' {
			out = append(out, c)
			s.Pos++
			continue
		}
		out = AppendQuoted(out, jsonscan.Unquote(s.Value()))
	}
	return out
}
