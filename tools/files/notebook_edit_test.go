package files_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/files"
)

// notebookText is a notebook as Jupyter saves it, with one odd key.
const notebookText = `{
 "cells": [
  {
   "cell_type": "code",
   "execution_count": 7,
   "id": "aa",
   "metadata": {},
   "outputs": [
    {"name": "stdout", "output_type": "stream", "text": ["1\n"]}
   ],
   "source": [
    "print(1)"
   ]
  },
  {"id": "bb", "cell_type":   "markdown", "metadata": {"odd": 1.50e0}, "source": "# Title"}
 ],
 "metadata": {"language_info": {"name": "python"}},
 "nbformat": 4,
 "nbformat_minor": 5
}
`

func TestNotebookEdit(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		text   string // empty: notebookText
		unread bool
		change string // the content after the read
		input  map[string]any
		data   files.NotebookOutput // without the files
		says   string
		fails  bool
	}{
		{
			name: "replace", input: map[string]any{"cell_id": "aa", "new_source": "print(2)"},
			data: files.NotebookOutput{CellID: "aa", CellType: "code", Language: "python", EditMode: "replace", NewSource: "print(2)", OldSource: "print(1)"},
			says: "outputs were dropped",
		},
		{
			name: "insert", input: map[string]any{"cell_id": "aa", "new_source": "x", "cell_type": "markdown", "edit_mode": "insert"},
			data: files.NotebookOutput{CellType: "markdown", Language: "python", EditMode: "insert", NewSource: "x"}, says: "Inserted",
		},
		{
			name: "delete", input: map[string]any{"cell_id": "bb", "new_source": "", "edit_mode": "delete"},
			data: files.NotebookOutput{CellID: "bb", CellType: "markdown", Language: "python", EditMode: "delete", OldSource: "# Title"}, says: "Deleted",
		},
		{name: "unknown cell", input: map[string]any{"cell_id": "zz", "new_source": "x"}, fails: true, says: "has 2"},
		{name: "insert without a type", input: map[string]any{"new_source": "x", "edit_mode": "insert"}, fails: true, says: "cell_type"},
		{name: "no cell", input: map[string]any{"new_source": "x"}, fails: true, says: "cell_id"},
		{name: "unread", unread: true, input: map[string]any{"cell_id": "aa", "new_source": "x"}, fails: true, says: "Read it first"},
		{name: "changed", change: `{"cells":[],"nbformat":4,"nbformat_minor":5,"metadata":{}}`, input: map[string]any{"cell_id": "aa", "new_source": "x"}, fails: true, says: "changed since"},
		{name: "no notebook", text: "text", unread: true, input: map[string]any{"cell_id": "aa", "new_source": "x"}, fails: true, says: "JSON"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := editable(t)
			text := tt.text
			if text == "" {
				text = notebookText
			}
			path := g.put(t, "n.ipynb", text)
			if !tt.unread {
				require.NoError(t, g.call(t.Context(), t, "Read", map[string]any{"file_path": "n.ipynb"}).Err)
			}
			if tt.change != "" {
				text = tt.change
				g.put(t, "n.ipynb", text)
			}
			tt.input["notebook_path"] = "n.ipynb"
			out := g.call(t.Context(), t, "NotebookEdit", tt.input)
			require.Contains(t, out.Result.Text(), tt.says)
			if tt.fails {
				require.Error(t, out.Err)
				require.Equal(t, text, content(t, path))
				return
			}
			require.NoError(t, out.Err, out.Result.Text())
			data, ok := out.Result.Data.(files.NotebookOutput)
			require.True(t, ok)
			require.Equal(t, text, data.OriginalFile)
			require.Equal(t, content(t, path), data.UpdatedFile)
			require.NotEqual(t, text, data.UpdatedFile)
			require.Contains(t, data.UpdatedFile, `"nbformat_minor": 5`)
			if tt.data.CellID == "" {
				require.NotEmpty(t, data.CellID)
				tt.data.CellID = data.CellID
			}
			got := files.NotebookOutput{
				CellID: data.CellID, CellType: data.CellType, Language: data.Language, EditMode: data.EditMode,
				NewSource: data.NewSource, OldSource: data.OldSource,
			}
			require.Equal(t, tt.data, got)
		})
	}
}

func TestEditRefusesNotebooks(t *testing.T) {
	t.Parallel()
	g := editable(t)
	g.put(t, "n.ipynb", notebookText)
	require.ErrorContains(t, g.edit(t, "n.ipynb", "Title", "x").Err, "NotebookEdit")

	// Who else would mend one that is broken?
	path := g.put(t, "broken.ipynb", notebookText[1:])
	g.read(t, map[string]any{"file_path": "broken.ipynb"})
	require.NoError(t, g.edit(t, "broken.ipynb", "\n \"cells\"", "{\n \"cells\"").Err)
	require.Equal(t, notebookText, content(t, path))
}

// TestNotebookThatIsCutByALimit: the advice leads to an edit that passes.
func TestNotebookThatIsCutByALimit(t *testing.T) {
	t.Parallel()
	g := editable(t, files.Read(files.ReadOptions{MaxTokens: 30}), files.NotebookEdit(files.WriteOptions{}), files.Write(files.WriteOptions{}))
	g.put(t, "n.ipynb", notebookText)
	input := map[string]any{"notebook_path": "n.ipynb", "cell_id": "bb", "new_source": "# Other"}
	read := map[string]any{"file_path": "n.ipynb"}
	out := g.call(t.Context(), t, "Read", read)
	require.Contains(t, out.Result.Text(), "PARTIAL view")
	require.ErrorContains(t, g.call(t.Context(), t, "NotebookEdit", input).Err, "with offset and limit")
	read["offset"], read["limit"] = 2, 1
	require.NoError(t, g.call(t.Context(), t, "Read", read).Err)
	require.ErrorContains(t, g.write(t, "n.ipynb", "{}").Err, "NotebookEdit")
	require.NoError(t, g.call(t.Context(), t, "NotebookEdit", input).Err)
	require.ErrorContains(t, g.write(t, "n.ipynb", "{}").Err, "in part only", "the other cell was not seen")
}
