package notebook_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/tools/files/internal/notebook"
)

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
