package notebook

import "github.com/seed49eaa51d/pegboard/internal/jsonedit"

// cellsLayout is that of the list of cells.
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

// sourceLayout is that of a list of lines in a cell with the layout around: as
// the list at own has it, else as the sources of other cells do.
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
			break // the same, but for how deep it stands
		}
		return sample
	}
	return n.doc.Inside(around)
}
