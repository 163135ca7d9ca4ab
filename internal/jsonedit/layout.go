package jsonedit

import (
	"bytes"
	"strings"
)

// A Layout is what stands between the parts of an object or list: after its
// opening bracket, from one part to the next with the comma, before its closing
// bracket.
type Layout struct{ Open, Between, Close string }

// OnLines reports whether the parts stand on lines of their own.
func (l Layout) OnLines() bool { return strings.Contains(l.Open, "\n") }

// line returns how the line before a part ends and where the next begins. The
// parts stand on lines of their own.
func (l Layout) line() (lineEnd, indent string) {
	at := strings.LastIndexByte(l.Open, '\n')
	lineEnd = "\n"
	if strings.HasSuffix(l.Open[:at], "\r") {
		lineEnd = "\r\n"
	}
	return lineEnd, l.Open[at+1:]
}

// List returns a list of those values.
func (l Layout) List(values []string) string {
	if len(values) == 0 {
		return "[]"
	}
	return "[" + l.Open + strings.Join(values, l.Between) + l.Close + "]"
}

// Object returns an object of those members, each a key and a value.
func (l Layout) Object(members []string) string {
	return "{" + l.Open + strings.Join(members, l.Between) + l.Close + "}"
}

// Inside returns the layout of an object or list that is a part of one with
// layout l, both on lines of their own or neither.
func (d *Document) Inside(l Layout) Layout {
	if !l.OnLines() {
		return Layout{Between: d.comma()}
	}
	lineEnd, indent := l.line()
	return onLines(lineEnd, indent, d.indentUnit())
}

// onLines is the layout of what stands at an indentation and has its parts on
// lines of their own.
func onLines(lineEnd, indent, unit string) Layout {
	inner := lineEnd + indent + unit
	return Layout{Open: inner, Between: "," + inner, Close: lineEnd + indent}
}

// ListLayout reads the layout of the list at v from its elements, of which there
// is at least one.
func (d *Document) ListLayout(v Span, elements []Span) Layout { return d.layoutOf(v, elements) }

// ObjectLayout reads the layout of the object at v, which has members.
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

// RootLayout is that of the whole document. What has no members has each on a
// line of its own.
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

// indentUnit is what one level of nesting indents by.
func (d *Document) indentUnit() string {
	if l := d.RootLayout(); l.OnLines() {
		_, indent := l.line()
		return indent
	}
	return d.Indent
}

// Colon is what stands between a key and its value.
func (d *Document) Colon() string {
	if len(d.top) > 0 {
		return d.Raw(d.top[0].Colon)
	}
	return ": "
}

// comma is what stands between two values on one line. Writers put the same
// space after it as after the colon.
func (d *Document) comma() string {
	_, space, _ := strings.Cut(d.Colon(), ":")
	return "," + space
}
