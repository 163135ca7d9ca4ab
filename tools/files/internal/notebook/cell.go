package notebook

import (
	"strconv"

	"github.com/seed49eaa51d/pegboard/internal/jsonedit"
	"github.com/seed49eaa51d/pegboard/internal/nearest"
)

// The types a cell can have.
const (
	Code     = "code"
	Markdown = "markdown"
	Raw      = "raw"
)

// A Cell is one cell of a notebook.
type Cell struct {
	ID             string // its own, or cell-<index> if it has none
	Index          int    // its place, counted from 0
	Type           string // Code, Markdown or Raw; another if the file says so
	Language       string // of a code cell; "markdown" for Markdown, else ""
	Source         string // half characters in it are U+FFFD
	ExecutionCount *int   // nil if the cell was not run
	Outputs        []Output
}

// A cell is where a Cell lies in the file.
type cell struct {
	jsonedit.Span
	index   int
	members []jsonedit.Member
	ownID   string
	kind    string
	source  jsonedit.Span
}

// id returns the name by which callers know the cell.
func (c cell) id() string {
	if c.ownID != "" {
		return c.ownID
	}
	return positional(c.index)
}

// positional returns the id of a cell that has none of its own.
func positional(index int) string { return positionPrefix + strconv.Itoa(index) }

func (n *Notebook) export(c cell, language string) Cell {
	out := Cell{ID: c.id(), Index: c.index, Type: c.kind, Source: n.text(c.source)}
	switch c.kind {
	case Markdown:
		out.Language = Markdown
	case Code:
		out.Language = language
		// Notebooks of several languages name each cell's in this place.
		editor := n.doc.Members(jsonedit.Find(n.doc.Members(jsonedit.Find(c.members, "metadata")), "vscode"))
		if own := n.doc.Text(jsonedit.Find(editor, "languageId")); own != "" {
			out.Language = own
		}
		if count, err := strconv.Atoi(n.doc.Raw(jsonedit.Find(c.members, "execution_count"))); err == nil {
			out.ExecutionCount = &count
		}
		for _, v := range n.doc.Elements(jsonedit.Find(c.members, "outputs")) {
			out.Outputs = append(out.Outputs, n.output(v))
		}
	}
	return out
}

// unknown says which ids are near one that no cell has.
func (n *Notebook) unknown(id string) error {
	const shown = 3
	var near []string
	ids := make([]string, len(n.cells))
	for i, c := range n.cells {
		ids[i] = c.id()
		if positional(i) == id {
			near = append(near, ids[i]) // by its place, though it has an id
		}
	}
	if near == nil {
		near = nearest.Names(id, ids, shown)
	}
	return &UnknownCellError{ID: id, Near: near, Cells: len(ids)}
}
