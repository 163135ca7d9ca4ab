package notebook_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/tools/files/internal/notebook"
)

// tides is a notebook as Jupyter writes it, with each kind of cell and output.
func tides(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "tides.ipynb"))
	require.NoError(t, err)
	return data
}

func parse(t testing.TB, text string) *notebook.Notebook {
	t.Helper()
	n, err := notebook.Parse([]byte(text))
	require.NoError(t, err)
	return n
}

// with wraps the text of cells in a small notebook of format 4.5.
func with(cells string) string {
	return `{"cells": [` + cells + `], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}`
}

func TestCells(t *testing.T) {
	t.Parallel()
	n := parse(t, string(tides(t)))
	cells := n.Cells()
	require.Len(t, cells, 7)
	require.Equal(t, "python", n.Language())

	count := 3
	require.Equal(t, notebook.Cell{
		ID: "load-data", Index: 1, Type: notebook.Code, Language: "python", ExecutionCount: &count,
		Source: "import math\nheights = [4.2, 3.9]\nprint(f\"{len(heights)} rows\\t\")",
		Outputs: []notebook.Output{
			{Kind: "stream", Name: "stdout", Text: "12 rows\nété: 4\n"},
			{
				Kind: "execute_result", Text: "   day  height\n0    1     4.2",
				Types: []string{"text/html", "text/plain"},
			},
		},
	}, cells[1])
	require.Equal(t, notebook.Cell{
		ID: "title", Type: notebook.Markdown, Language: "markdown",
		Source: "# Tide tables — Brest\n\nHeights in metres.",
	}, cells[0])
	require.Equal(t, notebook.Cell{
		ID: "empty", Index: 6, Type: notebook.Code, Language: "python",
	}, cells[6])
	require.Equal(t, notebook.Cell{ID: "notes", Index: 4, Type: notebook.Raw, Source: "..note:: raw"}, cells[4])

	plot := cells[2].Outputs[0]
	require.Equal(t, "<Figure size 1x1>", plot.Text)
	require.Len(t, plot.Images, 1)
	require.Equal(t, "image/png", plot.Images[0].MIME)
	require.True(t, strings.HasPrefix(string(plot.Images[0].Data), "\x89PNG\r\n"))

	require.Equal(t, notebook.Output{
		Kind: "error", Ename: "ZeroDivisionError", Evalue: "division by zero",
		Traceback: []string{"\x1b[0;31mZeroDivisionError\x1b[0m", "division by zero"},
	}, cells[3].Outputs[0])
}

func TestCellForms(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		cell string
		want notebook.Cell
	}{
		{
			name: "source as one string",
			cell: `{"cell_type": "raw", "source": "a\nb"}`,
			want: notebook.Cell{ID: "cell-0", Type: "raw", Source: "a\nb"},
		},
		{
			name: "an empty id is none",
			cell: `{"cell_type": "raw", "id": "", "source": []}`,
			want: notebook.Cell{ID: "cell-0", Type: "raw"},
		},
		{
			name: "escapes in keys and text",
			cell: `{"cell\u005ftype": "r\u0061w", "source": "\u00e9\ud83d\ude00\/\b\f\r\t\"\\"}`,
			want: notebook.Cell{ID: "cell-0", Type: "raw", Source: "é😀/\b\f\r\t\"\\"},
		},
		{
			name: "half characters",
			cell: `{"cell_type": "raw", "source": "\ud83d \ude00 \ud83d\u0041 \ud83d\ud83d\ude00"}`,
			want: notebook.Cell{ID: "cell-0", Type: "raw", Source: "\uFFFD \uFFFD \uFFFDA \uFFFD😀"},
		},
		{
			name: "of two equal keys the last",
			cell: `{"cell_type": "raw", "source": "a", "source": "b"}`,
			want: notebook.Cell{ID: "cell-0", Type: "raw", Source: "b"},
		},
		{
			name: "language of one cell",
			cell: `{"cell_type": "code", "metadata": {"vscode": {"languageId": "sql"}}, "source": ""}`,
			want: notebook.Cell{ID: "cell-0", Type: "code", Language: "sql"},
		},
		{
			name: "bad outputs",
			cell: `{"cell_type": "code", "source": "", "outputs": [7, {"output_type": 1, "text": [2, "x"],` +
				`"data": {"image/png": "!", "image/gif": [], "application/json": {"a": [1]}}}]}`,
			want: notebook.Cell{ID: "cell-0", Type: "code", Language: "python", Outputs: []notebook.Output{
				{},
				{Text: "x", Types: []string{"image/png", "image/gif", "application/json"}},
			}},
		},
		{
			name: "text forms of data",
			cell: `{"cell_type": "code", "source": "", "outputs": [{"data": {"text/html": "<b>", "text/markdown": ["*b*"]}},` +
				`{"data": {"application/json": {"a": [1]}}}, {"data": {"image/svg+xml": "<svg/>"}}]}`,
			want: notebook.Cell{ID: "cell-0", Type: "code", Language: "python", Outputs: []notebook.Output{
				{Text: "*b*", Types: []string{"text/html", "text/markdown"}},
				{Text: `{"a": [1]}`, Types: []string{"application/json"}},
				{Text: "<svg/>", Types: []string{"image/svg+xml"}},
			}},
		},
		{
			name: "pictures with and without padding",
			cell: `{"cell_type": "code", "source": "", "outputs": [{"data": {"image/jpeg": "aGk=\n", "image/webp": ["aG\n", "k"]}}]}`,
			want: notebook.Cell{ID: "cell-0", Type: "code", Language: "python", Outputs: []notebook.Output{{
				Types: []string{"image/jpeg", "image/webp"},
				Images: []notebook.Image{
					{MIME: "image/jpeg", Data: []byte("hi")},
					{MIME: "image/webp", Data: []byte("hi")},
				},
			}}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, []notebook.Cell{tt.want}, parse(t, with(tt.cell)).Cells())
		})
	}
}

func TestLanguage(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, metadata, want string }{
		{name: "none", metadata: `{}`, want: "python"},
		{name: "no object", metadata: `[1]`, want: "python"},
		{name: "kernel", metadata: `{"kernelspec": {"language": "R"}}`, want: "R"},
		{
			name:     "language info goes first",
			metadata: `{"kernelspec": {"language": "R"}, "language_info": {"name": "julia"}}`,
			want:     "julia",
		},
		{name: "no string", metadata: `{"language_info": {"name": 1}}`, want: "python"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			n := parse(t, `{"nbformat": 4, "cells": [], "metadata": `+tt.metadata+`}`)
			require.Equal(t, tt.want, n.Language())
		})
	}
}

func TestParseErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		data string
		want string
	}{
		{
			name: "empty",
			data: " \n",
			want: "the notebook is not valid JSON in line 1 (byte 0): the file is empty; write a whole notebook to it first",
		},
		{
			name: "cut",
			data: "{\n\"cells\": [",
			want: "the notebook is not valid JSON in line 2 (byte 11): the text ends before the value is complete; " +
				"mend the file as plain text first",
		},
		{
			name: "place behind a byte order mark",
			data: "\ufeff{]",
			want: "the notebook is not valid JSON in line 1 (byte 4): found ']' where a key in double quotes " +
				"is wanted; mend the file as plain text first",
		},
		{
			name: "merge conflict",
			data: "{\n<<<<<<< HEAD\n",
			want: "the notebook is not valid JSON in line 2 (byte 2): there are marks of a merge conflict; " +
				"resolve it as plain text first",
		},
		{
			name: "not UTF-8",
			data: "{\"\uFFFD\n\": \"\xff\"}",
			want: "the notebook is not valid JSON in line 2 (byte 10): the file is not UTF-8 here; convert it to UTF-8 first",
		},
		{
			name: "too deep",
			data: strings.Repeat("[", 20000) + strings.Repeat("]", 20000),
			want: "the notebook is not valid JSON in line 1 (byte 10000): the value nests deeper than 10000 levels; mend the file as plain text first",
		},
		{
			name: "no object",
			data: "[4]",
			want: "the file is not an object, as a notebook has it; mend the file as plain text first",
		},
		{
			name: "no version",
			data: "{}",
			want: `the file has no "nbformat", so it is no Jupyter notebook; read and edit it as plain text`,
		},
		{
			name: "version 3",
			data: `{"nbformat": 3, "worksheets": []}`,
			want: "the notebook has nbformat 3, and only 4 can be read by cell; convert it first: " +
				"jupyter nbconvert --to notebook --nbformat 4 --inplace FILE",
		},
		{
			name: "version twice",
			data: `{"nbformat": 4, "nbformat": 4}`,
			want: "nbformat is not given just once, as a notebook has it; mend the file as plain text first",
		},
		{
			name: "no cells",
			data: `{"nbformat": 4}`,
			want: "cells is not a list, as a notebook has it; mend the file as plain text first",
		},
		{
			name: "cell is no object",
			data: with("7"),
			want: "cells[0] is not an object, as a notebook has it; mend the file as plain text first",
		},
		{
			name: "cell without type",
			data: with(`{"source": ""}`),
			want: "cells[0].cell_type is not a string, as a notebook has it; mend the file as plain text first",
		},
		{
			name: "cell without source",
			data: with(`{"cell_type": "raw"}`),
			want: "cells[0].source is not a string or a list of strings, as a notebook has it; " +
				"mend the file as plain text first",
		},
		{
			name: "source with a number",
			data: with(`{"cell_type": "raw", "source": ["a", 1]}`),
			want: "cells[0].source is not a string or a list of strings, as a notebook has it; " +
				"mend the file as plain text first",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			n, err := notebook.Parse([]byte(tt.data))
			require.Nil(t, n)
			require.EqualError(t, err, tt.want)
			require.True(t, isParseError(err), "%T", err)
		})
	}
}

func isParseError(err error) bool {
	var (
		syntax  *notebook.SyntaxError
		version *notebook.VersionError
		shape   *notebook.ShapeError
	)
	return errors.As(err, &syntax) || errors.As(err, &version) || errors.As(err, &shape)
}

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

// TestAsJupyter compares edits with what Jupyter would write: Python parses the
// notebook, edits it as data and writes all of it anew.
func TestAsJupyter(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed, so nothing writes notebooks as Jupyter does")
	}
	const source = "naïve = \"a\\tb\"\r\n\n# 😀\u2028x\x1c\x7f\fy\x1b\x00</script>\ttab\nend\n"
	for _, tt := range []struct {
		name  string
		ask   oracleAsk
		apply func(n *notebook.Notebook, source string) (*notebook.Edit, error)
	}{
		{
			name: "replace code", ask: oracleAsk{Op: "replace", Index: 1, Type: "code"},
			apply: func(n *notebook.Notebook, source string) (*notebook.Edit, error) {
				return n.Replace("load-data", source, "")
			},
		},
		{
			name: "replace one line", ask: oracleAsk{Op: "replace", Index: 3, Type: "code"},
			apply: func(n *notebook.Notebook, source string) (*notebook.Edit, error) {
				return n.Replace("broken", source, "code")
			},
		},
		{
			name: "replace empty", ask: oracleAsk{Op: "replace", Index: 6, Type: "code"},
			apply: func(n *notebook.Notebook, source string) (*notebook.Edit, error) {
				return n.Replace("empty", source, "")
			},
		},
		{
			name: "code to markdown", ask: oracleAsk{Op: "replace", Index: 2, Type: "markdown"},
			apply: func(n *notebook.Notebook, source string) (*notebook.Edit, error) {
				return n.Replace("plot", source, "markdown")
			},
		},
		{
			name: "markdown to code", ask: oracleAsk{Op: "replace", Index: 0, Type: "code"},
			apply: func(n *notebook.Notebook, source string) (*notebook.Edit, error) {
				return n.Replace("title", source, "code")
			},
		},
		{
			name: "insert code at the start", ask: oracleAsk{Op: "insert", Index: 0, Type: "code"},
			apply: func(n *notebook.Notebook, source string) (*notebook.Edit, error) {
				return n.Insert("", "code", source)
			},
		},
		{
			name: "insert markdown at the end", ask: oracleAsk{Op: "insert", Index: 7, Type: "markdown"},
			apply: func(n *notebook.Notebook, source string) (*notebook.Edit, error) {
				return n.Insert("empty", "markdown", source)
			},
		},
		{
			name: "delete", ask: oracleAsk{Op: "delete", Index: 5},
			apply: func(n *notebook.Notebook, _ string) (*notebook.Edit, error) { return n.Delete("map") },
		},
	} {
		for _, text := range []struct {
			name   string
			source string
			ascii  bool
		}{
			{name: "all sorts", source: source},
			{name: "all sorts as ASCII", source: source, ascii: true},
			{name: "nothing"},
		} {
			t.Run(tt.name+" "+text.name, func(t *testing.T) {
				t.Parallel()
				ask := tt.ask
				ask.Source, ask.ASCII, ask.Notebook = text.source, text.ascii, string(tides(t))
				if text.ascii {
					ask.Notebook = asASCII(ask.Notebook)
				}
				edit, err := tt.apply(parse(t, ask.Notebook), text.source)
				require.NoError(t, err)
				ask.ID = edit.Cell.ID
				require.Equal(t, ask.run(t, python), string(edit.Data))
			})
		}
	}
}

// An oracleAsk is what testdata/oracle.py reads.
type oracleAsk struct {
	Notebook string `json:"notebook"`
	Op       string `json:"op"`
	Index    int    `json:"index"`
	Type     string `json:"type"`
	ID       string `json:"id"`
	Source   string `json:"source"`
	ASCII    bool   `json:"ascii"`
}

func (a oracleAsk) run(t *testing.T, python string) string {
	t.Helper()
	input, err := json.Marshal(a)
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), python, filepath.Join("testdata", "oracle.py"))
	cmd.Stdin = bytes.NewReader(input)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	require.NoError(t, err, complaint.String())
	return string(out)
}

// TestRandomEdits edits random notebooks in random styles. What follows must
// hold for each: the decoded notebook is what a plain edit of its data gives,
// all outside the cell has the bytes it had, and if the file had one style
// throughout, the result is what its writer would have written.
func TestRandomEdits(t *testing.T) {
	t.Parallel()
	for seed := range effort.Of(t, uint64(400)) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			r := maker{rand.New(rand.NewPCG(seed, 1))}
			m := r.model()
			s := r.style(m)
			before := s.write(m.root())
			n := parse(t, before)
			requireCells(t, m, n.Cells())
			edit, index := r.edit(t, n, &m)
			after := string(edit.Data)
			requireCells(t, m, parse(t, after).Cells())
			require.Equal(t, decoded(t, s.write(m.root())), decoded(t, after))
			requireOutside(t, before, after, index, len(m.cells))
			if s.chaos == nil {
				require.Equal(t, s.write(m.root()), after)
			}
		})
	}
}

// A model is a notebook as data.
type model struct {
	cells []modelCell
	extra pairs
	minor int
}

type modelCell struct {
	id      string // "" for none
	kind    string
	source  string
	count   string // of a code cell, as JSON
	outputs []any
	extra   pairs
}

func (m model) root() pairs {
	cells := make([]any, len(m.cells))
	for i, c := range m.cells {
		cells[i] = c.pairs()
	}
	return slices.Concat(pairs{{"cells", cells}}, m.extra, pairs{
		{"nbformat", literal("4")},
		{"nbformat_minor", literal(fmt.Sprint(m.minor))},
	})
}

func (c modelCell) pairs() pairs {
	all := pairs{{"cell_type", c.kind}}
	if c.kind == notebook.Code {
		all = append(all, pair{"execution_count", literal(c.count)})
	}
	if c.id != "" {
		all = append(all, pair{"id", c.id})
	}
	all = append(all, pair{"metadata", c.extra})
	if c.kind == notebook.Code {
		all = append(all, pair{"outputs", c.outputs})
	}
	return append(all, pair{"source", source(c.source)})
}

func (m model) id(i int) string {
	if m.cells[i].id != "" {
		return m.cells[i].id
	}
	return fmt.Sprintf("cell-%d", i)
}

// A maker makes random things.
type maker struct{ *rand.Rand }

func (r maker) pick(all ...string) string { return all[r.IntN(len(all))] }

func (r maker) text() string {
	var out strings.Builder
	for range r.IntN(8) {
		out.WriteString(r.pick("a", "é", "😀", "\n", "\n", `"`, `\`, "\t", "<b>", "/", "x = 1", "\r\n", "\f", "\x1b", "\x7f"))
	}
	return out.String()
}

func (r maker) kind() string { return r.pick(notebook.Code, notebook.Markdown, notebook.Raw) }

func (r maker) extra() pairs {
	all := pairs{}
	for range r.IntN(3) {
		all = append(all, pair{"k" + r.text(), r.any(3)})
	}
	return all
}

func (r maker) any(depth int) any {
	if depth > 0 {
		switch r.IntN(4) {
		case 0:
			return []any{r.any(depth - 1), r.any(depth - 1)}
		case 1: // a key twice is for others to judge
			return pairs{{"a", r.any(depth - 1)}, {"a", r.any(depth - 1)}}
		}
	}
	if r.IntN(2) == 0 {
		return r.text()
	}
	return literal(r.pick("1", "-0", "1.50", "1E+2", "true", "null", `"\u0041\/"`, "12345678901234567890"))
}

func (r maker) model() model {
	// The é shows how the file spells what is beyond ASCII.
	m := model{minor: 4 + r.IntN(2), extra: pairs{{"metadata", pairs{{"name", "é"}, {"x", r.any(3)}}}}}
	for i := range r.IntN(5) {
		c := modelCell{kind: r.kind(), source: r.text(), extra: r.extra()}
		if m.minor == 5 {
			c.id = fmt.Sprintf("id-%d", i)
		}
		if c.kind == notebook.Code {
			c.count = r.pick("null", "7")
			c.outputs = []any{}
			for range r.IntN(3) {
				c.outputs = append(c.outputs, r.any(3))
			}
		}
		m.cells = append(m.cells, c)
	}
	return m
}

func (r maker) style(m model) style {
	s := style{
		newline: r.pick("\n", "\n", "\r\n"), indent: r.pick("", " ", "  ", "\t"), colon: r.pick(": ", ":", " : "),
		ascii: r.IntN(2) == 0, bom: r.IntN(4) == 0, end: r.pick("", "\n", " \r\n\n"),
		asString: len(m.cells) > 0 && r.IntN(3) == 0,
	}
	switch r.IntN(3) {
	case 0:
		s.chaos = r.Rand
	case 1:
		s.newline, s.colon, s.comma = "", ": ", ", "
		if r.IntN(2) == 0 {
			s.colon, s.comma = ":", ","
		}
	}
	return s
}

// edit makes a random edit on n and on m, and says which cell it is about: in
// the old notebook, or in the new one for an insert.
func (r maker) edit(t *testing.T, n *notebook.Notebook, m *model) (*notebook.Edit, int) {
	t.Helper()
	m.cells = slices.Clone(m.cells)
	if len(m.cells) == 0 || r.IntN(3) == 0 {
		return r.insert(t, n, m)
	}
	i := r.IntN(len(m.cells))
	if r.IntN(2) == 0 {
		edit, err := n.Delete(m.id(i))
		require.NoError(t, err)
		require.Equal(t, m.cells[i].source, edit.Old)
		m.cells = slices.Delete(m.cells, i, i+1)
		return edit, i
	}
	c := &m.cells[i]
	text, kind := r.text(), r.pick("", notebook.Code, notebook.Markdown)
	edit, err := n.Replace(m.id(i), text, kind)
	require.NoError(t, err)
	require.Equal(t, c.source, edit.Old)
	require.Equal(t, text, edit.Cell.Source)
	if text == c.source && (kind == "" || kind == c.kind) {
		return edit, i
	}
	require.Equal(t, c.kind == notebook.Code && (c.count != "null" || len(c.outputs) > 0), edit.Cleared)
	c.source, c.count, c.outputs = text, "null", []any{}
	if kind != "" {
		c.kind = kind
	}
	return edit, i
}

func (r maker) insert(t *testing.T, n *notebook.Notebook, m *model) (*notebook.Edit, int) {
	t.Helper()
	place, after := r.IntN(len(m.cells)+1), ""
	if place > 0 {
		after = m.id(place - 1)
	}
	c := modelCell{kind: r.kind(), source: r.text(), count: "null", outputs: []any{}, extra: pairs{}}
	edit, err := n.Insert(after, c.kind, c.source)
	require.NoError(t, err)
	if m.minor == 5 {
		require.Regexp(t, `^[0-9a-f]{8}$`, edit.Cell.ID)
		c.id = edit.Cell.ID
	}
	m.cells = slices.Insert(m.cells, place, c)
	return edit, place
}

func requireCells(t *testing.T, m model, cells []notebook.Cell) {
	t.Helper()
	require.Len(t, cells, len(m.cells))
	for i, c := range m.cells {
		got := cells[i]
		require.Equal(t, []string{m.id(i), c.kind, c.source}, []string{got.ID, got.Type, got.Source})
	}
}

// decoded returns the notebook as data, each source as one text.
func decoded(t *testing.T, text string) any {
	t.Helper()
	var root any
	decoder := json.NewDecoder(strings.NewReader(strings.TrimPrefix(text, "\ufeff")))
	decoder.UseNumber()
	require.NoError(t, decoder.Decode(&root))
	joinSources(root)
	return root
}

// joinSources makes one text of each source, at any depth.
func joinSources(v any) {
	switch v := v.(type) {
	case []any:
		for _, element := range v {
			joinSources(element)
		}
	case map[string]any:
		for key, value := range v {
			if lines, ok := value.([]any); ok && key == "source" {
				joined := ""
				for _, line := range lines {
					joined += fmt.Sprint(line)
				}
				v[key] = joined
				continue
			}
			joinSources(value)
		}
	}
}

// requireOutside checks the bytes before and after the list of cells, those of
// the cells that were not edited, and if no cell came or went those between.
func requireOutside(t *testing.T, before, after string, index, cellsAfter int) {
	t.Helper()
	oldCells, oldHead, oldTail := cellBytes(t, before)
	newCells, newHead, newTail := cellBytes(t, after)
	require.Equal(t, oldHead, newHead)
	require.Equal(t, oldTail, newTail)
	require.Len(t, newCells, cellsAfter)
	if len(oldCells) == len(newCells) {
		end := len(oldHead)
		for _, c := range oldCells[:index+1] {
			end += strings.Index(before[end:], c) + len(c)
		}
		start := end - len(oldCells[index])
		require.Equal(t, before[:start], after[:start])
		require.True(t, strings.HasSuffix(after, before[end:]))
		return
	}
	longer, shorter := oldCells, newCells
	if len(newCells) > len(oldCells) {
		longer, shorter = newCells, oldCells
	}
	require.Equal(t, longer[:index], shorter[:index])
	require.Equal(t, longer[index+1:], shorter[index:])
}

// cellBytes finds the cells with the decoder of the standard library, as a
// second opinion on where they lie.
func cellBytes(t *testing.T, text string) (cells []string, head, tail string) {
	t.Helper()
	cells = []string{}
	decoder := json.NewDecoder(strings.NewReader(strings.TrimPrefix(text, "\ufeff")))
	shift := len(text) - len(strings.TrimPrefix(text, "\ufeff"))
	_, err := decoder.Token()
	require.NoError(t, err)
	for decoder.More() {
		key, err := decoder.Token()
		require.NoError(t, err)
		var value json.RawMessage
		require.NoError(t, decoder.Decode(&value))
		if key != "cells" {
			continue
		}
		end := shift + int(decoder.InputOffset())
		head, tail = text[:end-len(value)], text[end:]
		var all []json.RawMessage
		require.NoError(t, json.Unmarshal(value, &all))
		for _, one := range all {
			cells = append(cells, string(bytes.TrimSpace(one)))
		}
	}
	return cells, head, tail
}
