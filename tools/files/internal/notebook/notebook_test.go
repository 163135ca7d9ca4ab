package notebook_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

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
