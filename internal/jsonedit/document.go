// Package jsonedit changes single values of a JSON text so that every byte
// outside them stays as it was: the order of keys, the space, the escapes, what
// nobody here knows of. What is put in looks like its neighbours.
//
// It works on bytes and opens no file.
package jsonedit

import (
	"bytes"
	"encoding/json"
	"slices"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/internal/jsonscan"
)

const utf8BOM = "\xef\xbb\xbf"

// A Span is a stretch of a document's bytes, without its end. An empty one is a
// value that is not there.
type Span struct{ Start, End int }

// Missing reports whether the span is that of no value.
func (v Span) Missing() bool { return v.Start == v.End }

// A Member is one key of an object with its value.
type Member struct {
	Key   string
	Start int  // of the key's quote
	Colon Span // from the key's end to the value
	Value Span
}

// span is the member with its key.
func (m Member) span() Span { return Span{m.Start, m.Value.End} }

// A Document is a parsed JSON text. It refers to the bytes it was made from, which
// must not change while it is used. Its methods do not change it, so many
// goroutines may call them at once.
type Document struct {
	// Indent is what one level of nesting indents by where the text does not show
	// it.
	Indent string

	data []byte
	root Span
	top  []Member // of root, if that is an object
}

// Parse reads a JSON text in UTF-8, with or without a byte order mark. The error
// is a *[SyntaxError]. Keys that an object has twice and escaped half characters
// are accepted: see [Repeated] and [jsonscan.IndexLoneSurrogate].
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

// Root is the whole value, without a byte order mark and space around it.
func (d *Document) Root() Span { return d.root }

// Top returns the members of the whole value, and nil if it is no object.
func (d *Document) Top() []Member { return d.top }

// Raw returns the text of a value as it stands in the document.
func (d *Document) Raw(v Span) string { return string(d.data[v.Start:v.End]) }

// Bytes is Raw without a copy.
func (d *Document) Bytes(v Span) []byte { return d.data[v.Start:v.End] }

// Opens reports whether a value begins with that bracket or quote.
func (d *Document) Opens(v Span, bracket byte) bool {
	return !v.Missing() && d.data[v.Start] == bracket
}

// Text returns the value of a string. It is "" for what is none.
func (d *Document) Text(v Span) string {
	if !d.Opens(v, '"') {
		return ""
	}
	return jsonscan.Unquote(d.Bytes(v))
}

// Members returns those of the object at v, and nil if it is no object.
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

// Elements returns those of the list at v, and nil if it is no list.
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

// nextValue steps over the next value or key and returns its place.
func nextValue(s *jsonscan.Scanner) Span {
	text := s.Value()
	return Span{s.Pos - len(text), s.Pos}
}

// Find returns the value of a key, the last if the object has it twice, as other
// readers do. The span is empty if there is none.
func Find(all []Member, key string) Span {
	if i := IndexOf(all, key); i >= 0 {
		return all[i].Value
	}
	return Span{}
}

// IndexOf returns the place of the last member with that key, or -1.
func IndexOf(all []Member, key string) int {
	for i, m := range slices.Backward(all) {
		if m.Key == key {
			return i
		}
	}
	return -1
}

// Repeated returns the first of those keys that an object has more than once.
func Repeated(all []Member, keys ...string) (key string, twice bool) {
	for _, key := range keys {
		first := slices.IndexFunc(all, func(m Member) bool { return m.Key == key })
		if first != IndexOf(all, key) {
			return key, true
		}
	}
	return "", false
}
