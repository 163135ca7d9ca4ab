package notebook

import (
	"cmp"
	"fmt"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/internal/jsonedit"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// Replace gives a cell another source and, unless cellType is "", another type. A code
// cell loses its outputs and execution count, which belong to the old code. If the cell
// already has this source and type, nothing changes.
//
// The source is written in the form of the old source: as a list of lines or as one
// string, with the same indentation and escapes. The rest of the cell stays unchanged,
// including its metadata.
//
// The error is an *[UnknownCellError], *[AmbiguousCellError], *[CellTypeError] or
// *[EditError].
func (n *Notebook) Replace(id, source, cellType string) (*Edit, error) {
	c, err := n.lookup(id)
	if err != nil {
		return nil, err
	}
	kind := cmp.Or(cellType, c.kind)
	if kind != c.kind && !isType(kind) {
		return nil, &CellTypeError{Type: kind}
	}
	if err := n.checkEditable(c, kind, source); err != nil {
		return nil, err
	}
	old := n.textOf(c.source)
	if old == source && kind == c.kind {
		return &Edit{Data: n.data, Cell: n.exportCell(c, n.Language()), Old: old, Names: n.names}, nil
	}
	changes, cleared := n.typeChanges(c, kind)
	if source != old {
		around := n.doc.ObjectLayout(c.Span, c.members)
		text, err := n.newSourceWriter(c.source, around).write(id, source)
		if err != nil {
			return nil, err
		}
		changes = append(changes, n.setMember(c, "source", text))
	}
	edit, err := n.newEdit(n.doc.Splice(changes), c.index, n.names.splice(0, 0, 0))
	if err != nil {
		return nil, err
	}
	edit.Old, edit.Cleared = old, cleared
	return edit, nil
}

// Insert adds a cell after the cell with the id after, or at the start if after is "".
// The new cell has the layout of the cells near it. If the format of the file has ids
// (4.5 and later), the cell gets an id that depends only on the ids in the notebook,
// the place and the content, so equal inserts give equal bytes.
//
// The errors are those of [Notebook.Replace].
func (n *Notebook) Insert(after, cellType, source string) (*Edit, error) {
	place := 0
	if after != "" {
		c, err := n.lookup(after)
		if err != nil {
			return nil, err
		}
		place = c.index + 1
	}
	if !isType(cellType) {
		return nil, &CellTypeError{Type: cellType}
	}
	if !utf8.ValidString(source) {
		return nil, &EditError{Msg: notUTF8}
	}
	text, err := n.composeCell(place, cellType, source)
	if err != nil {
		return nil, err
	}
	return n.newEdit(n.doc.Splice([]jsonedit.Change{n.insertCell(place, text)}), place, n.names.splice(place, place, 1))
}

// Delete removes a cell, together with the comma and white space that separate it from
// the others.
//
// The errors are those of [Notebook.Replace].
func (n *Notebook) Delete(id string) (*Edit, error) {
	c, err := n.lookup(id)
	if err != nil {
		return nil, err
	}
	removed := jsonedit.Change{At: n.cellList, Text: "[]"}
	switch {
	case c.index > 0:
		removed = jsonedit.Change{At: jsonedit.Span{Start: n.cells[c.index-1].End, End: c.End}}
	case len(n.cells) > 1:
		removed = jsonedit.Change{At: jsonedit.Span{Start: c.Start, End: n.cells[1].Start}}
	}
	edit, err := n.newEdit(n.doc.Splice([]jsonedit.Change{removed}), -1, n.names.splice(c.index, c.index+1, 0))
	if err != nil {
		return nil, err
	}
	edit.Cell = n.exportCell(c, n.Language())
	edit.Old = edit.Cell.Source
	return edit, nil
}

// newEdit returns the Edit for the new bytes, with the cell at index unless it is -1. The
// cells go by names. It parses the bytes first, so that an edit never damages a notebook.
func (n *Notebook) newEdit(data []byte, index int, names *Names) (*Edit, error) {
	after, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("the notebook after the edit: %w", err)
	}
	for i, c := range after.cells {
		names.cells[i].mark = after.markOf(c) // so that each cell is found again
	}
	after.nameCells(names)
	edit := &Edit{Data: data, Names: after.names}
	if index >= 0 {
		edit.Cell = after.exportCell(after.cells[index], after.Language())
	}
	return edit, nil
}

const notUTF8 = "the new source is not UTF-8; send it again as text"

// checkEditable returns an error if the cell cannot get the type and source.
func (n *Notebook) checkEditable(c cell, kind, source string) error {
	if !utf8.ValidString(source) {
		return &EditError{ID: c.name, Msg: notUTF8}
	}
	if key, twice := jsonedit.Repeated(c.members, append(cellKeys(), "attachments")...); twice {
		return &EditError{ID: c.name, Msg: fmt.Sprintf(
			"it has the key %q twice; remove one in the file as plain text first", key)}
	}
	attached := n.doc.Members(jsonedit.Find(c.members, "attachments"))
	if kind == Code && c.kind != Code && len(attached) > 0 {
		return &EditError{ID: c.name, Msg: fmt.Sprintf(
			"it has attachments (%s is one), which a code cell cannot have; insert a code cell after it instead",
			strictjson.Quote(attached[0].Key))}
	}
	return nil
}

// typeChanges returns the other changes of a cell that gets a new source or type. A
// code cell must have outputs and an execution count; other cells must not have them.
// cleared reports whether there were any.
func (n *Notebook) typeChanges(c cell, kind string) (changes []jsonedit.Change, cleared bool) {
	if kind != c.kind {
		changes = append(changes, n.setMember(c, "cell_type", `"`+kind+`"`))
	}
	ran := len(n.doc.Elements(jsonedit.Find(c.members, "outputs"))) > 0
	count := n.doc.Raw(jsonedit.Find(c.members, "execution_count"))
	ran = ran || count != "" && count != "null"
	if kind != Code {
		if c.kind == Code {
			return append(changes, jsonedit.DropMembers(c.members, isRunKey)...), ran
		}
		return changes, false
	}
	if ran || kind != c.kind {
		changes = append(changes, n.setMember(c, "execution_count", "null"), n.setMember(c, "outputs", "[]"))
	}
	if kind != c.kind {
		// checkEditable made sure that attachments is empty. A code cell must not have the key.
		changes = append(changes, jsonedit.DropMembers(c.members, func(key string) bool { return key == "attachments" })...)
	}
	return changes, ran
}

func isRunKey(key string) bool { return key == "outputs" || key == "execution_count" }

// setMember gives a key of a cell another value, or adds the key where Jupyter would
// write it.
func (n *Notebook) setMember(c cell, key, value string) jsonedit.Change {
	if i := jsonedit.IndexOf(c.members, key); i >= 0 {
		return jsonedit.Change{At: c.members[i].Value, Text: value}
	}
	present := make([]string, len(c.members))
	for i, m := range c.members {
		present[i] = m.Key
	}
	between := n.doc.ObjectLayout(c.Span, c.members).Between
	end := c.members[indexBefore(present, key)].Value.End
	return jsonedit.Change{At: jsonedit.Span{Start: end, End: end}, Text: between + `"` + key + `"` + n.doc.Colon() + value}
}

// insertCell inserts the text of a cell at an index of the list.
func (n *Notebook) insertCell(place int, text string) jsonedit.Change {
	l := n.cellsLayout()
	switch {
	case len(n.cells) == 0:
		return jsonedit.Change{At: n.cellList, Text: l.List([]string{text})}
	case place == 0:
		start := n.cells[0].Start
		return jsonedit.Change{At: jsonedit.Span{Start: start, End: start}, Text: text + l.Between}
	default:
		end := n.cells[place-1].End
		return jsonedit.Change{At: jsonedit.Span{Start: end, End: end}, Text: l.Between + text}
	}
}
