package notebook_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/files/internal/notebook"
)

func TestEditErrors(t *testing.T) {
	t.Parallel()
	const two = `{"cell_type": "raw", "id": "setup", "source": ""}, {"cell_type": "code", "id": "plot", "source": ""}`
	for _, tt := range []struct {
		name  string
		cells string
		edit  editing
		want  string
	}{
		{
			name: "unknown id, near ones", cells: two, edit: replace("plots", "x", ""),
			want: `no cell has the id "plots" (the notebook has 2); did you mean "plot"?`,
		},
		{
			name: "unknown id, none near", cells: two, edit: remove("zzz"),
			want: `no cell has the id "zzz" (the notebook has 2); read the notebook again to see their ids`,
		},
		{
			name: "place of a cell with an id", cells: two, edit: remove("cell-1"),
			want: `no cell has the id "cell-1" (the notebook has 2); did you mean "plot"?`,
		},
		{
			name: "no cells", edit: insert("a", "code", "x"),
			want: `the notebook has no cells; insert one at the start, naming no cell`,
		},
		{
			name: "no id", cells: two, edit: replace("", "x", ""),
			want: `no cell was named (the notebook has 2); read the notebook again to see their ids`,
		},
		{
			name: "equal ids", edit: remove("a"),
			cells: `{"cell_type": "raw", "id": "a", "source": ""}, {"cell_type": "raw", "id": "a", "source": ""}`,
			want:  `2 cells have the id "a"; name the one you mean as Read shows it, such as "cell-0" or "cell-1"`,
		},
		{
			name: "insert without type", edit: insert("", "", "x"),
			want: "a new cell needs a type; say code or markdown",
		},
		{
			name: "insert of an unknown type", edit: insert("", "heading", "x"),
			want: `there is no cell type "heading"; say code or markdown`,
		},
		{
			name: "replace with an unknown type", cells: two, edit: replace("plot", "x", "text"),
			want: `there is no cell type "text"; say code or markdown`,
		},
		{
			name: "replace with no text", cells: two, edit: replace("plot", "\xff", ""),
			want: `cell "plot": the new source is not UTF-8; send it again as text`,
		},
		{
			name: "insert no text", edit: insert("", "code", "\xff"),
			want: "the new cell: the new source is not UTF-8; send it again as text",
		},
		{
			name: "a key twice", edit: replace("a", "y", ""),
			cells: `{"cell_type": "raw", "id": "a", "source": "x", "s\u006furce": "x"}`,
			want:  `cell "a": it has the key "source" twice; remove one in the file as plain text first`,
		},
		{
			name: "attachments", edit: replace("a", "y", "code"),
			cells: `{"cell_type": "markdown", "id": "a", "source": "x", "attachments": {"map.png": {}}}`,
			want: `cell "a": it has attachments ("map.png" is one), which a code cell cannot have; ` +
				"insert a code cell after it instead",
		},
		{
			name: "half a character that text cannot hold", edit: replace("a", "\uFFFD y", ""),
			cells: `{"cell_type": "raw", "id": "a", "source": ["\ud83d x"]}`,
			want: `cell "a": its source has half a character (a lone surrogate escape), shown as U+FFFD; ` +
				"leave the lines with it as they are or take U+FFFD out of them",
		},
		{
			name: "lines that differ in half characters alone", edit: replace("a", "\uFFFD\n", ""),
			cells: `{"cell_type": "raw", "id": "a", "source": ["\ud83d\n", "\ude00\n", "\ud83d\n"]}`,
			want: `cell "a": its source has half a character (a lone surrogate escape), shown as U+FFFD; ` +
				"leave the lines with it as they are or take U+FFFD out of them",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			edit, err := tt.edit(parse(t, with(tt.cells)))
			require.Nil(t, edit)
			require.EqualError(t, err, tt.want)
			require.True(t, isEditError(err), "%T", err)
		})
	}
}

func isEditError(err error) bool {
	var (
		unknown   *notebook.UnknownCellError
		ambiguous *notebook.AmbiguousCellError
		cellType  *notebook.CellTypeError
		refused   *notebook.EditError
	)
	return errors.As(err, &unknown) || errors.As(err, &ambiguous) || errors.As(err, &cellType) || errors.As(err, &refused)
}

func TestEditResult(t *testing.T) {
	t.Parallel()
	n := parse(t, string(tides(t)))

	edit, err := n.Replace("load-data", "x", "")
	require.NoError(t, err)
	require.Equal(t, notebook.Cell{ID: "load-data", Index: 1, Type: "code", Language: "python", Source: "x"}, edit.Cell)
	require.Contains(t, edit.Old, "import math\n")
	require.True(t, edit.Cleared)

	edit, err = n.Delete("plot")
	require.NoError(t, err)
	require.Equal(t, n.Cells()[2], edit.Cell)
	require.Equal(t, "plot(heights)", edit.Old)

	require.Equal(t, tides(t), unchanged(t, n), "edits leave the notebook they start from as it was")
}

// unchanged returns the bytes n stands on.
func unchanged(t *testing.T, n *notebook.Notebook) []byte {
	t.Helper()
	edit, err := n.Replace("empty", "", "")
	require.NoError(t, err)
	return edit.Data
}

func TestInsertedIDs(t *testing.T) {
	t.Parallel()
	n := parse(t, with(""))
	first, err := n.Insert("", "code", "x")
	require.NoError(t, err)
	again, err := n.Insert("", "code", "x")
	require.NoError(t, err)
	require.Equal(t, first.Data, again.Data, "equal inserts give equal bytes")

	seen := map[string]bool{}
	for range 50 {
		edit, err := n.Insert("", "code", "x")
		require.NoError(t, err)
		require.False(t, seen[edit.Cell.ID])
		seen[edit.Cell.ID] = true
		n = parse(t, string(edit.Data))
	}

	old := parse(t, `{"nbformat": 4, "nbformat_minor": 4, "cells": []}`)
	edit, err := old.Insert("", "code", "x")
	require.NoError(t, err)
	require.NotContains(t, string(edit.Data), `"id"`)
	require.Equal(t, "cell-0", edit.Cell.ID)
}

// TestInsertAndDelete takes back what it inserts, which must give the old bytes.
func TestInsertAndDelete(t *testing.T) {
	t.Parallel()
	before := string(tides(t))
	n := parse(t, before)
	for _, c := range append([]notebook.Cell{{}}, n.Cells()...) {
		edit, err := n.Insert(c.ID, "markdown", "x\ny")
		require.NoError(t, err)
		back, err := parse(t, string(edit.Data)).Delete(edit.Cell.ID)
		require.NoError(t, err)
		require.Equal(t, before, string(back.Data))
	}
}

func TestLargeAndDeep(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`[{"a":`, 4000) + "1" + strings.Repeat("}]", 4000)
	var cells []string
	for i := range 2000 {
		cells = append(cells, fmt.Sprintf(`{"cell_type": "code", "id": "c%d", "metadata": {}, "source": "%d"}`, i, i))
	}
	n := parse(t, `{"x": `+deep+`, "nbformat": 4, "cells": [`+strings.Join(cells, ",")+`]}`)
	edit, err := n.Replace("c1999", "last", "")
	require.NoError(t, err)
	require.Equal(t, "last", edit.Cell.Source)
	require.Contains(t, string(edit.Data), deep)
}

// FuzzEdits checks that nothing panics, that errors are typed, and that an edit
// gives a notebook with the cell that was asked for.
func FuzzEdits(f *testing.F) {
	f.Add(tides(f), "plot", "x\ny", "markdown")
	for _, cells := range []string{
		``,
		`{"source" :["x\n" , "\ud83d"],"id":"a","cell_type":"code"  , "outputs":[1 ]}`,
		`{"cell_type": "raw", "source": "\u00e9"} , {"cell_type": "markdown", "source": [ ]}`,
		`{"cell_type": "raw", "source": "", "id": "a"}, {"cell_type": "raw", "source": "", "id": "a"}`,
	} {
		f.Add([]byte(with(cells)), "a", "é\uFFFD\r\n", "code")
		f.Add([]byte("\ufeff{\r\n\t\"nbformat\": 4,\r\n\t\"cells\": ["+cells+"]\r\n}\r\n"), "cell-0", "", "")
	}
	f.Fuzz(func(t *testing.T, data []byte, id, source, cellType string) {
		n, err := notebook.Parse(data)
		if err != nil {
			require.True(t, isParseError(err), "%T", err)
			return
		}
		before := n.Cells()
		for _, edit := range []editing{replace(id, source, cellType), insert(id, cellType, source), remove(id)} {
			done, err := edit(n)
			if err != nil {
				require.True(t, isEditError(err), "%T: %v", err, err)
				continue
			}
			after, err := notebook.Parse(done.Data)
			require.NoError(t, err)
			switch cells := after.Cells(); {
			case len(cells) < len(before):
				require.Equal(t, before[done.Cell.Index], done.Cell)
			default:
				require.Equal(t, cells[done.Cell.Index], done.Cell)
				require.Equal(t, source, done.Cell.Source)
			}
		}
	})
}
