// Package notebook reads Jupyter notebooks (.ipynb, nbformat 4) by cell, and edits one
// cell so that every byte outside the cell stays unchanged.
//
// It works on bytes in memory and opens no file. Its error texts are for the model.
package notebook

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/jsonedit"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// A Notebook is a parsed notebook. It refers to the bytes from which it was parsed;
// these must not change while it is in use. Its methods do not modify it and may be
// called concurrently.
type Notebook struct {
	data     []byte
	doc      *jsonedit.Document
	root     []jsonedit.Member
	metadata []jsonedit.Member
	minor    int
	cellList jsonedit.Span // list of the cells, including its brackets
	cells    []cell
	names    *Names
}

const (
	formatVersion = "4"
	firstWithIDs  = 5       // nbformat_minor from which on each cell has an id
	numberPrefix  = "cell-" // of a name that is made up
	indentUnit    = " "     // the indentation that Jupyter writes
)

// Parse parses a notebook. The error is a *[SyntaxError] for data that is not JSON in
// UTF-8, a *[VersionError] for a format other than 4, or a *[ShapeError].
//
// Parse accepts a byte order mark, duplicate keys, unknown keys and escaped lone
// surrogates, since none of them prevents reading a cell.
func Parse(data []byte) (*Notebook, error) { return ParseAs(data, nil) }

// ParseAs is Parse for a notebook whose cells went by the names known. Cells that it had
// then keep their names; nil means that no name is known.
func ParseAs(data []byte, known *Names) (*Notebook, error) {
	n, err := parse(data)
	if err != nil {
		return nil, err
	}
	n.nameCells(known)
	return n, nil
}

// parse parses a notebook without naming its cells.
func parse(data []byte) (*Notebook, error) {
	doc, err := jsonedit.Parse(data)
	var syntax *jsonedit.SyntaxError
	if errors.As(err, &syntax) {
		return nil, syntaxError(syntax)
	}
	if err != nil {
		return nil, err
	}
	doc.Indent = indentUnit
	if !doc.Opens(doc.Root(), '{') {
		return nil, &ShapeError{Want: "an object"}
	}
	n := &Notebook{data: data, doc: doc, root: doc.Top()}
	if key, twice := jsonedit.Repeated(n.root, "nbformat", "nbformat_minor", "cells"); twice {
		return nil, &ShapeError{Path: key, Want: "given just once"}
	}
	if version := n.doc.Raw(jsonedit.Find(n.root, "nbformat")); version != formatVersion {
		return nil, &VersionError{Version: strictjson.Cut(version)}
	}
	if minor, err := strconv.Atoi(n.doc.Raw(jsonedit.Find(n.root, "nbformat_minor"))); err == nil {
		n.minor = minor
	}
	n.metadata = doc.Members(jsonedit.Find(n.root, "metadata"))
	if err := n.locateCells(); err != nil {
		return nil, err
	}
	return n, nil
}

// locateCells finds the cells, and decodes only their ids and types.
func (n *Notebook) locateCells() error {
	n.cellList = jsonedit.Find(n.root, "cells")
	if !n.doc.Opens(n.cellList, '[') {
		return &ShapeError{Path: "cells", Want: "a list"}
	}
	for i, at := range n.doc.Elements(n.cellList) {
		path := strictjson.AppendIndex("cells", i)
		if !n.doc.Opens(at, '{') {
			return &ShapeError{Path: path, Want: "an object"}
		}
		c := cell{Span: at, index: i, members: n.doc.Members(at)}
		c.kind = n.doc.Text(jsonedit.Find(c.members, "cell_type"))
		if c.kind == "" {
			return &ShapeError{Path: path + ".cell_type", Want: "a string"}
		}
		c.ownID = n.doc.Text(jsonedit.Find(c.members, "id"))
		c.source = jsonedit.Find(c.members, "source")
		if !n.isText(c.source) {
			return &ShapeError{Path: path + ".source", Want: "a string or a list of strings"}
		}
		n.cells = append(n.cells, c)
	}
	return nil
}

// Language returns the language of the code cells: as language_info names it, else as
// kernelspec names it, else "python".
func (n *Notebook) Language() string {
	for _, place := range []struct{ object, key string }{
		{"language_info", "name"},
		{"kernelspec", "language"},
	} {
		object := n.doc.Members(jsonedit.Find(n.metadata, place.object))
		if name := n.doc.Text(jsonedit.Find(object, place.key)); name != "" {
			return name
		}
	}
	return "python"
}

// Cells returns the cells in order, with all their outputs decoded.
func (n *Notebook) Cells() []Cell {
	cells := make([]Cell, len(n.cells))
	language := n.Language()
	for i, c := range n.cells {
		cells[i] = n.exportCell(c, language)
	}
	return cells
}

// exportCell returns the decoded form of c.
func (n *Notebook) exportCell(c cell, language string) Cell {
	out := Cell{ID: c.name, Index: c.index, Type: c.kind, Source: n.textOf(c.source)}
	switch c.kind {
	case Markdown:
		out.Language = Markdown
	case Code:
		out.Language = language
		// Editors that allow several languages in one notebook record a cell's language here.
		editor := n.doc.Members(jsonedit.Find(n.doc.Members(jsonedit.Find(c.members, "metadata")), "vscode"))
		if own := n.doc.Text(jsonedit.Find(editor, "languageId")); own != "" {
			out.Language = own
		}
		if count, err := strconv.Atoi(n.doc.Raw(jsonedit.Find(c.members, "execution_count"))); err == nil {
			out.ExecutionCount = &count
		}
		for _, v := range n.doc.Elements(jsonedit.Find(c.members, "outputs")) {
			out.Outputs = append(out.Outputs, n.exportOutput(v))
		}
	}
	return out
}

// textOf returns the value of a string, or the concatenation of a list of strings. It
// returns "" for any other value.
func (n *Notebook) textOf(v jsonedit.Span) string {
	if n.doc.Opens(v, '[') {
		return strings.Join(n.textsOf(v), "")
	}
	return n.doc.Text(v)
}

// textsOf returns the strings of a list, without elements of other types.
func (n *Notebook) textsOf(v jsonedit.Span) []string {
	var all []string
	for _, e := range n.doc.Elements(v) {
		if n.doc.Opens(e, '"') {
			all = append(all, n.doc.Text(e))
		}
	}
	return all
}

// isText reports whether v is a string or a list of strings.
func (n *Notebook) isText(v jsonedit.Span) bool {
	if n.doc.Opens(v, '"') {
		return true
	}
	return n.doc.Opens(v, '[') && !slices.ContainsFunc(n.doc.Elements(v), func(e jsonedit.Span) bool { return !n.doc.Opens(e, '"') })
}
