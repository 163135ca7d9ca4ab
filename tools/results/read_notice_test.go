package results_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/results"
)

// order is a row of a typed tool's output.
type order struct {
	ID    int    `json:"id"`
	Name  string `json:"name"`
	Notes string `json:"notes,omitempty"`
}

func orders(n int, notes string) []order {
	list := make([]order, n)
	for i := range list {
		list[i] = order{ID: i, Name: fmt.Sprint("order ", i)}
	}
	list[n/2].Notes = notes
	return list
}

// A reader follows the notice of a stored result as a model would.
type reader struct {
	session *pegboard.Session
	pool    *pegboard.Pool
	fails   bool // the tool Orders fails
}

func readerWith(t *testing.T, hint string, tool pegboard.Tool) reader {
	t.Helper()
	store, err := pegboard.NewDirStore(t.TempDir(), "s", pegboard.DirOptions{})
	require.NoError(t, err)
	s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: t.TempDir(), Results: store, Limits: pegboard.ResultLimits{ReadMoreHint: hint}})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, s.Close(context.Background()))
		require.NoError(t, store.Close())
	})
	var reg pegboard.Registry
	require.NoError(t, reg.Add(tool, files.Read(files.ReadOptions{}), files.Grep(files.GrepOptions{}), results.Read(results.Options{})))
	return reader{session: s, pool: reg.AssemblePool(s, pegboard.PoolConfig{})}
}

func (r reader) call(t *testing.T, name string, in map[string]any) string {
	t.Helper()
	raw, err := json.Marshal(in)
	require.NoError(t, err)
	r.session.NewTurn()
	var ex pegboard.Executor
	out := ex.Run(t.Context(), r.pool, pegboard.Call{ID: "call_" + name, Name: name, Input: raw})[0]
	require.Equal(t, name == "Orders" && r.fails, out.Result.IsError, out.Result.Text())
	return out.Result.Text()
}

var (
	whereItIs  = regexp.MustCompile(`All of it is in (\S+); `)
	nextLine   = regexp.MustCompile(`Go on with offset (\d+)(?: and limit (\d+))?\.\]`)
	nextInLine = regexp.MustCompile(` … \[\d+ more bytes in this line; go on with offset (\d+) and byte_offset (\d+)\]$`)
	numbered   = regexp.MustCompile(`(?m)^ *(\d+)\t(.*)$`)
	nextPage   = regexp.MustCompile(`Go on with offset (\d+)`)
	foundAt    = regexp.MustCompile(`:(\d+):(?:\[from byte (\d+)\] )?`)
)

// withRead returns the whole text as Read shows it, with every page and every long line
// read to its end.
func (r reader) withRead(t *testing.T, path string) string {
	t.Helper()
	var whole []string
	for in := map[string]any{"file_path": path}; ; {
		text := r.call(t, "Read", in)
		for _, line := range numbered.FindAllStringSubmatch(text, -1) {
			whole = append(whole, r.wholeLine(t, path, line[2]))
		}
		next := nextLine.FindStringSubmatch(text)
		if next == nil {
			return strings.Join(whole, "\n")
		}
		in = map[string]any{"file_path": path, "offset": atoi(t, next[1])}
		if next[2] != "" {
			in["limit"] = atoi(t, next[2])
		}
	}
}

func (r reader) wholeLine(t *testing.T, path, line string) string {
	t.Helper()
	var whole strings.Builder
	for {
		next := nextInLine.FindStringSubmatch(line)
		whole.WriteString(nextInLine.ReplaceAllLiteralString(line, ""))
		if next == nil {
			return whole.String()
		}
		text := r.call(t, "Read", map[string]any{"file_path": path, "offset": atoi(t, next[1]), "byte_offset": atoi(t, next[2])})
		shown := numbered.FindStringSubmatch(text)
		require.NotNil(t, shown, text)
		line = shown[2]
	}
}

// withReadResult returns the whole text as ReadResult shows it.
func (r reader) withReadResult(t *testing.T, ref string) string {
	t.Helper()
	var whole strings.Builder
	for in := map[string]any{"ref": ref}; ; {
		notice, text, _ := strings.Cut(r.call(t, "ReadResult", in), "\n")
		whole.WriteString(text)
		next := nextPage.FindStringSubmatch(notice)
		if next == nil {
			return whole.String()
		}
		in["offset"] = atoi(t, next[1])
	}
}

func atoi(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	require.NoError(t, err)
	return n
}

// typed returns a tool whose output is out: its result has the default form.
func typed[Out any](out Out) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct{}, Out]{
		Info: pegboard.Info{Name: "Orders"}, Description: "Lists orders.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(context.Context, struct{}, *pegboard.Call) (Out, error) { return out, nil },
	})
}

// failing returns a tool whose error has a long text.
func failing(text string) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Orders"}, Description: "Lists orders.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { return "", errors.New(text) },
	})
}

// streaming returns a tool that stores its result while it reads it.
func streaming(text string) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct{}, *pegboard.Result]{
		Info: pegboard.Info{Name: "Orders"}, Description: "Lists orders.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(ctx context.Context, _ struct{}, c *pegboard.Call) (*pegboard.Result, error) {
			part, err := c.Store(ctx, strings.NewReader(text))
			return &pegboard.Result{Parts: []pegboard.Part{part}}, err
		},
	})
}

// TestAdviceInANoticeCanBeFollowed does what the notice of a stored result says, with the
// tools that it names: all of the text is shown in the end, and a search shows what it
// found. Before, a typed tool's JSON was stored as one line, of which Read showed the
// first 2,000 characters and Grep the beginning, without the match.
func TestAdviceInANoticeCanBeFollowed(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("äbc ", 20_000) + "order 1999 is here" + strings.Repeat(" öbc", 20_000)
	asText, err := json.Marshal(map[string]any{"orders": orders(2200, "")})
	require.NoError(t, err)
	for _, tt := range []struct {
		name  string
		tool  pegboard.Tool
		want  string // the text or an equal document
		fails bool
		lines int // at least; 0 means 1
	}{
		{name: "the JSON of a typed output", tool: typed(orders(2200, "")), want: document(t, orders(2200, "")), lines: 2200},
		{name: "a string in it that is too long for a line", tool: typed(orders(2200, line)), want: document(t, orders(2200, line)), lines: 2200},
		{name: "JSON as text", tool: typed(string(asText)), want: string(asText), lines: 2200},
		{name: "JSON of a failure", tool: failing(string(asText)), want: string(asText), fails: true, lines: 2200},
		{name: "JSON that is streamed keeps its one line", tool: streaming(string(asText)), want: string(asText)},
		{name: "a text of one line", tool: typed(line), want: line},
		{name: "a text of lines", tool: typed(strings.Repeat("word\n", 20_000) + "order 1999"), want: strings.Repeat("word\n", 20_000) + "order 1999"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := readerWith(t, "", tt.tool)
			r.fails = tt.fails
			notice, _, _ := strings.Cut(r.call(t, "Orders", map[string]any{}), "\n")
			require.Contains(t, notice, "read on there with Read (offset and limit in lines) or Grep")
			path := whereItIs.FindStringSubmatch(notice)
			require.NotNil(t, path, notice)
			shown := r.withRead(t, path[1])
			requireSameText(t, tt.want, shown)
			require.GreaterOrEqual(t, strings.Count(shown, "\n")+1, tt.lines, "JSON is stored with line breaks")
			require.Contains(t, notice, fmt.Sprintf(" %d bytes, ", len(shown)), "the notice counts what is stored")

			row := r.call(t, "Grep", map[string]any{"path": path[1], "pattern": "order 1999", "output_mode": "content"})
			require.Contains(t, row, "order 1999")
			require.Less(t, len(row), 6_000)
			at := foundAt.FindStringSubmatch(row)
			require.NotNil(t, at, row)
			there := map[string]any{"file_path": path[1], "offset": atoi(t, at[1]), "limit": 1}
			if at[2] != "" {
				there["byte_offset"] = atoi(t, at[2])
			}
			require.Contains(t, r.call(t, "Read", there), "order 1999")

			r = readerWith(t, results.ReadMoreHint, tt.tool)
			r.fails = tt.fails
			notice, _, _ = strings.Cut(r.call(t, "Orders", map[string]any{}), "\n")
			require.Contains(t, notice, results.ReadMoreHint)
			ref := map[string]any{"ref": whereItIs.FindStringSubmatch(notice)[1]}
			requireSameText(t, tt.want, r.withReadResult(t, ref["ref"].(string))) //nolint:forcetypeassert,errcheck // set above
			found := maps.Clone(ref)
			found["pattern"] = "order 1999"
			require.Contains(t, r.call(t, "ReadResult", found), "order 1999")
		})
	}
}

func document(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	require.NoError(t, err)
	return string(raw)
}

func requireSameText(t *testing.T, want, got string) {
	t.Helper()
	if json.Valid([]byte(want)) {
		require.JSONEq(t, want, got)
		return
	}
	if want != got { // require.Equal would print megabytes
		t.Errorf("%d bytes, want %d", len(got), len(want))
	}
}
