// Package jsonedit changes single values of a JSON text. Every byte outside them stays the
// same: the order of keys, the space, the escapes, and unknown members. New values are
// formatted like their neighbours.
//
// It works on bytes and opens no file.
package jsonedit

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/internal/jsonscan"
)

const utf8BOM = "\xef\xbb\xbf"

// A Document is a parsed JSON text. It refers to the parsed bytes, which must not change
// while it is used. Its methods do not change it, so goroutines may call them at the same
// time.
type Document struct {
	// Indent is the indentation of one level where the text does not show one.
	Indent string

	data []byte
	root Span
	top  []Member // the members of root, if it is an object
}

// Parse reads a JSON text in UTF-8, with or without a byte order mark. The error is a
// *[SyntaxError]. Parse accepts repeated keys and lone surrogates: see [Repeated] and
// [jsonscan.IndexLoneSurrogate].
func Parse(data []byte) (*Document, error) {
	body := bytes.TrimPrefix(data, []byte(utf8BOM))
	shift := len(data) - len(body)
	if !utf8.Valid(body) {
		return nil, invalidUTF8(data, shift)
	}
	if !json.Valid(body) {
		return nil, invalidJSON(data, shift)
	}
	s := jsonscan.Scanner{Text: data, Pos: shift}
	d := &Document{data: data, root: nextValue(&s)}
	d.top = d.Members(d.root)
	return d, nil
}

// Root returns the whole value, without a byte order mark and space around it.
func (d *Document) Root() Span { return d.root }

// Top returns the members of the whole value, or nil if it is not an object.
func (d *Document) Top() []Member { return d.top }

// Raw returns the JSON text of a value.
func (d *Document) Raw(v Span) string { return string(d.data[v.Start:v.End]) }

// Bytes is Raw without a copy.
func (d *Document) Bytes(v Span) []byte { return d.data[v.Start:v.End] }

// Opens reports whether a value begins with that byte, such as a bracket or quote.
func (d *Document) Opens(v Span, bracket byte) bool {
	return !v.Missing() && d.data[v.Start] == bracket
}

// Text returns the content of a string, or "" if the value is not a string.
func (d *Document) Text(v Span) string {
	if !d.Opens(v, '"') {
		return ""
	}
	return jsonscan.Unquote(d.Bytes(v))
}

// Members returns the members of the object at v, or nil if v is not an object.
func (d *Document) Members(v Span) []Member {
	if !d.Opens(v, '{') {
		return nil
	}
	s := jsonscan.Scanner{Text: d.data, Pos: v.Start + 1}
	var all []Member
	for s.More() {
		key, value := nextValue(&s), nextValue(&s)
		all = append(all, Member{
			Key:   jsonscan.Unquote(d.Bytes(key)),
			Start: key.Start,
			Colon: Span{key.End, value.Start},
			Value: value,
		})
	}
	return all
}

// Elements returns the elements of the list at v, or nil if v is not a list.
func (d *Document) Elements(v Span) []Span {
	if !d.Opens(v, '[') {
		return nil
	}
	s := jsonscan.Scanner{Text: d.data, Pos: v.Start + 1}
	var all []Span
	for s.More() {
		all = append(all, nextValue(&s))
	}
	return all
}

// nextValue steps over the next value or key and returns its range.
func nextValue(s *jsonscan.Scanner) Span {
	text := s.Value()
	return Span{s.Pos - len(text), s.Pos}
}
