package jsonedit

import (
	"cmp"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

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
