package notebook

import (
	"crypto/sha256"
	"slices"
	"strconv"

	"github.com/seed49eaa51d/pegboard/internal/nearest"
)

// Names returns the names of the cells.
func (n *Notebook) Names() *Names { return n.names }

// nameCells names the cells: by its own id if no other cell has it, else as before names
// it.
func (n *Notebook) nameCells(before *Names) {
	count := map[string]int{}
	for _, c := range n.cells {
		count[c.ownID]++
	}
	n.names = &Names{cells: make([]namedCell, len(n.cells))}
	for i, c := range n.cells {
		n.names.cells[i].mark = n.markOf(c)
		if count[c.ownID] == 1 {
			n.names.cells[i].name = c.ownID // "" if it has none
		}
	}
	n.names.fill(before)
	for i, c := range n.names.cells {
		n.cells[i].name = c.name
	}
}

// markOf returns the mark of a cell.
func (n *Notebook) markOf(c cell) mark {
	return sha256.Sum256([]byte(strconv.Quote(c.ownID) + strconv.Quote(c.kind) + n.textOf(c.source)))
}

// lookup returns the cell with a name.
func (n *Notebook) lookup(name string) (cell, error) {
	var same []string
	for _, c := range n.cells {
		switch name {
		case c.name:
			return c, nil
		case c.ownID:
			same = append(same, c.name)
		}
	}
	if name != "" && len(same) > 0 {
		return cell{}, &AmbiguousCellError{ID: name, Names: same}
	}
	return cell{}, n.unknownCell(name)
}

// unknownCell returns the error for a name that no cell has, with similar names.
func (n *Notebook) unknownCell(name string) error {
	const shown = 3
	unknown := &UnknownCellError{ID: name, Cells: len(n.cells)}
	if slices.Contains(n.names.gone, name) {
		unknown.Gone = true
		return unknown
	}
	names := make([]string, len(n.cells))
	for i, c := range n.cells {
		names[i] = c.name
		if numberedName(i) == name { // the caller named the cell by its place
			unknown.Near = append(unknown.Near, c.name)
		}
	}
	if unknown.Near == nil {
		unknown.Near = nearest.Names(name, names, shown)
	}
	return unknown
}
