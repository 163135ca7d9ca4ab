// Package notebook reads Jupyter notebooks (.ipynb, nbformat 4) by cell, and edits one
// cell so that every byte outside the cell stays unchanged.
//
// It works on bytes in memory and opens no file. Its error texts are for the model.
package notebook

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/internal/jsonedit"
	"github.com/seed49eaa51d/pegboard/internal/jsonscan"
	"github.com/seed49eaa51d/pegboard/internal/nearest"
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

// composeCell returns the text of a new cell in the style of the cells near its place.
func (n *Notebook) composeCell(place int, kind, source string) (string, error) {
	like := n.exampleCell(place, kind)
	l := n.doc.Inside(n.cellsLayout())
	if len(like.members) > 0 {
		l = n.doc.ObjectLayout(like.Span, like.members)
	}
	w := n.newSourceWriter(like.source, l)
	w.hadLoneSurrogate, w.oldLiterals = false, nil
	text, err := w.write("", source)
	if err != nil {
		return "", err
	}
	values := map[string]string{
		"cell_type": `"` + kind + `"`,
		"metadata":  "{}",
		"source":    text,
	}
	if kind == Code {
		values["execution_count"], values["outputs"] = "null", "[]"
	}
	if n.minor >= firstWithIDs {
		values["id"] = `"` + n.newID(place, kind, source) + `"`
	}
	var parts []string
	for _, key := range orderKeys(like.members, values) {
		parts = append(parts, `"`+key+`"`+n.doc.Colon()+values[key])
	}
	return l.Object(parts), nil
}

// exampleCell returns the nearest cell of a type, or the nearest cell if there is no
// cell of that type. It prefers cells before the place. The result is empty if the
// notebook has no cells.
func (n *Notebook) exampleCell(place int, kind string) cell {
	near := slices.Concat(n.cells[:place], n.cells[place:])
	slices.Reverse(near[:place])
	for _, c := range near {
		if c.kind == kind {
			return c
		}
	}
	if len(near) > 0 {
		return near[0]
	}
	return cell{}
}

// newID returns an id that no cell has.
func (n *Notebook) newID(place int, kind, source string) string {
	const length = 8
	taken := map[string]bool{}
	var content []byte
	for _, c := range n.cells {
		taken[c.ownID] = true
		content = fmt.Appendf(content, "%q ", c.ownID)
	}
	content = fmt.Appendf(content, "%d %q %q", place, kind, source)
	for {
		sum := sha256.Sum256(content)
		id := hex.EncodeToString(sum[:])[:length]
		if !taken[id] {
			return id
		}
		content = append(content, id...)
	}
}

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

// exportOutput decodes one output. It leaves out invalid parts, so that an invalid
// output does not hide the rest of the notebook.
func (n *Notebook) exportOutput(v jsonedit.Span) Output {
	all := n.doc.Members(v)
	out := Output{
		Kind:      n.doc.Text(jsonedit.Find(all, "output_type")),
		Name:      n.doc.Text(jsonedit.Find(all, "name")),
		Text:      n.textOf(jsonedit.Find(all, "text")),
		Ename:     n.doc.Text(jsonedit.Find(all, "ename")),
		Evalue:    n.textOf(jsonedit.Find(all, "evalue")),
		Traceback: n.textsOf(jsonedit.Find(all, "traceback")),
	}
	forms := n.doc.Members(jsonedit.Find(all, "data"))
	for _, form := range forms {
		out.Types = append(out.Types, form.Key)
		if image, ok := n.exportImage(form); ok {
			out.Images = append(out.Images, image)
		}
	}
	if out.Text == "" {
		out.Text = n.bestText(forms)
	}
	return out
}

// bestText returns the form of the data that is most readable as text.
func (n *Notebook) bestText(forms []jsonedit.Member) string {
	for _, mime := range []string{
		"text/plain", "text/markdown", "text/latex", "text/html", "application/json", "image/svg+xml",
	} {
		v := jsonedit.Find(forms, mime)
		if mime == "application/json" {
			if !v.Missing() {
				return n.doc.Raw(v)
			}
			continue
		}
		if text := n.textOf(v); text != "" {
			return text
		}
	}
	return ""
}

func (n *Notebook) exportImage(form jsonedit.Member) (Image, bool) {
	switch form.Key {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
	default:
		return Image{}, false
	}
	// Lines may end with spaces, and some programs omit the padding.
	encoded := strings.TrimRight(strings.Join(strings.Fields(n.textOf(form.Value)), ""), "=")
	data, err := base64.RawStdEncoding.DecodeString(encoded)
	return Image{MIME: form.Key, Data: data}, err == nil && len(data) > 0
}

// newSourceWriter returns a sourceWriter that replaces the source at old in a cell with
// the layout around. old is empty for a new cell without an example.
func (n *Notebook) newSourceWriter(old jsonedit.Span, around jsonedit.Layout) *sourceWriter {
	w := &sourceWriter{
		layout:      n.sourceLayout(old, around),
		asString:    n.doc.Opens(old, '"'),
		oldLiterals: map[string]string{},
	}
	for _, c := range n.cells {
		n.learnSpelling(&w.spelling, c.source)
	}
	for _, literal := range n.learnSpelling(&w.spelling, old) {
		line, spelled := jsonscan.Unquote(literal), string(literal)
		if jsonscan.IndexLoneSurrogate(literal) >= 0 {
			w.hadLoneSurrogate = true
			if before, seen := w.oldLiterals[line]; seen && before != spelled {
				spelled = ""
			}
		}
		w.oldLiterals[line] = spelled
	}
	w.spelling.LearnASCII(n.doc.Bytes(n.doc.Root()))
	return w
}

// learnSpelling adds a source to the examples of the spelling s, and returns the JSON
// strings of the source.
func (n *Notebook) learnSpelling(s *jsonedit.Spelling, source jsonedit.Span) [][]byte {
	parts := n.doc.Elements(source)
	if n.doc.Opens(source, '"') {
		parts = []jsonedit.Span{source}
	}
	literals := make([][]byte, len(parts))
	for i, part := range parts {
		literals[i] = n.doc.Bytes(part)
		s.Learn(literals[i])
	}
	return literals
}

// An Edit is the result of changing one cell of a notebook.
type Edit struct {
	Data []byte // new bytes of the file; unchanged if there was nothing to change
	Cell Cell   // cell after the edit; for a delete, the deleted cell
	Old  string // source before the edit; "" for an insert

	Cleared bool   // outputs or an execution count were removed together with the old code
	Names   *Names // of the cells after the edit
}

// An Output is one output of a cell.
type Output struct {
	Kind string // stream, execute_result, display_data or error, or another kind that the file names
	Name string // of a stream: stdout or stderr

	// Text is the text of a stream, or the most readable text form of the data: plain
	// text, else Markdown, LaTeX, HTML, JSON or SVG. It may contain terminal escape
	// sequences.
	Text   string
	Images []Image  // in the order of the file
	Types  []string // MIME types of all forms of the data, in the order of the file

	Ename, Evalue string   // of an error
	Traceback     []string // of an error; often with terminal escape sequences
}

// An Image is an image in an output.
type Image struct {
	MIME string // image/png, image/jpeg, image/gif or image/webp
	Data []byte // decoded
}
