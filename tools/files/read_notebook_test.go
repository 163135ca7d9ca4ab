package files_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
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
	g := newGround(t, pegboard.SessionConfig{}, files.Read(files.ReadOptions{}.With(files.ReadLimits{ImageBytes: 1000})))
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
			g := newGround(t, pegboard.SessionConfig{}, files.Read(files.ReadOptions{MaxTokens: tc.max}.With(files.ReadLimits{Tokens: words, Again: true})))
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

// book is a PDF of so many pages. What it shows of a page is its number.
type book struct {
	pages int
	fails error
	whole bool // show it as a document
}

func (b book) Pages(context.Context, *io.SectionReader) (int, error) {
	if b.pages < 0 {
		return 0, b.fails
	}
	return b.pages, nil
}

func (b book) Show(_ context.Context, doc *io.SectionReader, first, last int) (parts []pegboard.Part, err error) {
	if b.whole {
		data, err := io.ReadAll(doc)
		return []pegboard.Part{{MIME: "application/pdf", Data: data}}, err
	}
	for n := first; n <= last; n++ {
		parts = append(parts, pegboard.Part{Text: fmt.Sprint("page ", n)})
	}
	return parts, b.fails
}

func TestReadShowsPagesOfPDF(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		pages int
		asked string
		says  string // with the first part
		count int    // 0: refused
	}{
		{name: "a short one", pages: 10, says: "[PDF document, pages 1 to 10 of 10]", count: 10},
		{name: "one too many to show unasked", pages: 11, says: `has 11 pages. Say which to show, 20 at most, as with pages "1-10".`},
		{name: "a page", pages: 11, asked: "3", says: "[PDF document, pages 3 to 3 of 11]", count: 1},
		{name: "some", pages: 100, asked: "81-100", says: "[PDF document, pages 81 to 100 of 100]", count: 20},
		{name: "too many at once", pages: 100, asked: "2-22", says: `has 100 pages, and one call shows 20 at most. Ask for pages "2-21" first.`},
		{name: "to the end", pages: 12, asked: "10-", says: "[PDF document, pages 10 to 12 of 12]", count: 3},
		{name: "too many to the end", pages: 60, asked: "10-", says: `Ask for pages "10-29" first.`},
		{name: "past the end", pages: 3, asked: "2-9", says: "[PDF document, pages 2 to 3 of 3]", count: 2},
		{name: "behind the end", pages: 3, asked: "4-9", says: "has 3 pages; page 4 is past the end."},
		{name: "a long one", pages: 101, asked: "1", says: "has 101 pages, more than the 100 of a document that is shown."},
		{name: "no pages", pages: 0, says: "without pages"},
		{name: "spaces", pages: 3, asked: " 1 - 2 ", says: "[PDF document, pages 1 to 2 of 3]", count: 2},
		{name: "backwards", pages: 3, asked: "3-1", says: `pages is "3-1"; send one range of pages, counted from 1`},
		{name: "several", pages: 3, asked: "1,3", says: `send one range of pages`},
		{name: "page zero", pages: 3, asked: "0", says: `send one range of pages`},
		{name: "no number", pages: 3, asked: "-3", says: `send one range of pages`},
		{name: "a huge number", pages: 3, asked: "1-99999999999999999999", says: `send one range of pages`},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			g := newGround(t, pegboard.SessionConfig{}, files.Read(files.ReadOptions{PDF: book{pages: tc.pages}}))
			input := map[string]any{"file_path": g.put(t, "f", "%PDF-1.7\n")}
			if tc.asked != "" {
				input["pages"] = tc.asked
			}
			out := g.call(t.Context(), t, "Read", input)
			require.Equal(t, tc.count == 0, out.Result.IsError, out.Result.Text())
			require.Contains(t, out.Result.Text(), tc.says)
			if tc.count == 0 {
				return
			}
			read, ok := out.Result.Data.(files.ReadOutput)
			require.True(t, ok)
			file, ok := read.File.(files.PDFFile)
			require.True(t, ok)
			require.Equal(t, "parts", read.Type)
			require.Equal(t, tc.pages, read.Pages)
			require.Equal(t, tc.count, file.Count)
			require.Equal(t, fmt.Sprint("page ", read.FirstPage), out.Result.Parts[1].Text)
			require.Len(t, out.Result.Parts, 1+tc.count)
		})
	}
}

func TestReadShowsADocumentAsSuch(t *testing.T) {
	t.Parallel()
	g := newGround(t, pegboard.SessionConfig{}, files.Read(files.ReadOptions{PDF: book{pages: 2, whole: true}}))
	out := g.call(t.Context(), t, "Read", map[string]any{"file_path": g.put(t, "f", "%PDF-1.7\n")})
	require.NoError(t, out.Err)
	require.Equal(t, pegboard.Part{MIME: "application/pdf", Data: []byte("%PDF-1.7\n"), Title: "f"}, out.Result.Parts[1])
	read, ok := out.Result.Data.(files.ReadOutput)
	require.True(t, ok)
	require.Equal(t, "pdf", read.Type)
	file, ok := read.File.(files.PDFFile)
	require.True(t, ok)
	require.Equal(t, "%PDF-1.7\n", string(file.Data))
}

func TestReadRefusesPDF(t *testing.T) {
	t.Parallel()
	torn := errors.New("the trailer is torn off")
	tests := []struct {
		name string
		pdf  files.PDF
		size int64
		says string
		err  error
	}{
		{name: "nobody shows it", says: "this program has nothing that shows PDF. Extract its text in a shell, as with pdftotext -layout"},
		{name: "too large", pdf: book{pages: 1}, size: 20<<20 + 1, says: "20971521 bytes, more than the 20971520 that are shown"},
		{name: "the largest", pdf: book{pages: -1, fails: torn}, size: 20 << 20, says: "could not be shown as PDF: the trailer is torn off.", err: torn},
		{name: "damaged", pdf: book{pages: 1, fails: torn}, size: 9, says: "could not be shown as PDF: the trailer is torn off.", err: torn},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			g := newGround(t, pegboard.SessionConfig{}, files.Read(files.ReadOptions{PDF: tc.pdf}))
			path := g.put(t, "f", "%PDF-1.7\n")
			require.NoError(t, os.Truncate(path, max(tc.size, 9)))
			out := g.call(t.Context(), t, "Read", map[string]any{"file_path": path})
			require.True(t, out.Result.IsError)
			require.Contains(t, out.Result.Text(), tc.says)
			if tc.err != nil {
				require.ErrorIs(t, out.Err, tc.err)
			}
		})
	}
}

// FuzzReadPages asks for arbitrary pages of a document: what is shown lies in it
// and is not too much.
func FuzzReadPages(f *testing.F) {
	f.Add("1-5", 9)
	f.Add("10-", 100)
	f.Add(" 007 ", 8)
	f.Fuzz(func(t *testing.T, asked string, total int) {
		g := newGround(t, pegboard.SessionConfig{}, files.Read(files.ReadOptions{PDF: book{pages: max(total, 0)}}))
		out := g.call(t.Context(), t, "Read", map[string]any{"file_path": g.put(t, "f", "%PDF-1.7\n"), "pages": asked})
		require.NotErrorIs(t, out.Err, pegboard.ErrPanic)
		read, ok := out.Result.Data.(files.ReadOutput)
		if !ok {
			require.True(t, out.Result.IsError)
			return
		}
		file, ok := read.File.(files.PDFFile)
		require.True(t, ok)
		require.GreaterOrEqual(t, read.FirstPage, 1)
		require.LessOrEqual(t, read.FirstPage+file.Count-1, total)
		require.LessOrEqual(t, file.Count, 20)
	})
}

// cuttingBook can make a document of some pages.
type cuttingBook struct{ book }

func (b cuttingBook) Cut(_ context.Context, _ *io.SectionReader, first, last int) ([]byte, error) {
	return fmt.Appendf(nil, "%%PDF-1.7 %d-%d", first, last), b.fails
}

// panickingBook has a defect.
type panickingBook struct{ book }

func (panickingBook) Show(context.Context, *io.SectionReader, int, int) ([]pegboard.Part, error) {
	panic("index out of range")
}

// TestReadPassesDocumentsOn: a model that takes documents gets them, whole or some pages, and
// another the text.
func TestReadPassesDocumentsOn(t *testing.T) {
	t.Parallel()
	const whole = "%PDF-1.4\n1 0 obj <</Type /Pages /Count 3>> endobj\ntrailer <</Root 1 0 R>>\n%%EOF\n"
	torn := errors.New("the trailer is torn off")
	for _, tt := range []struct {
		name      string
		pdf       files.PDF
		documents bool
		text      string
		pages     string
		document  string // that the model gets
		says      string
		failed    bool
	}{
		{name: "whole", documents: true, text: whole, document: whole, says: "[PDF document, whole]"},
		{name: "a model that takes none", text: whole, says: "nothing that shows PDF", failed: true},
		{name: "cut off", documents: true, text: whole[:60], says: "whose end is missing", failed: true},
		{name: "end long before the end of the file", documents: true, text: whole + string(make([]byte, 2000)), says: "whose end is missing", failed: true},
		{name: "encrypted", documents: true, text: "%PDF-1.4\ntrailer <</Root 1 0 R /Encrypt 2 0 R>>\n%%EOF", says: "is encrypted", failed: true},
		{name: "many pages", documents: true, text: "%PDF-1.4\n<</Type/Pages/Count 101>>\n%%EOF", says: "with 101 pages, more than the 100", failed: true},
		{name: "pages without a reader", documents: true, text: whole, pages: "1", says: `unknown property "pages"`, failed: true},
		{name: "pages as a document", pdf: cuttingBook{book{pages: 12}}, documents: true, text: whole, pages: "10-", document: "%PDF-1.7 10-12", says: "[PDF document, pages 10 to 12 of 12]"},
		{name: "pages as text", pdf: cuttingBook{book{pages: 12}}, text: whole, pages: "10-", says: "page 12"},
		{name: "a reader that does not cut", pdf: book{pages: 12}, documents: true, text: whole, pages: "3", says: "page 3"},
		{name: "it cannot be cut", pdf: cuttingBook{book{pages: 2, fails: torn}}, documents: true, text: whole, says: "the trailer is torn off", failed: true},
		{name: "a defect of the reader", pdf: panickingBook{book{pages: 2}}, text: whole, says: "could not be shown as PDF", failed: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := newGround(t, pegboard.SessionConfig{}, files.Read(files.ReadOptions{PDF: tt.pdf}))
			pegboard.KeyFileLimits.Set(g.session, pegboard.FileLimits{Documents: tt.documents})
			input := map[string]any{"file_path": g.put(t, "f.pdf", tt.text)}
			if tt.pages != "" {
				input["pages"] = tt.pages
			}
			out := g.call(t.Context(), t, "Read", input)
			require.Equal(t, tt.failed, out.Result.IsError, out.Result.Text())
			require.Contains(t, out.Result.Text(), tt.says)
			if tt.document != "" {
				require.Equal(t, pegboard.Part{MIME: "application/pdf", Data: []byte(tt.document), Title: "f.pdf"}, out.Result.Parts[1])
			} else {
				for _, p := range out.Result.Parts {
					require.Empty(t, p.Data)
				}
			}
		})
	}
}

// TestReadTakesPagesWithAPDFOnly: the model is not told of pages that nothing can show.
func TestReadTakesPagesWithAPDFOnly(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name      string
		pdf       files.PDF
		documents bool
		pages     bool
		says      string
	}{
		{name: "none"},
		{name: "documents", documents: true, says: "PDF documents are shown."},
		{name: "a PDF", pdf: book{}, pages: true, says: "the pages are shown, 20 at most"},
	} {
		g := newGround(t, pegboard.SessionConfig{}, files.Read(files.ReadOptions{PDF: tt.pdf}))
		pegboard.KeyFileLimits.Set(g.session, pegboard.FileLimits{Documents: tt.documents})
		var reg pegboard.Registry
		require.NoError(t, reg.Add(g.tools...))
		for d := range reg.AssemblePool(g.session, pegboard.PoolConfig{}).Declarations(pegboard.Builtin) {
			require.Equal(t, tt.pages, strings.Contains(string(d.InputSchema), `"pages"`), tt.name)
			require.Equal(t, tt.says != "", strings.Contains(d.Description, "PDF"), tt.name)
			require.Contains(t, d.Description, tt.says)
		}
	}
}

// TestCodeReadsPDF: code gets the text of all pages, or the file.
func TestCodeReadsPDF(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		pdf  files.PDF
		want any
	}{
		{name: "text", pdf: cuttingBook{book{pages: 12}}, want: "page 1\npage 2\npage 3\npage 4\npage 5\npage 6\npage 7\npage 8\npage 9\npage 10\npage 11\npage 12"},
		{name: "the file", want: pegboard.FileValue{Path: "f.pdf", Size: 9, MIME: "application/pdf"}},
	} {
		var value any
		read := files.Read(files.ReadOptions{PDF: tt.pdf})
		g := newGround(t, pegboard.SessionConfig{}, read, pegboard.Build(pegboard.Definition[struct{}, string]{
			Info: pegboard.Info{Name: "Script"}, Description: "Reads.", Traits: pegboard.Traits{ReadOnly: true},
			Call: func(ctx context.Context, _ struct{}, c *pegboard.Call) (string, error) {
				out := c.Run(ctx, pegboard.Call{ID: "2", Name: "Read", Input: []byte(`{"file_path":"f.pdf"}`)})
				var err error
				value, err = out[0].Value()
				return "", err
			},
		}))
		path := g.put(t, "f.pdf", "%PDF-1.7\n")
		pegboard.KeyFileLimits.Set(g.session, pegboard.FileLimits{Documents: true})
		require.NoError(t, g.call(t.Context(), t, "Script", map[string]any{}).Err)
		if f, ok := tt.want.(pegboard.FileValue); ok {
			f.Path = path
			tt.want = f
		}
		require.Equal(t, tt.want, value, tt.name)
	}
}

// smallRead is Read with the limit of other tools, as a host may wrap it.
type smallRead struct{ pegboard.Tool }

func (r smallRead) Info() pegboard.Info {
	info := r.Tool.Info()
	info.MaxResult = 500
	return info
}

// cutRead is Read in a wrapper that shows less.
type cutRead struct{ pegboard.Tool }

func (r cutRead) Call(ctx ctx, c *pegboard.Call) (*pegboard.Result, error) {
	result, err := r.Tool.Call(ctx, c)
	if err == nil {
		result.Parts = []pegboard.Part{{Text: result.Text()[:100]}}
	}
	return result, err
}

// reader is a conversation in which Read is called for one file.
type reader struct {
	*ground
	t    *testing.T
	path string
	n    int // calls so far
}

func newReader(t *testing.T, cfg pegboard.SessionConfig, tools ...pegboard.Tool) *reader {
	t.Helper()
	perms := rules(t, policy.RuleSet{Allow: []string{"Script"}})
	cfg.Permissions = perms
	if len(tools) == 0 {
		tools = []pegboard.Tool{files.Read(files.ReadOptions{})}
	}
	r := &reader{ground: newGround(t, cfg, append(tools, scriptOfReads())...), t: t}
	r.path = r.put(t, "f", long)
	return r
}

// pool returns the pool and the next calls of Read.
func (r *reader) pool(count int) (*pegboard.Pool, []pegboard.Call) {
	r.t.Helper()
	var reg pegboard.Registry
	require.NoError(r.t, reg.Add(r.tools...))
	var calls []pegboard.Call
	for range count {
		r.n++
		calls = append(calls, pegboard.Call{ID: string(rune('a' + r.n)), Name: "Read", Input: json.RawMessage(`{"file_path":"f"}`)})
	}
	return reg.AssemblePool(r.session, pegboard.PoolConfig{}), calls
}

// message makes calls of Read in one message, and returns which of them were told that
// nothing has changed.
func (r *reader) message(count int) (unchanged []bool) {
	r.t.Helper()
	pool, calls := r.pool(count)
	var ex pegboard.Executor
	for _, out := range ex.Run(r.t.Context(), pool, calls...) {
		unchanged = append(unchanged, strings.Contains(out.Result.Text(), "has not changed"))
	}
	return unchanged
}

// stream makes a call in a stream.
func (r *reader) stream(end func(*pegboard.Stream)) {
	r.t.Helper()
	pool, calls := r.pool(1)
	var ex pegboard.Executor
	s := ex.Stream(r.t.Context(), pool)
	s.Submit(calls[0])
	end(s)
	for out := range s.Outcomes() {
		require.NotNil(r.t, out.Result)
	}
}

// script makes a call of Read from inside another tool, which returns what it got.
func (r *reader) script() string {
	r.t.Helper()
	pool, _ := r.pool(0)
	var ex pegboard.Executor
	out := ex.Run(r.t.Context(), pool, pegboard.Call{ID: "script", Name: "Script", Input: json.RawMessage(`{}`)})[0]
	require.NoError(r.t, out.Err)
	data, ok := out.Result.Data.(string)
	require.True(r.t, ok)
	return data
}

// scriptOfReads returns a tool that reads the file, and shows the model nothing of it.
func scriptOfReads() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Script"}, Description: "Reads the file.",
		Inspect: func(struct{}, *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{Concurrency: pegboard.Shared, Targets: []policy.Target{}}
		},
		Call: func(ctx context.Context, _ struct{}, c *pegboard.Call) (string, error) {
			outs := c.Run(ctx, pegboard.Call{ID: c.ID + "/1", Name: "Read", Input: json.RawMessage(`{"file_path":"f"}`)})
			return outs[0].Result.Text(), outs[0].Err
		},
		Result: func(text string) *pegboard.Result {
			return &pegboard.Result{Parts: []pegboard.Part{{Text: "done"}}, Data: text}
		},
	})
}

// trim gives the session a history that has the results of the calls with these ids.
func (r *reader) trim(ids ...string) {
	r.t.Helper()
	var history []pegboard.HistoryResult
	for i, id := range ids {
		history = append(history, pegboard.HistoryResult{CallID: id, Tool: "Read", Turn: i, Text: strings.Repeat("x", 5000)})
	}
	r.session.TrimResults(r.t.Context(), history)
}

// TestReadIsOnlyUnchangedWhereTheModelHasTheText: what counts as shown is what the model was
// sent and still has.
func TestReadIsOnlyUnchangedWhereTheModelHasTheText(t *testing.T) {
	t.Parallel()
	post := func(hook func(*pegboard.HookCall)) pegboard.SessionConfig {
		first := true
		return pegboard.SessionConfig{Hooks: pegboard.Hooks{Post: func(_ context.Context, h *pegboard.HookCall) error {
			if h.Call.Name == "Read" && first {
				first = false
				hook(h)
			}
			return nil
		}}}
	}
	read := func(r *reader) { require.Equal(r.t, []bool{false}, r.message(1)) }
	tests := []struct {
		name   string
		cfg    pegboard.SessionConfig
		tool   func(pegboard.Tool) pegboard.Tool
		before func(r *reader) // the first call
		says   bool            // that the file has not changed
	}{
		{name: "sent", before: read, says: true},
		{name: "sent by a stream", before: func(r *reader) { r.stream(func(s *pegboard.Stream) { s.Finish(pegboard.FinishToolCalls) }) }, says: true},
		{name: "sent, and still in the history", before: func(r *reader) { read(r); r.trim("b") }, says: true},
		{name: "sent, and not yet in the history", before: func(r *reader) { r.trim("a"); read(r) }, says: true},
		{name: "a hook added a part", cfg: post(func(h *pegboard.HookCall) {
			h.Outcome.Result.Parts = append([]pegboard.Part{{Text: "By the way."}}, h.Outcome.Result.Parts...)
		}), before: read, says: true},

		{name: "read by a script", before: func(r *reader) { require.Contains(r.t, r.script(), "a line that is not short") }},
		{name: "masked", cfg: pegboard.SessionConfig{Limits: pegboard.ResultLimits{KeepRecent: 1, MaskStep: 1}}, before: func(r *reader) { read(r); r.trim("b", "x", "y") }},
		{name: "replaced since the message has too much", cfg: pegboard.SessionConfig{Limits: pegboard.ResultLimits{PerMessage: 1}}, before: func(r *reader) { read(r); r.trim("b") }},
		{name: "gone from the history", before: func(r *reader) { read(r); r.trim("b"); r.trim("x") }},
		{name: "replaced by a hook", cfg: post(func(h *pegboard.HookCall) {
			h.Outcome.Result = &pegboard.Result{Parts: []pegboard.Part{{Text: "secret"}}}
		}), before: read},
		{name: "changed by a hook", cfg: post(func(h *pegboard.HookCall) {
			changed := *h.Outcome.Result
			changed.Parts = []pegboard.Part{{Text: strings.ReplaceAll(changed.Text(), "short", "***")}}
			h.Outcome.Result = &changed
		}), before: read},
		{name: "changed in place by a hook", cfg: post(func(h *pegboard.HookCall) { h.Outcome.Result.Parts[0].Text = "secret" }), before: read},
		{name: "changed when the message had ended", cfg: pegboard.SessionConfig{Hooks: pegboard.Hooks{Batch: func(_ context.Context, outs []pegboard.Outcome) error {
			if outs[0].Call.ID == "b" {
				outs[0].Result = pegboard.TextResult("secret")
			}
			return nil
		}}}, before: read},
		{name: "stored, and a preview sent", tool: func(tool pegboard.Tool) pegboard.Tool { return smallRead{tool} }, before: read},
		{name: "cut by a wrapper", tool: func(tool pegboard.Tool) pegboard.Tool { return cutRead{tool} }, before: read},
		{name: "abandoned", before: func(r *reader) { r.stream(func(s *pegboard.Stream) { s.Abandon(nil) }) }},
		{name: "abandoned when it had ended", before: func(r *reader) {
			r.stream(func(s *pegboard.Stream) {
				for range s.Ready() { // whether it has ended or not
				}
				s.Abandon(nil)
			})
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tool := files.Read(files.ReadOptions{})
			if tt.tool != nil {
				tool = tt.tool(tool)
			}
			r := newReader(t, tt.cfg, tool)
			tt.before(r)
			require.Equal(t, []bool{tt.says}, r.message(1))
		})
	}
}

// TestReadInOneMessage shows the text to each call: neither result is above the other for
// sure.
func TestReadInOneMessage(t *testing.T) {
	t.Parallel()
	r := newReader(t, pegboard.SessionConfig{})
	require.Equal(t, []bool{false, false}, r.message(2))
	require.Equal(t, []bool{true}, r.message(1))
	require.Equal(t, []bool{false}, r.message(1), "it asks again, so it cannot see the text")
	require.Equal(t, []bool{true}, r.message(1))
	require.Contains(t, r.script(), "a line that is not short", "a script has no text above")
	require.Equal(t, []bool{false}, r.message(1), "it asks again")
	require.Contains(t, r.script(), "a line that is not short")
	require.Equal(t, []bool{true}, r.message(1), "the script took nothing away")
}

// TestReadAgainAfterTrim follows the advice in the text that replaced a result.
func TestReadAgainAfterTrim(t *testing.T) {
	t.Parallel()
	r := newReader(t, pegboard.SessionConfig{Limits: pegboard.ResultLimits{KeepRecent: 1, MaskStep: 1}})
	require.Equal(t, []bool{false}, r.message(1))
	texts := r.session.TrimResults(t.Context(), []pegboard.HistoryResult{
		{CallID: "b", Tool: "Read", Turn: 1, Text: long + long}, {CallID: "x", Tool: "Read", Turn: 2, Text: long}, {CallID: "y", Tool: "Read", Turn: 3, Text: long},
	})
	require.Contains(t, texts[0], "call Read again to see it")
	require.Equal(t, []bool{false}, r.message(1))
	require.Equal(t, []bool{true}, r.message(1), "now it stands there again")
}

// words counts a token for each word, the number of a line included.
func words(text []byte) int { return len(bytes.Fields(text)) }

func TestReadCountsTokens(t *testing.T) {
	t.Parallel()
	ten := strings.Repeat("a b c\n", 10) // four tokens each, with the number
	tests := []struct {
		name   string
		opts   files.ReadOptions
		text   string
		input  map[string]any
		want   string // the beginning of the answer
		refuse bool
		lines  int
		capped bool
	}{
		{name: "just enough", opts: files.ReadOptions{MaxTokens: 40}.With(files.ReadLimits{Tokens: words}), text: ten, want: "     1\ta b c\n", lines: 10},
		{name: "the whole file is too much", opts: files.ReadOptions{MaxTokens: 39}.With(files.ReadLimits{Tokens: words}), text: ten, lines: 9, capped: true,
			want: "[PARTIAL view: lines 1 to 9 of 10; the file has 60 bytes. One call shows about 39 tokens at most. Go on with offset 10 and limit 9.]\n     1\ta b c\n"},
		{name: "the lines asked for are too many", opts: files.ReadOptions{MaxTokens: 15}.With(files.ReadLimits{Tokens: words}), text: ten,
			input: map[string]any{"offset": 3, "limit": 5}, refuse: true,
			want: "Lines 3 to 7 are about 20 tokens, more than the 15 that one call shows. Ask for offset 3 and limit 3, which fits, or find the place with Grep."},
		{name: "the lines advised then", opts: files.ReadOptions{MaxTokens: 15}.With(files.ReadLimits{Tokens: words}), text: ten,
			input: map[string]any{"offset": 3, "limit": 3}, lines: 3, want: "[PARTIAL view: lines 3 to 5 of 10;"},
		{name: "the rest is too much", opts: files.ReadOptions{MaxTokens: 15}.With(files.ReadLimits{Tokens: words}), text: ten,
			input: map[string]any{"offset": 5}, refuse: true, want: "Lines 5 to 10 are about 24 tokens,"},
		{name: "a limit alone is a range", opts: files.ReadOptions{MaxTokens: 15}.With(files.ReadLimits{Tokens: words}), text: ten,
			input: map[string]any{"limit": 4}, refuse: true, want: "Lines 1 to 4 are about 16 tokens,"},
		{name: "a first line that is too long is shown", opts: files.ReadOptions{MaxTokens: 2}.With(files.ReadLimits{Tokens: words}), text: ten, lines: 1, capped: true,
			want: "[PARTIAL view: lines 1 to 1 of 10;"},
		{name: "even if it was asked for", opts: files.ReadOptions{MaxTokens: 2}.With(files.ReadLimits{Tokens: words}), text: ten,
			input: map[string]any{"limit": 1}, lines: 1, want: "[PARTIAL view: lines 1 to 1 of 10;"},
		{name: "too long to be counted", opts: files.ReadOptions{MaxTokens: 2}.With(files.ReadLimits{Tokens: words}), text: strings.Repeat(strings.Repeat("x", 1<<20)+"\n", 20),
			input: map[string]any{"limit": 19}, refuse: true, want: "Lines 1 to 10 are more than about 170 tokens"},
		{name: "a negative count is none", opts: files.ReadOptions{MaxTokens: 2}.With(files.ReadLimits{Tokens: func([]byte) int { return -1 }}), text: ten, lines: 10, want: "     1\ta b c\n"},
		{name: "the estimate of ASCII", opts: files.ReadOptions{MaxTokens: 5}, text: "a\nbc\n", lines: 2, want: "     1\ta\n"}, // 8 and 10 bytes
		{name: "one too many", opts: files.ReadOptions{MaxTokens: 4}, text: "a\nbc\n", lines: 1, capped: true, want: "[PARTIAL view: lines 1 to 1 of 2;"},
		{name: "the estimate of other characters", opts: files.ReadOptions{MaxTokens: 2 + 3 + 2 + 2}, text: "日本語\n\U0001F600é\n", lines: 2, want: "     1\t日"},
		{name: "one of them too many", opts: files.ReadOptions{MaxTokens: 2 + 3 + 2 + 1}, text: "日本語\n\U0001F600é\n", lines: 1, capped: true, want: "[PARTIAL"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			g := newGround(t, pegboard.SessionConfig{}, files.Read(tc.opts))
			input := map[string]any{"file_path": g.put(t, "f", tc.text)}
			for k, v := range tc.input {
				input[k] = v
			}
			out := g.call(t.Context(), t, "Read", input)
			require.Equal(t, tc.refuse, out.Result.IsError)
			require.True(t, strings.HasPrefix(out.Result.Text(), tc.want), out.Result.Text())
			if !tc.refuse {
				_, file := g.read(t, map[string]any{"file_path": input["file_path"], "offset": 1, "limit": 1})
				require.Equal(t, 1, file.NumLines)
				shown := readText(t, out)
				require.Equal(t, tc.lines, shown.NumLines)
				require.Equal(t, tc.capped, shown.TruncatedByTokenCap)
			}
		})
	}
}

// readText returns the text that a call of Read showed.
func readText(t testing.TB, out pegboard.Outcome) files.TextFile {
	t.Helper()
	data, ok := out.Result.Data.(files.ReadOutput)
	require.True(t, ok, out.Result.Text())
	text, ok := data.File.(files.TextFile)
	require.True(t, ok, out.Result.Text())
	return text
}

// TestReadShowsTheDefaultNumberOfTokens reads a file of usual lines with the
// defaults.
func TestReadShowsTheDefaultNumberOfTokens(t *testing.T) {
	t.Parallel()
	g := newGround(t, pegboard.SessionConfig{})
	path := g.put(t, "f", strings.Repeat("a line of a usual length, with a few words in it\n", 5000))
	text, file := g.read(t, map[string]any{"file_path": path})
	require.True(t, file.TruncatedByTokenCap)
	require.Equal(t, 25_000/14, file.NumLines, "a line has 55 bytes with its number, and an end")
	require.Contains(t, text, fmt.Sprintf("One call shows about 25000 tokens at most. Go on with offset %d and limit %d.]", file.NumLines+1, file.NumLines))
}

// TestReadLeavesALongLine would take minutes if the line were read to its end.
func TestReadLeavesALongLine(t *testing.T) {
	t.Parallel()
	g := newGround(t, pegboard.SessionConfig{})
	path := g.put(t, "f", "first\n"+strings.Repeat("x", 10_000))
	require.NoError(t, os.Truncate(path, 1<<40))
	text, file := g.read(t, map[string]any{"file_path": path})
	require.Equal(t, 2, file.NumLines)
	require.True(t, file.Partial)
	require.Equal(t, -1, file.TotalLines)
	require.Contains(t, text, "[PARTIAL view: lines 1 to 2, more lines follow; the file has 1099511627776 bytes. Go on with offset 3.]\n")
	require.Regexp(t, `\n     2\tx+ … \[at least \d+ more bytes in this line; go on with offset 2 and byte_offset 2000\]$`, text)
}

// TestReadOfALineAtTheBorder leaves lines of about the length from which on
// their end is not looked for, and counts the others all the same.
func TestReadOfALineAtTheBorder(t *testing.T) {
	t.Parallel()
	g := newGround(t, pegboard.SessionConfig{}, files.Read(files.ReadOptions{}.With(files.ReadLimits{Again: true})))
	for _, size := range []int{8<<20 + 8_000, 8<<20 + 64<<10} {
		for _, end := range []string{"", "\n", "\nlast", "\nlast\n"} {
			path := g.put(t, "f", strings.Repeat("x", size)+end)
			_, file := g.read(t, map[string]any{"file_path": path})
			want := 1 + strings.Count(end, "last")
			require.Equal(t, want, file.TotalLines, "%d bytes and %q", size, end)
			if file.NumLines < want {
				require.True(t, file.Partial)
				_, file = g.read(t, map[string]any{"file_path": path, "offset": 2})
				require.Equal(t, "last", file.Content)
			}
		}
	}
}

// TestLineThatIsTooLongToBePassed: nothing follows it, and the file can be edited.
func TestLineThatIsTooLongToBePassed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		behind  string
		input   map[string]any
		partial bool
	}{
		{name: "alone", input: map[string]any{}},
		{name: "alone, by its number", input: map[string]any{"offset": 1, "limit": 5}},
		{name: "with another behind it, by its number", behind: "\nb", input: map[string]any{"limit": 1}, partial: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := editable(t)
			path := g.put(t, "f", strings.Repeat("x", 9<<20)+"END"+tt.behind)
			tt.input["file_path"] = "f"
			text, data := g.read(t, tt.input)
			require.Equal(t, tt.partial, data.Partial)
			require.Equal(t, tt.partial, strings.Contains(text, "Go on with offset 2"))
			require.NoError(t, g.edit(t, "f", "END", "end").Err)
			require.True(t, strings.HasSuffix(content(t, path), "xend"+tt.behind))
		})
	}
}
