package files_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/files"
)

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
