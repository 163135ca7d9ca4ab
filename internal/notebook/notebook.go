// Package notebook reads Jupyter notebooks (.ipynb, nbformat 4) by cell, and
// edits one cell so that every byte outside it stays as it was.
//
// It works on bytes and opens no file. Its errors are worded for a model.
package notebook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

const (
	formatVersion  = "4"
	firstWithIDs   = 5 // nbformat_minor from which each cell has an id
	utf8BOM        = "\xef\xbb\xbf"
	positionPrefix = "cell-"
)

// A Notebook is a parsed notebook. It refers to the bytes it was made from,
// which must not change while it is used. Its methods do not change it, so many
// goroutines may call them at once.
type Notebook struct {
	data     []byte
	at       span // without a byte order mark and space around it
	root     []member
	metadata []member
	minor    int
	list     span // the list of cells with its brackets
	cells    []cell
}

// Parse reads a notebook. The error is a *[SyntaxError] for what is not JSON in
// UTF-8, a *[VersionError] for a format other than 4, or a *[ShapeError].
//
// A byte order mark, keys that an object has twice, unknown keys and escaped
// half characters are accepted, as nothing need be done about them.
func Parse(data []byte) (*Notebook, error) {
	body := bytes.TrimPrefix(data, []byte(utf8BOM))
	shift := len(data) - len(body)
	if !utf8.Valid(body) {
		return nil, notText(data, shift)
	}
	if !json.Valid(body) {
		return nil, notJSON(data, shift)
	}
	s := scanner{data: data, pos: shift}
	root := s.value()
	if data[root.start] != '{' {
		return nil, &ShapeError{Want: "an object"}
	}
	n := &Notebook{data: data, at: root, root: members(data, root)}
	if key, twice := repeated(n.root, "nbformat", "nbformat_minor", "cells"); twice {
		return nil, &ShapeError{Path: key, Want: "given just once"}
	}
	if version := n.raw(find(n.root, "nbformat")); version != formatVersion {
		return nil, &VersionError{Version: strictjson.Cut(version)}
	}
	if minor, err := strconv.Atoi(n.raw(find(n.root, "nbformat_minor"))); err == nil {
		n.minor = minor
	}
	n.metadata = members(data, find(n.root, "metadata"))
	if err := n.locateCells(); err != nil {
		return nil, err
	}
	return n, nil
}

// locateCells finds each cell, without decoding more than its id and type.
func (n *Notebook) locateCells() error {
	n.list = find(n.root, "cells")
	if !n.opens(n.list, '[') {
		return &ShapeError{Path: "cells", Want: "a list"}
	}
	for i, at := range elements(n.data, n.list) {
		path := strictjson.AppendIndex("cells", i)
		if !n.opens(at, '{') {
			return &ShapeError{Path: path, Want: "an object"}
		}
		c := cell{span: at, index: i, members: members(n.data, at)}
		c.kind = n.word(find(c.members, "cell_type"))
		if c.kind == "" {
			return &ShapeError{Path: path + ".cell_type", Want: "a string"}
		}
		c.ownID = n.word(find(c.members, "id"))
		c.source = find(c.members, "source")
		if !n.isText(c.source) {
			return &ShapeError{Path: path + ".source", Want: "a string or a list of strings"}
		}
		n.cells = append(n.cells, c)
	}
	return nil
}

// Language returns what the code cells are written in, as language_info or else
// kernelspec name it, "python" if neither does.
func (n *Notebook) Language() string {
	for _, place := range []struct{ object, key string }{
		{"language_info", "name"},
		{"kernelspec", "language"},
	} {
		object := members(n.data, find(n.metadata, place.object))
		if name := n.word(find(object, place.key)); name != "" {
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
		cells[i] = n.export(c, language)
	}
	return cells
}

// lookup finds the cell of an id.
func (n *Notebook) lookup(id string) (cell, error) {
	var same []int
	for i, c := range n.cells {
		if c.id() == id {
			same = append(same, i)
		}
	}
	switch len(same) {
	case 0:
		return n.lookupPlace(id)
	case 1:
		return n.cells[same[0]], nil
	default:
		return cell{}, &AmbiguousCellError{ID: id, Indexes: same}
	}
}

// lookupPlace finds the cell at the place that an id such as cell-3 names, if
// its own id cannot name it because others have the same.
func (n *Notebook) lookupPlace(id string) (cell, error) {
	for i, c := range n.cells {
		if positional(i) != id {
			continue
		}
		if n.shared(c.ownID) {
			return c, nil
		}
	}
	return cell{}, n.unknown(id)
}

func (n *Notebook) shared(id string) bool {
	count := 0
	for _, c := range n.cells {
		if c.id() == id {
			count++
		}
	}
	return count > 1
}

// raw returns the text of a value as it stands in the file.
func (n *Notebook) raw(v span) string { return string(n.data[v.start:v.end]) }

// opens reports whether a value begins with that bracket or quote.
func (n *Notebook) opens(v span, bracket byte) bool {
	return v.start < v.end && n.data[v.start] == bracket
}

// word returns the value of a string, "" for what is none.
func (n *Notebook) word(v span) string {
	if !n.opens(v, '"') {
		return ""
	}
	return decode(n.data[v.start:v.end])
}

// text returns the value of a string, or of a list of strings as one. It is ""
// for what is neither.
func (n *Notebook) text(v span) string {
	if n.opens(v, '[') {
		return strings.Join(n.texts(v), "")
	}
	return n.word(v)
}

// texts returns the strings of a list, leaving out what is no string.
func (n *Notebook) texts(v span) []string {
	var all []string
	for _, e := range elements(n.data, v) {
		if n.opens(e, '"') {
			all = append(all, decode(n.data[e.start:e.end]))
		}
	}
	return all
}

// isText reports whether v is a string or a list of strings.
func (n *Notebook) isText(v span) bool {
	if n.opens(v, '"') {
		return true
	}
	return n.opens(v, '[') && !slices.ContainsFunc(elements(n.data, v), func(e span) bool { return !n.opens(e, '"') })
}

// repeated returns the first of those keys that an object has more than once.
func repeated(all []member, keys ...string) (key string, twice bool) {
	for _, key := range keys {
		first := slices.IndexFunc(all, func(m member) bool { return m.key == key })
		if first != indexOf(all, key) {
			return key, true
		}
	}
	return "", false
}

func notText(data []byte, shift int) error {
	offset := shift
	for {
		r, size := utf8.DecodeRune(data[offset:])
		if r == utf8.RuneError && size <= 1 {
			break
		}
		offset += size
	}
	return syntaxError(data, offset, "the file is not UTF-8 here; convert it to UTF-8 first")
}

func notJSON(data []byte, shift int) error {
	body := data[shift:]
	if len(bytes.TrimSpace(body)) == 0 {
		return syntaxError(data, 0, "the file is empty; write a whole notebook to it first")
	}
	if at := bytes.Index(body, []byte("\n<<<<<<< ")); at >= 0 {
		return syntaxError(data, shift+at+1, "there are marks of a merge conflict; settle it as plain text first")
	}
	var syntax *json.SyntaxError
	var discarded any
	if err := json.Unmarshal(body, &discarded); !errors.As(err, &syntax) {
		return syntaxError(data, shift, "it cannot be read; mend the file as plain text first")
	}
	offset := shift + max(int(syntax.Offset)-1, 0)
	return syntaxError(data, offset, fmt.Sprintf("%s; mend the file as plain text first", syntax.Error()))
}

func syntaxError(data []byte, offset int, msg string) error {
	return &SyntaxError{Offset: offset, Line: 1 + bytes.Count(data[:offset], []byte("\n")), Msg: msg}
}
