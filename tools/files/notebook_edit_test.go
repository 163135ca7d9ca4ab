package files_test

import (
	"encoding/json"
	"fmt"
	"strings"
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

// oldNotebook returns a notebook of a format without ids, with code cells of one line.
func oldNotebook(sources ...string) string {
	var cells []string
	for _, s := range sources {
		cells = append(cells, fmt.Sprintf(`{"cell_type": "code", "execution_count": null, "metadata": {}, "outputs": [], "source": [%q]}`, s))
	}
	return `{"cells": [` + strings.Join(cells, ",\n") + `], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}`
}

// sources returns the sources of the cells in the notebook at path, by blanks.
func sources(t *testing.T, path string) string {
	t.Helper()
	var book struct{ Cells []struct{ Source []string } }
	require.NoError(t, json.Unmarshal([]byte(content(t, path)), &book))
	var all []string
	for _, c := range book.Cells {
		all = append(all, strings.Join(c.Source, ""))
	}
	return strings.Join(all, " ")
}

// TestNotebookEditsOfOneMessage: the model wrote all of them with the ids of one view.
func TestNotebookEditsOfOneMessage(t *testing.T) {
	t.Parallel()
	const path = "n.ipynb"
	replace := func(id, source string) map[string]any {
		return map[string]any{"tool": "NotebookEdit", "notebook_path": path, "cell_id": id, "new_source": source}
	}
	insert := func(id, source string) map[string]any {
		return map[string]any{"tool": "NotebookEdit", "notebook_path": path, "cell_id": id, "new_source": source, "edit_mode": "insert", "cell_type": "code"}
	}
	remove := func(id string) map[string]any {
		return map[string]any{"tool": "NotebookEdit", "notebook_path": path, "cell_id": id, "new_source": "", "edit_mode": "delete"}
	}
	read := map[string]any{"tool": "Read", "file_path": path}
	tests := []struct {
		name  string
		calls []map[string]any
		want  string
		fails string // of the last call
	}{
		{name: "insert, replace, delete, replace", calls: []map[string]any{insert("cell-3", "I"), replace("cell-4", "R"), remove("cell-0"), replace("cell-1", "S")}, want: "S c d I R"},
		{name: "a cell that was deleted", calls: []map[string]any{remove("cell-1"), replace("cell-1", "R")}, want: "a c d e", fails: `the cell "cell-1" is not there any more`},
		{name: "the last was deleted, another came", calls: []map[string]any{remove("cell-4"), insert("cell-3", "I"), replace("cell-4", "R")}, want: "a b c d I", fails: "not there any more"},
		{name: "several at the start", calls: []map[string]any{insert("", "I"), insert("", "J"), remove("cell-0"), replace("cell-1", "R")}, want: "J I R c d e"},
		{name: "a reading between", calls: []map[string]any{insert("", "I"), read, replace("cell-1", "R")}, want: "I a R c d e"},
		{name: "a whole new notebook", calls: []map[string]any{insert("", "I"), {"tool": "Write", "file_path": path, "content": oldNotebook("x", "a", "b")}, replace("cell-1", "R")}, want: "x R b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := editable(t)
			full := g.put(t, path, oldNotebook("a", "b", "c", "d", "e"))
			require.NoError(t, g.message(t, read)[0].Err)
			outcomes := g.message(t, tt.calls...)
			for _, out := range outcomes[:len(outcomes)-1] {
				require.NoError(t, out.Err, out.Result.Text())
			}
			last := outcomes[len(outcomes)-1]
			if tt.fails != "" {
				require.ErrorContains(t, last.Err, tt.fails)
			} else {
				require.NoError(t, last.Err)
			}
			require.Equal(t, tt.want, sources(t, full))
		})
	}
}

// TestNotebookNamesAreThoseOfTheResult: what an edit and the next Read call a cell leads
// to it.
func TestNotebookNamesAreThoseOfTheResult(t *testing.T) {
	t.Parallel()
	g := editable(t)
	path := g.put(t, "n.ipynb", oldNotebook("a", "b"))
	g.notebook(t, map[string]any{"file_path": path})
	out := g.call(t.Context(), t, "NotebookEdit", map[string]any{"notebook_path": path, "new_source": "I", "edit_mode": "insert", "cell_type": "code"})
	require.Equal(t, "Inserted the code cell cell-2.", out.Result.Text())
	result, file := g.notebook(t, map[string]any{"file_path": path})
	require.Contains(t, result.Text(), `<cell id="cell-2" type="code" language="python">`+"\nI\n")
	var ids []string
	for _, c := range file.Cells {
		ids = append(ids, c.ID)
	}
	require.Equal(t, []string{"cell-2", "cell-0", "cell-1"}, ids)

	// Somebody runs the notebook and adds a cell before the model goes on.
	g.put(t, "n.ipynb", strings.Replace(oldNotebook("x", "I", "a", "b"), `"outputs": []`, `"outputs": [{"output_type": "stream", "name": "stdout", "text": ["1\n"]}]`, 2))
	require.ErrorContains(t, g.message(t, map[string]any{"tool": "NotebookEdit", "notebook_path": path, "cell_id": "cell-0", "new_source": "R"})[0].Err, "Read it again")
	_, file = g.notebook(t, map[string]any{"file_path": path})
	require.Equal(t, "cell-3", file.Cells[0].ID)
	require.NoError(t, g.message(t, map[string]any{"tool": "NotebookEdit", "notebook_path": path, "cell_id": "cell-0", "new_source": "R"})[0].Err)
	require.Equal(t, "x I R b", sources(t, path))
}

func TestNotebookCellsWithEqualIDs(t *testing.T) {
	t.Parallel()
	g := editable(t)
	path := g.put(t, "n.ipynb", notebookOf(codeCell(t, "same", "a"), codeCell(t, "same", "b"), codeCell(t, "own", "c")))
	_, file := g.notebook(t, map[string]any{"file_path": path})
	require.Equal(t, []string{"cell-0", "cell-1", "own"}, []string{file.Cells[0].ID, file.Cells[1].ID, file.Cells[2].ID})
	require.ErrorContains(t, g.message(t, map[string]any{"tool": "NotebookEdit", "notebook_path": path, "cell_id": "same", "new_source": "R"})[0].Err, `such as "cell-0" or "cell-1"`)
	out := g.message(t, map[string]any{"tool": "NotebookEdit", "notebook_path": path, "cell_id": "cell-1", "new_source": "R"})[0]
	data, ok := out.Result.Data.(files.NotebookOutput)
	require.True(t, ok)
	require.Equal(t, "b", data.OldSource)
}
