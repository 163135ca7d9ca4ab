package notebook_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/files/internal/notebook"
)

// An editing is one call of an edit method.
type editing func(n *notebook.Notebook) (*notebook.Edit, error)

func replace(id, source, cellType string) editing {
	return func(n *notebook.Notebook) (*notebook.Edit, error) { return n.Replace(id, source, cellType) }
}

func insert(after, cellType, source string) editing {
	return func(n *notebook.Notebook) (*notebook.Edit, error) { return n.Insert(after, cellType, source) }
}

func remove(id string) editing {
	return func(n *notebook.Notebook) (*notebook.Edit, error) { return n.Delete(id) }
}

// TestEditBytes shows what becomes of the list of cells.
func TestEditBytes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name          string
		edit          editing
		before, after string
	}{
		{
			name:   "replace keeps order, odd space, numbers and other keys",
			edit:   replace("a", "y\nz", ""),
			before: `{ "source" :["x\n" , "y"],"id":"a","metadata":{"n":1.50,"n":1E2},"cell_type":"raw"  , "more":[ ]}`,
			after:  `{ "source" :["y\n" , "z"],"id":"a","metadata":{"n":1.50,"n":1E2},"cell_type":"raw"  , "more":[ ]}`,
		},
		{
			name:   "replace clears what the old code gave",
			edit:   replace("a", "y", ""),
			before: `{"cell_type": "code", "execution_count": 7, "id": "a", "outputs": [{"text": ["["]}], "source": "x"}`,
			after:  `{"cell_type": "code", "execution_count": null, "id": "a", "outputs": [], "source": "y"}`,
		},
		{
			name:   "replace leaves empty outputs as they are",
			edit:   replace("a", "y", ""),
			before: `{"cell_type": "code", "execution_count": null, "id": "a", "outputs": [ ], "source": "x"}`,
			after:  `{"cell_type": "code", "execution_count": null, "id": "a", "outputs": [ ], "source": "y"}`,
		},
		{
			name:   "the same source keeps the outputs",
			edit:   replace("a", "x", "code"),
			before: `{"cell_type": "code", "execution_count": 7, "id": "a", "outputs": [1], "source": ["", "x"]}`,
			after:  `{"cell_type": "code", "execution_count": 7, "id": "a", "outputs": [1], "source": ["", "x"]}`,
		},
		{
			name:   "another type drops run keys at the start",
			edit:   replace("a", "x", "markdown"),
			before: `{"outputs": [1], "execution_count": 7, "cell_type": "code", "id": "a", "source": "x"}`,
			after:  `{"cell_type": "markdown", "id": "a", "source": "x"}`,
		},
		{
			name:   "another type drops run keys at the end",
			edit:   replace("a", "y", "raw"),
			before: `{"cell_type": "code", "id": "a", "source": "x" , "execution_count": 7 , "outputs": [1] }`,
			after:  `{"cell_type": "raw", "id": "a", "source": "y" }`,
		},
		{
			name:   "code gets its keys, and loses empty attachments",
			edit:   replace("a", "x", "code"),
			before: `{"attachments": {}, "cell_type": "markdown", "id": "a", "metadata": {}, "source": "x"}`,
			after: `{"cell_type": "code", "execution_count": null, "id": "a", "metadata": {}, "outputs": [], ` +
				`"source": "x"}`,
		},
		{
			name:   "an unknown type is kept",
			edit:   replace("a", "y", ""),
			before: `{"cell_type": "heading", "id": "a", "source": "x"}`,
			after:  `{"cell_type": "heading", "id": "a", "source": "y"}`,
		},
		{
			name:   "lines that stay keep their escapes, others get the like",
			edit:   replace("a", "é/<\nü/<>\n", ""),
			before: `{"cell_type": "raw", "id": "a", "source": ["\u00E9\/\u003C\n"]}`,
			after:  `{"cell_type": "raw", "id": "a", "source": ["\u00E9\/\u003C\n", "\u00fc\/\u003C>\n"]}`,
		},
		{
			name:   "the replaced source shows the escapes, not its neighbours",
			edit:   replace("a", "ü/", ""),
			before: `{"cell_type": "raw", "id": "b", "source": "\u00e9\/"}, {"cell_type": "raw", "id": "a", "source": "é/"}`,
			after:  `{"cell_type": "raw", "id": "b", "source": "\u00e9\/"}, {"cell_type": "raw", "id": "a", "source": "ü/"}`,
		},
		{
			name:   "half a character in a line that stays",
			edit:   replace("a", "new\nold \uFFFD\n", ""),
			before: `{"cell_type": "raw", "id": "a", "source": ["old \ud83d\n"]}`,
			after:  `{"cell_type": "raw", "id": "a", "source": ["new\n", "old \ud83d\n"]}`,
		},
		{
			name:   "half a character that goes",
			edit:   replace("a", "new", ""),
			before: `{"cell_type": "raw", "id": "a", "source": "old \ud83d\n"}`,
			after:  `{"cell_type": "raw", "id": "a", "source": "new"}`,
		},
		{
			name:   "lines by the example of another cell",
			edit:   replace("a", "x\ny", ""),
			before: `{"cell_type": "raw", "id": "a", "source": []}, {"cell_type": "raw", "id": "b", "source": [ "1" ,"2"]}`,
			after:  `{"cell_type": "raw", "id": "a", "source": [ "x\n" ,"y"]}, {"cell_type": "raw", "id": "b", "source": [ "1" ,"2"]}`,
		},
		{
			name:   "to nothing",
			edit:   replace("a", "", ""),
			before: `{"cell_type": "raw", "id": "a", "source": ["x"]}`,
			after:  `{"cell_type": "raw", "id": "a", "source": []}`,
		},
		{
			name:   "of cells with one id one by its place",
			edit:   replace("cell-1", "y", ""),
			before: `{"cell_type": "raw", "id": "a", "source": "x"}, {"cell_type": "raw", "id": "a", "source": "x"}`,
			after:  `{"cell_type": "raw", "id": "a", "source": "x"}, {"cell_type": "raw", "id": "a", "source": "y"}`,
		},
		{
			name:   "insert into nothing",
			edit:   insert("", "markdown", "x\ny"),
			before: ``,
			after:  `{"cell_type": "markdown", "id": "e840dbf6", "metadata": {}, "source": ["x\n", "y"]}`,
		},
		{
			name:   "insert in the order of a cell of that type",
			edit:   insert("b", "code", "x"),
			before: `{"source": "", "outputs": [], "cell_type": "code", "id": "a"} , {"cell_type": "raw", "id": "b", "source": []}`,
			after: `{"source": "", "outputs": [], "cell_type": "code", "id": "a"} , {"cell_type": "raw", "id": "b", "source": []} , ` +
				`{"source": "x", "outputs": [], "cell_type": "code", "execution_count": null, "id": "71ed1e64", "metadata": {}}`,
		},
		{
			name:   "insert takes no half characters from its example",
			edit:   insert("", "raw", "\uFFFD"),
			before: `{"cell_type": "raw", "id": "a", "source": ["\ud83d"]}`,
			after: `{"cell_type": "raw", "id": "cacf902c", "metadata": {}, "source": ["` + "\uFFFD" + `"]}, ` +
				`{"cell_type": "raw", "id": "a", "source": ["\ud83d"]}`,
		},
		{
			name:   "delete first",
			edit:   remove("a"),
			before: `{"cell_type": "raw", "id": "a", "source": ""} , {"cell_type": "raw", "id": "b", "source": ""}`,
			after:  `{"cell_type": "raw", "id": "b", "source": ""}`,
		},
		{
			name:   "delete last",
			edit:   remove("b"),
			before: `{"cell_type": "raw", "id": "a", "source": ""} , {"cell_type": "raw", "id": "b", "source": ""}`,
			after:  `{"cell_type": "raw", "id": "a", "source": ""}`,
		},
		{
			name:   "delete only",
			edit:   remove("a"),
			before: `{"cell_type": "raw", "id": "a", "source": "", "source": ""}`,
			after:  ``,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			edit, err := tt.edit(parse(t, with(tt.before)))
			require.NoError(t, err)
			require.Equal(t, with(tt.after), string(edit.Data))
		})
	}
}

// TestEditLines shows files that have lines: nothing but the cell may change,
// and the new text must stand as the old did.
func TestEditLines(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name          string
		edit          editing
		before, after string
	}{
		{
			name: "insert into nothing, four spaces",
			edit: insert("", "raw", "x\ny"),
			before: `{
    "cells": [],
    "nbformat": 4
}`,
			after: `{
    "cells": [
        {
            "cell_type": "raw",
            "metadata": {},
            "source": [
                "x\n",
                "y"
            ]
        }
    ],
    "nbformat": 4
}`,
		},
		{
			name: "first lines by the depth of the cell",
			edit: replace("cell-0", "x", ""),
			before: `{
	"nbformat": 4,
	"cells": [
		{
			"cell_type": "raw",
			"source": []
		}
	]
}
`,
			after: `{
	"nbformat": 4,
	"cells": [
		{
			"cell_type": "raw",
			"source": [
				"x"
			]
		}
	]
}
`,
		},
		{
			name: "commas at the start of lines, brackets together",
			edit: insert("cell-0", "raw", "x\ny"),
			before: `{ "nbformat": 4
, "cells": [{
    "cell_type": "raw"
  , "source": ["a"]
  }]
}`,
			after: `{ "nbformat": 4
, "cells": [{
    "cell_type": "raw"
  , "source": ["a"]
  }, {
    "cell_type": "raw"
  , "metadata": {}
  , "source": ["x\n", "y"]
  }]
}`,
		},
		{
			name: "delete in the middle",
			edit: remove("cell-1"),
			before: `{"nbformat": 4, "cells": [
  {"cell_type": "raw", "source": "a"},
  {"cell_type": "raw", "source": "b"},

  {"cell_type": "raw", "source": "c"}
]}`,
			after: `{"nbformat": 4, "cells": [
  {"cell_type": "raw", "source": "a"},

  {"cell_type": "raw", "source": "c"}
]}`,
		},
		{
			name: "insert in the middle of one-line cells",
			edit: insert("cell-0", "markdown", "x"),
			before: `{"nbformat": 4, "cells": [
  {"cell_type": "raw", "source": "a"},
  {"cell_type": "raw", "source": "b"}
]}`,
			after: `{"nbformat": 4, "cells": [
  {"cell_type": "raw", "source": "a"},
  {"cell_type": "markdown", "metadata": {}, "source": "x"},
  {"cell_type": "raw", "source": "b"}
]}`,
		},
	} {
		for _, lineEnd := range []string{"\n", "\r\n"} {
			t.Run(tt.name+" "+strings.NewReplacer("\r", "CR", "\n", "LF").Replace(lineEnd), func(t *testing.T) {
				t.Parallel()
				before, after := strings.ReplaceAll(tt.before, "\n", lineEnd), strings.ReplaceAll(tt.after, "\n", lineEnd)
				edit, err := tt.edit(parse(t, before))
				require.NoError(t, err)
				require.Equal(t, after, string(edit.Data))
			})
		}
	}
}
