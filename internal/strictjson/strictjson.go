// Package strictjson decodes JSON and refuses every text that another decoder might read
// differently.
//
// encoding/json keeps the last of two equal keys and replaces invalid text with U+FFFD;
// other decoders may not. Here both are errors, so that a permission rule and a tool see the
// same value.
package strictjson

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/internal/jsonscan"
)

const (
	// DefaultBytes is the default of Limits.Bytes.
	DefaultBytes = 16 << 20
	// DefaultDepth is the default of Limits.Depth.
	DefaultDepth = 128
)

// Limits bound the texts that [Decode] accepts. Zero fields mean the defaults.
type Limits struct {
	Bytes int // of the whole text
	Depth int // levels of nested objects and lists
}

// Decode returns the one JSON value in data: a map[string]any, []any, string,
// [json.Number] with the number's exact text, bool, or nil.
//
// encoding/json with UseNumber accepts all texts that Decode accepts, with the same result.
// Decode also refuses repeated keys, text that is not UTF-8, escaped lone surrogates, and
// text beyond the limits. The error is a *[SyntaxError], a *[DuplicateKeyError] or a
// *[LimitError], worded for a model.
//
// The value does not refer to data. Its strings share one copy of data, which stays in
// memory as long as any of them.
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
	d := decoder{scan: jsonscan.Scanner{Text: data}, copied: string(data), depth: l.Depth, limit: l.Depth}
	return d.value()
}

// Canonical returns data without insignificant space, and with only the escapes that JSON
// requires. The order of keys and the text of numbers stay unchanged. It refuses the same
// texts as [Decode], with the same errors.
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

// unescapeStrings returns a valid text with only the escapes that JSON requires.
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
