package notebook_test

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/files/internal/notebook"
)

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
