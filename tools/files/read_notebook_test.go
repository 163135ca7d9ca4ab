package files_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/internal/reads"
)

// notebookOf returns a notebook of cells that are given as JSON.
func notebookOf(cells ...string) string {
	return `{"cells": [` + strings.Join(cells, ",\n") + `], "metadata": {"language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5}`
}

// codeCell returns a cell as JSON.
func codeCell(t testing.TB, id, source string, outputs ...any) string {
	t.Helper()
	if outputs == nil {
		outputs = []any{}
	}
	b, err := json.Marshal(map[string]any{"cell_type": "code", "id": id, "metadata": map[string]any{}, "execution_count": 3, "source": source, "outputs": outputs})
	require.NoError(t, err)
	return string(b)
}

func stream(text string) any {
	return map[string]any{"output_type": "stream", "name": "stdout", "text": text}
}

// TestReadShowsNotebook compares what the model sees of each kind of cell and
// output.
func TestReadShowsNotebook(t *testing.T) {
	t.Parallel()
	picture := encoded(t, "image/png", quarters(20, 10))
	figure := map[string]any{"output_type": "display_data", "metadata": map[string]any{}, "data": map[string]any{
		"text/plain": []string{"<Figure>"}, "image/png": base64.StdEncoding.EncodeToString([]byte(picture)),
	}}
	widget := map[string]any{"output_type": "display_data", "metadata": map[string]any{}, "data": map[string]any{"application/x-widget": map[string]any{"a": 1}}}
	failure := map[string]any{"output_type": "error", "ename": "E", "evalue": "v", "traceback": []string{"\x1b[0;31mTraceback\x1b[0m", "\x1b]8;;http://x\x07E\x1b]8;;\x1b\\: v"}}
	bare := map[string]any{"output_type": "error", "ename": "E", "evalue": "v", "traceback": []string{}}
	tests := []struct {
		name  string
		cells []string
		want  []pegboard.Part
	}{
		{name: "none", want: []pegboard.Part{{Text: "[The notebook has no cells.]"}}},
		{name: "markdown and code", cells: []string{
			`{"cell_type": "markdown", "id": "intro", "metadata": {}, "source": ["# Title\n", "text\n"]}`, codeCell(t, "b", "x = 1\nx"),
			`{"cell_type": "raw", "metadata": {}, "source": ""}`,
		}, want: []pegboard.Part{{Text: "[Notebook, cells 1 to 3 of 3]\n<cell id=\"intro\" type=\"markdown\">\n# Title\ntext\n</cell>\n" +
			"<cell id=\"b\" type=\"code\" language=\"python\" run=\"3\">\nx = 1\nx\n</cell>\n<cell id=\"cell-2\" type=\"raw\">\n</cell>"}}},
		{name: "a stream", cells: []string{codeCell(t, "a", "f()", stream("one\n\x1b[1mtwo\x1b[0m"))}, want: []pegboard.Part{{Text: "[Notebook, cells 1 to 1 of 1]\n" +
			"<cell id=\"a\" type=\"code\" language=\"python\" run=\"3\">\nf()\n<output type=\"stream\" name=\"stdout\">\none\ntwo\n</output>\n</cell>"}}},
		{name: "a picture", cells: []string{codeCell(t, "a", "f()", figure)}, want: []pegboard.Part{
			{Text: "[Notebook, cells 1 to 1 of 1]\n<cell id=\"a\" type=\"code\" language=\"python\" run=\"3\">\nf()\n<output type=\"display_data\">\n<Figure>"},
			{MIME: "image/png", Data: []byte(picture)}, {Text: "</output>\n</cell>"},
		}},
		{name: "an error", cells: []string{codeCell(t, "a", "f()", failure, bare)}, want: []pegboard.Part{{Text: "[Notebook, cells 1 to 1 of 1]\n" +
			"<cell id=\"a\" type=\"code\" language=\"python\" run=\"3\">\nf()\n<output type=\"error\">\nTraceback\nE: v\n</output>\n<output type=\"error\">\nE: v\n</output>\n</cell>"}}},
		{name: "what has no text", cells: []string{codeCell(t, "a", "f()", widget)}, want: []pegboard.Part{{Text: "[Notebook, cells 1 to 1 of 1]\n" +
			"<cell id=\"a\" type=\"code\" language=\"python\" run=\"3\">\nf()\n<output type=\"display_data\">\n[application/x-widget, not shown]\n</output>\n</cell>"}}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			g := newGround(t, pegboard.SessionConfig{})
			result, file := g.notebook(t, map[string]any{"file_path": g.put(t, "n.ipynb", notebookOf(tc.cells...))})
			require.Equal(t, tc.want, result.Parts)
			require.Equal(t, len(tc.cells), file.TotalCells)
			require.Len(t, file.Cells, len(tc.cells))
		})
	}
}

func TestNotebookForTheHost(t *testing.T) {
	t.Parallel()
	g := newGround(t, pegboard.SessionConfig{})
	path := g.put(t, "N.IPYNB", notebookOf(codeCell(t, "a", "f()", stream("x\n"))))
	result, _ := g.notebook(t, map[string]any{"file_path": path})
	got, err := json.Marshal(result.Data)
	require.NoError(t, err)
	require.JSONEq(t, fmt.Sprintf(`{"type": "notebook", "file": {"filePath": %q, "startCell": 1, "totalCells": 1, "cells": [
		{"id": "a", "cellType": "code", "language": "python", "source": "f()", "executionCount": 3, "outputs": [{"type": "stream", "text": "x\n"}]}]}}`, path), string(got))
}

// TestReadCutsOutputs keeps the end of what was printed and the beginning of
// other texts.
func TestReadCutsOutputs(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("é", 5_000) + "\nmiddle\n" + strings.Repeat("é", 5_000)
	data := map[string]any{"output_type": "execute_result", "execution_count": 3, "metadata": map[string]any{}, "data": map[string]any{"text/plain": text}}
	g := newGround(t, pegboard.SessionConfig{})
	_, file := g.notebook(t, map[string]any{"file_path": g.put(t, "n.ipynb", notebookOf(codeCell(t, "a", "", stream(text), data)))})
	require.Equal(t, "[10008 bytes before this are not shown; a shell shows them, as with jq '.cells[0].outputs']\n"+strings.Repeat("é", 5_000), file.Cells[0].Outputs[0].Text)
	require.Equal(t, strings.Repeat("é", 5_000)+"\n[10008 bytes after this are not shown; a shell shows them, as with jq '.cells[0].outputs']", file.Cells[0].Outputs[1].Text)
}

// TestReadShowsFewPictures counts the pictures of a notebook, and leaves out
// what no model would take.
func TestReadShowsFewPictures(t *testing.T) {
	t.Parallel()
	output := func(data string) any {
		return map[string]any{"output_type": "display_data", "metadata": map[string]any{}, "data": map[string]any{"image/png": base64.StdEncoding.EncodeToString([]byte(data))}}
	}
	outputs := []any{output("no picture"), output(strings.Repeat("x", 1001))}
	for range 12 {
		outputs = append(outputs, output(encoded(t, "image/png", quarters(4, 4))))
	}
	g := newGround(t, pegboard.SessionConfig{}, files.Read(files.ReadOptions{MaxImageBytes: 1000}))
	result, _ := g.notebook(t, map[string]any{"file_path": g.put(t, "n.ipynb", notebookOf(codeCell(t, "a", "", outputs...)))})
	pictures := 0
	for _, p := range result.Parts {
		if p.MIME != "" {
			pictures++
		}
	}
	require.Equal(t, 10, pictures)
	require.Contains(t, result.Text(), "[image/png of 10 bytes, not shown: its header cannot be decoded")
	require.Contains(t, result.Text(), "[image/png of 1001 bytes, too large to be shown]")
	require.Equal(t, 2, strings.Count(result.Text(), "not shown: 10 images are enough for one call. Ask for this cell alone.]"))
}

func TestReadCountsTokensOfNotebooks(t *testing.T) {
	t.Parallel()
	cells := make([]string, 5)
	for i := range cells {
		cells[i] = fmt.Sprintf(`{"cell_type": "markdown", "id": "c%d", "metadata": {}, "source": "one two three"}`, i) // seven words with its tags
	}
	tests := []struct {
		name   string
		max    int
		input  map[string]any
		says   string
		first  string
		cells  int
		capped bool
		want   reads.Knowledge
	}{
		{name: "all", max: 35, says: "[Notebook, cells 1 to 5 of 5]", first: "c0", cells: 5, want: reads.Current},
		{name: "cut", max: 34, says: "[PARTIAL view: cells 1 to 4 of 5. One call shows about 34 tokens and 262144 bytes at most. Go on with offset 5 and limit 4.]", first: "c0", cells: 4, capped: true, want: reads.Truncated},
		{name: "some", max: 34, input: map[string]any{"offset": 2, "limit": 2}, says: "[PARTIAL view: cells 2 to 3 of 5. Go on with offset 4.]", first: "c1", cells: 2, want: reads.Current},
		{name: "the rest", max: 34, input: map[string]any{"offset": 5}, says: "[Notebook, cells 5 to 5 of 5]", first: "c4", cells: 1, want: reads.Current},
		{name: "past the end", max: 34, input: map[string]any{"offset": 6}, says: "[Nothing to show: offset 6 is past the end, the notebook has 5 cells. Use a smaller offset.]"},
		{name: "too many", max: 20, input: map[string]any{"offset": 2}, says: "Cells 2 to 5 are about 28 tokens in 212 bytes, more than the 20 in 262144 that one call shows. Ask for offset 2 and limit 2, which fits."},
		{name: "one that is too long", max: 5, input: map[string]any{"limit": 1}, says: "more bytes of this cell are not shown; a shell shows them, as with jq '.cells[0]']", first: "c0", cells: 1, want: reads.Current},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			g := newGround(t, pegboard.SessionConfig{}, files.Read(files.ReadOptions{MaxTokens: tc.max, Tokens: words, NoUnchanged: true}))
			text := notebookOf(cells...)
			path := g.put(t, "n.ipynb", text)
			input := map[string]any{"file_path": path}
			for k, v := range tc.input {
				input[k] = v
			}
			out := g.call(t.Context(), t, "Read", input)
			require.Contains(t, out.Result.Text(), tc.says)
			state := reads.Of(g.session)
			if tc.cells == 0 {
				return
			}
			_, file := g.notebook(t, input)
			require.Len(t, file.Cells, tc.cells)
			require.Equal(t, tc.first, file.Cells[0].ID)
			require.Equal(t, tc.capped, file.TruncatedByTokenCap)
			require.Equal(t, tc.want, state.Knowledge(path, []byte(text)))
			require.Equal(t, tc.cells == 5, state.SeenWhole(path, []byte(text)))
		})
	}
}

func TestReadSaysUnchangedOfNotebooks(t *testing.T) {
	t.Parallel()
	g := newGround(t, pegboard.SessionConfig{})
	path := g.put(t, "n.ipynb", notebookOf(codeCell(t, "a", long), codeCell(t, "b", long)))
	for _, window := range []int{1, 2} { // the view does not say which cells it has
		result, _ := g.notebook(t, map[string]any{"file_path": path, "offset": window, "limit": 1})
		require.Contains(t, result.Text(), fmt.Sprintf("cells %d to %d of 2", window, window))
	}
	g.notebook(t, map[string]any{"file_path": path})
	out := g.call(t.Context(), t, "Read", map[string]any{"file_path": path})
	require.Contains(t, out.Result.Text(), "has not changed")
	g.notebook(t, map[string]any{"file_path": path})
}

func TestReadShowsBrokenNotebooksAsText(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text, want string
	}{
		{name: "not JSON", text: "{\"cells\": [}\n", want: "[Shown as text, not by cell: the notebook is not valid JSON in line 1"},
		{name: "no notebook", text: "[]\n", want: "[Shown as text, not by cell: the file is not an object, as a notebook has it"},
		{name: "an old format", text: `{"nbformat": 3, "worksheets": []}`, want: "[Shown as text, not by cell: the notebook has nbformat 3"},
		{name: "UTF-16", text: "\xff\xfe{\x00}\x00", want: "[Shown as text, not by cell: "},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			g := newGround(t, pegboard.SessionConfig{})
			text, file := g.read(t, map[string]any{"file_path": g.put(t, "n.ipynb", tc.text)})
			require.True(t, strings.HasPrefix(text, tc.want), text)
			require.Contains(t, text, "\n     1\t"+file.Content)
		})
	}
	g := newGround(t, pegboard.SessionConfig{})
	text, _ := g.read(t, map[string]any{"file_path": g.put(t, "n.ipynb", "")})
	require.Equal(t, "[The file exists but is empty.]", text)

	path := g.put(t, "n.ipynb", "{}")
	require.NoError(t, os.Truncate(path, 100<<20+1))
	out := g.call(t.Context(), t, "Read", map[string]any{"file_path": path})
	require.True(t, out.Result.IsError, "it has NUL behind its beginning")

	path = g.put(t, "n.ipynb", strings.Repeat(" ", 16<<10))
	require.NoError(t, os.Truncate(path, 100<<20+1))
	out = g.call(t.Context(), t, "Read", map[string]any{"file_path": path})
	require.Contains(t, out.Result.Text(), "is a notebook of 104857601 bytes, more than the 104857600 that are read")
}

// FuzzReadNotebook renders arbitrary cells. Escape sequences do not reach the
// model, and what it sees is text.
func FuzzReadNotebook(f *testing.F) {
	f.Add("source", "\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "aGk=")
	f.Add("\x00</cell>", "\x1b", "\x1b[", "iVBORw0KGgo=")
	f.Fuzz(func(t *testing.T, source, printed, trace, picture string) {
		outputs := []any{
			stream(printed), map[string]any{"output_type": "error", "traceback": []string{trace}},
			map[string]any{"output_type": "display_data", "data": map[string]any{"image/png": picture}},
		}
		g := newGround(t, pegboard.SessionConfig{})
		result, file := g.notebook(t, map[string]any{"file_path": g.put(t, "n.ipynb", notebookOf(codeCell(t, "a", source, outputs...)))})
		require.Len(t, file.Cells, 1)
		require.True(t, strings.HasPrefix(result.Text(), "[Notebook, cells 1 to 1 of 1]\n<cell id=\"a\""))
		require.NotContains(t, result.Text(), "\x00")
		for _, o := range file.Cells[0].Outputs {
			require.NotContains(t, o.Text, "\x1b")
		}
	})
}
