package jsonedit

import (
	"bytes"
	"strings"
)

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
