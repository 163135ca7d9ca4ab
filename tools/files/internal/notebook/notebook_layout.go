package notebook

import "github.com/seed49eaa51d/pegboard/internal/jsonedit"

// cellsLayout returns the layout of the list of cells.
func (n *Notebook) cellsLayout() jsonedit.Layout {
	if len(n.cells) == 0 {
		return n.doc.Inside(n.doc.RootLayout())
	}
	parts := make([]jsonedit.Span, len(n.cells))
	for i, c := range n.cells {
		parts[i] = c.Span
	}
	return n.doc.ListLayout(n.cellList, parts)
}

// sourceLayout returns the layout of a list of source lines in a cell with the layout
// around: that of the list at own, else that of the sources of other cells.
func (n *Notebook) sourceLayout(own jsonedit.Span, around jsonedit.Layout) jsonedit.Layout {
	if lines := n.doc.Elements(own); len(lines) > 0 {
		return n.doc.ListLayout(own, lines)
	}
	for _, c := range n.cells {
		lines := n.doc.Elements(c.source)
		if len(lines) == 0 {
			continue
		}
		sample := n.doc.ListLayout(c.source, lines)
		if sample.OnLines() && around.OnLines() {
			break // it differs in depth only
		}
		return sample
	}
	return n.doc.Inside(around)
}
