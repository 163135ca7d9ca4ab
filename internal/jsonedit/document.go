// Package jsonedit changes single values of a JSON text. Every byte outside them stays the
// same: the order of keys, the space, the escapes, and unknown members. New values are
// formatted like their neighbours.
//
// It works on bytes and opens no file.
package jsonedit

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/internal/jsonscan"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
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

// At returns the value at a path of keys from the root. The span is empty if the value is
// missing or null. The error is a *[ShapeError]: a value on the way is not an object.
func (d *Document) At(path ...string) (Span, error) {
	p, err := d.locate(path)
	if err != nil || len(p.rest) > 1 || d.isNull(p.value) {
		return Span{}, err
	}
	return p.value, nil
}

// Set returns the document's bytes with another value at a path. Missing members on the way
// are added at the end of their objects. The error is that of [Document.At].
func (d *Document) Set(path []string, value string) ([]byte, error) {
	p, err := d.locate(path)
	if err != nil {
		return nil, err
	}
	return d.Splice([]Change{d.setChange(p, func(Layout) string { return value })}), nil
}

// EditList returns the document's bytes with an edited list at a path. The list keeps the
// elements for whose index keep returns true, and the texts in add become its last
// elements. A missing list is created if there are texts to add. The error is a
// *[ShapeError].
func (d *Document) EditList(path []string, keep func(i int) bool, add []string) ([]byte, error) {
	p, err := d.locate(path)
	if err != nil {
		return nil, err
	}
	there := len(p.rest) == 1 && !p.value.Missing() && !d.isNull(p.value)
	if there && !d.Opens(p.value, '[') {
		return nil, &ShapeError{Path: pathText(path), Want: "a list"}
	}
	elements := d.Elements(p.value)
	if len(elements) == 0 {
		if len(add) == 0 {
			return d.data, nil
		}
		list := func(around Layout) string { return d.newListLayout(p, around).List(add) }
		return d.Splice([]Change{d.setChange(p, list)}), nil
	}
	l := d.ListLayout(p.value, elements)
	changes, kept := dropParts(elements, func(i int) bool { return !keep(i) })
	if kept < 0 {
		return d.Splice([]Change{{At: p.value, Text: l.List(add)}}), nil
	}
	end := elements[kept].End
	for _, value := range add {
		changes = append(changes, Change{At: Span{end, end}, Text: l.Between + value})
	}
	return d.Splice(changes), nil
}

// Quote returns text as a JSON string. Characters beyond ASCII are escaped if the document
// escapes them.
func (d *Document) Quote(text string) string {
	var s Spelling
	s.LearnASCII(d.Bytes(d.root))
	return string(s.Quote(nil, text))
}

// Splice returns the document's bytes with the changes applied, which must not overlap. Of
// two changes at the same offset, one that only inserts comes first. Space and a byte order
// mark around the value stay.
func (d *Document) Splice(changes []Change) []byte {
	slices.SortStableFunc(changes, func(a, b Change) int {
		return cmp.Or(cmp.Compare(a.At.Start, b.At.Start), cmp.Compare(a.At.End, b.At.End))
	})
	size := len(d.data)
	for _, c := range changes {
		size += len(c.Text) - (c.At.End - c.At.Start)
	}
	out := make([]byte, 0, size)
	done := 0
	for _, c := range changes {
		out = append(out, d.data[done:c.At.Start]...)
		out = append(out, c.Text...)
		done = c.At.End
	}
	return append(out, d.data[done:]...)
}

// A place is the position of a value that exists or is to be added.
type place struct {
	object  Span // the innermost object on the way that exists
	members []Member
	layout  Layout   // of object
	rest    []string // the path from object on
	value   Span     // the value of the first key in rest
}

// locate follows a path as far as objects exist.
func (d *Document) locate(path []string) (place, error) {
	p := place{object: d.root, layout: d.RootLayout(), rest: path}
	for {
		if !d.Opens(p.object, '{') {
			return place{}, &ShapeError{Path: pathText(path[:len(path)-len(p.rest)]), Want: "an object"}
		}
		p.members = d.Members(p.object)
		if p.object != d.root {
			p.layout = d.Inside(p.layout)
			if len(p.members) > 0 {
				p.layout = d.ObjectLayout(p.object, p.members)
			}
		}
		p.value = Find(p.members, p.rest[0])
		if len(p.rest) == 1 || p.value.Missing() || d.isNull(p.value) {
			return p, nil
		}
		p.object, p.rest = p.value, p.rest[1:]
	}
}

// setChange returns the change that sets the value at a place. text returns the new value
// for an object with a layout.
func (d *Document) setChange(p place, text func(around Layout) string) Change {
	value := d.nestedObjects(p.layout, p.rest[1:], text)
	if !p.value.Missing() {
		return Change{At: p.value, Text: value}
	}
	member := d.Quote(p.rest[0]) + d.Colon() + value
	if len(p.members) == 0 {
		return Change{At: p.object, Text: p.layout.Object([]string{member})}
	}
	end := p.members[len(p.members)-1].Value.End
	return Change{At: Span{end, end}, Text: p.layout.Between + member}
}

// nestedObjects returns the text of nested objects, one for each key, with the value in the
// innermost one.
func (d *Document) nestedObjects(around Layout, keys []string, text func(around Layout) string) string {
	if len(keys) == 0 {
		return text(around)
	}
	l := d.Inside(around)
	return l.Object([]string{d.Quote(keys[0]) + d.Colon() + d.nestedObjects(l, keys[1:], text)})
}

// newListLayout returns the layout for the first elements of a list: that of a list beside
// it, if there is one.
func (d *Document) newListLayout(p place, around Layout) Layout {
	if len(p.rest) == 1 {
		for _, m := range slices.Backward(p.members) {
			if elements := d.Elements(m.Value); len(elements) > 0 {
				return d.ListLayout(m.Value, elements)
			}
		}
	}
	return d.Inside(around)
}

func (d *Document) isNull(v Span) bool { return d.Opens(v, 'n') }

func pathText(path []string) (text string) {
	for _, key := range path {
		text = strictjson.AppendKey(text, key)
	}
	return text
}

// Inside returns the layout for a new object or list inside one with layout l: if the parts
// of the outer one stand on their own lines, so do those of the inner one.
func (d *Document) Inside(l Layout) Layout {
	if !l.OnLines() {
		return Layout{Between: d.comma()}
	}
	lineEnd, indent := l.line()
	return onLines(lineEnd, indent, d.indentUnit())
}

// ListLayout returns the layout of the list at v, which has at least one element.
func (d *Document) ListLayout(v Span, elements []Span) Layout { return d.layoutOf(v, elements) }

// ObjectLayout returns the layout of the object at v, which has at least one member.
func (d *Document) ObjectLayout(v Span, all []Member) Layout { return d.layoutOf(v, memberSpans(all)) }

func (d *Document) layoutOf(v Span, parts []Span) Layout {
	last := parts[len(parts)-1]
	l := Layout{
		Open:  d.Raw(Span{v.Start + 1, parts[0].Start}),
		Close: d.Raw(Span{last.End, v.End - 1}),
	}
	switch {
	case len(parts) > 1:
		l.Between = d.Raw(Span{parts[0].End, parts[1].Start})
	case l.OnLines():
		l.Between = "," + l.Open
	default:
		l.Between = d.comma()
	}
	return l
}

// RootLayout returns the layout of the whole document. If it has no members, new ones get
// their own lines.
func (d *Document) RootLayout() Layout {
	if len(d.top) > 0 {
		return d.ObjectLayout(d.root, d.top)
	}
	lineEnd := "\n"
	if bytes.Contains(d.data, []byte("\r\n")) {
		lineEnd = "\r\n"
	}
	return onLines(lineEnd, "", d.Indent)
}

// indentUnit returns the indentation of one level.
func (d *Document) indentUnit() string {
	if l := d.RootLayout(); l.OnLines() {
		_, indent := l.line()
		return indent
	}
	return d.Indent
}

// Colon returns the colon between a key and its value, with the space around it.
func (d *Document) Colon() string {
	if len(d.top) > 0 {
		return d.Raw(d.top[0].Colon)
	}
	return ": "
}

// comma returns the comma between two values on one line, with the space after it. JSON
// writers put the same space after a comma as after a colon.
func (d *Document) comma() string {
	_, space, _ := strings.Cut(d.Colon(), ":")
	return "," + space
}

// A Span is a range of a document's bytes. An empty Span stands for a missing value.
type Span struct{ Start, End int }

// Missing reports whether the span is empty.
func (v Span) Missing() bool { return v.Start == v.End }

// A Change replaces a range of the document with a text.
type Change struct {
	At   Span
	Text string
}

// DropMembers returns the changes that remove members of an object, each with the comma and
// space that separate it from its neighbours. At least one member must stay.
func DropMembers(all []Member, drop func(key string) bool) []Change {
	changes, _ := dropParts(memberSpans(all), func(i int) bool { return drop(all[i].Key) })
	return changes
}

// dropParts returns the changes that remove parts of an object or list, and the index of
// the last part that stays. If none would stay, it returns no changes and -1.
func dropParts(parts []Span, drop func(i int) bool) (changes []Change, kept int) {
	kept = -1
	for i, p := range parts {
		if drop(i) {
			continue
		}
		switch {
		case kept < 0 && i > 0:
			changes = append(changes, Change{At: Span{parts[0].Start, p.Start}})
		case kept >= 0 && i > kept+1:
			changes = append(changes, Change{At: Span{parts[kept].End, parts[i-1].End}})
		}
		kept = i
	}
	if last := len(parts) - 1; kept >= 0 && kept < last {
		changes = append(changes, Change{At: Span{parts[kept].End, parts[last].End}})
	}
	return changes, kept
}

// A Layout is the space around the parts of an object or list.
type Layout struct {
	Open    string // after the opening bracket
	Between string // between two parts, with the comma
	Close   string // before the closing bracket
}

// OnLines reports whether each part stands on its own line.
func (l Layout) OnLines() bool { return strings.Contains(l.Open, "\n") }

// line returns the line end before a part, and its indentation. Each part stands on its
// own line.
func (l Layout) line() (lineEnd, indent string) {
	at := strings.LastIndexByte(l.Open, '\n')
	lineEnd = "\n"
	if strings.HasSuffix(l.Open[:at], "\r") {
		lineEnd = "\r\n"
	}
	return lineEnd, l.Open[at+1:]
}

// List returns the text of a list of values.
func (l Layout) List(values []string) string {
	if len(values) == 0 {
		return "[]"
	}
	return "[" + l.Open + strings.Join(values, l.Between) + l.Close + "]"
}

// Object returns the text of an object, given the texts of its members.
func (l Layout) Object(members []string) string {
	return "{" + l.Open + strings.Join(members, l.Between) + l.Close + "}"
}

// onLines returns the layout of an object or list at an indentation, with each part on its
// own line.
func onLines(lineEnd, indent, unit string) Layout {
	inner := lineEnd + indent + unit
	return Layout{Open: inner, Between: "," + inner, Close: lineEnd + indent}
}
