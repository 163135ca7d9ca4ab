package notebook

import "strings"

// A layout is what stands between the parts of an object or list: after its
// opening bracket, from one part to the next with the comma, before its closing
// bracket.
type layout struct{ open, between, close string }

// onLines reports whether the parts stand on lines of their own, where these
// begin, and how such a line ends.
func (l layout) onLines() (lineEnd, indent string, ok bool) {
	at := strings.LastIndexByte(l.open, '\n')
	if at < 0 {
		return "", "", false
	}
	lineEnd = "\n"
	if strings.HasSuffix(l.open[:at], "\r") {
		lineEnd = "\r\n"
	}
	return lineEnd, l.open[at+1:], true
}

// inside returns the layout of an object or list that is a part of one with
// layout l, both on lines of their own or neither.
func (n *Notebook) inside(l layout) layout {
	lineEnd, indent, ok := l.onLines()
	if !ok {
		return layout{between: n.comma()}
	}
	inner := lineEnd + indent + n.indentUnit()
	return layout{open: inner, between: "," + inner, close: lineEnd + indent}
}

// layoutOf reads the layout of the object or list at v from its parts, of which
// there is at least one.
func (n *Notebook) layoutOf(v span, parts []span) layout {
	last := parts[len(parts)-1]
	l := layout{
		open:  n.raw(span{v.start + 1, parts[0].start}),
		close: n.raw(span{last.end, v.end - 1}),
	}
	_, _, onLines := l.onLines()
	switch {
	case len(parts) > 1:
		l.between = n.raw(span{parts[0].end, parts[1].start})
	case onLines:
		l.between = "," + l.open
	default:
		l.between = n.comma()
	}
	return l
}

// objectLayout reads the layout of an object that has members.
func (n *Notebook) objectLayout(v span, all []member) layout {
	parts := make([]span, len(all))
	for i, m := range all {
		parts[i] = span{m.start, m.value.end}
	}
	return n.layoutOf(v, parts)
}

// rootLayout is that of the whole notebook, which has members: nbformat at least.
func (n *Notebook) rootLayout() layout { return n.objectLayout(n.at, n.root) }

// indentUnit is what one level of nesting indents by: one space, as Jupyter
// does, if the file does not show it.
func (n *Notebook) indentUnit() string {
	if _, indent, ok := n.rootLayout().onLines(); ok {
		return indent
	}
	return " "
}

// colon is what stands between a key and its value.
func (n *Notebook) colon() string { return n.raw(n.root[0].colon) }

// comma is what stands between two values on one line. Writers put the same
// space after it as after the colon.
func (n *Notebook) comma() string {
	_, space, _ := strings.Cut(n.colon(), ":")
	return "," + space
}

// cellsLayout is that of the list of cells.
func (n *Notebook) cellsLayout() layout {
	if len(n.cells) == 0 {
		return n.inside(n.rootLayout())
	}
	parts := make([]span, len(n.cells))
	for i, c := range n.cells {
		parts[i] = c.span
	}
	return n.layoutOf(n.list, parts)
}

// sourceLayout is that of a list of lines in a cell with the layout around: as
// the list at own has it, else as the sources of other cells do.
func (n *Notebook) sourceLayout(own span, around layout) layout {
	if lines := elements(n.data, own); len(lines) > 0 {
		return n.layoutOf(own, lines)
	}
	for _, c := range n.cells {
		lines := elements(n.data, c.source)
		if len(lines) == 0 {
			continue
		}
		sample := n.layoutOf(c.source, lines)
		_, _, sampleOnLines := sample.onLines()
		_, _, aroundOnLines := around.onLines()
		if sampleOnLines && aroundOnLines {
			break // the same, but for how deep it stands
		}
		return sample
	}
	return n.inside(around)
}
