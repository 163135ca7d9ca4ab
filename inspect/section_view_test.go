package inspect_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/inspect"
)

// TestSectionsOfTheHost are tables; one that fails harms no other.
func TestSectionsOfTheHost(t *testing.T) {
	t.Parallel()
	rows := make([][]string, 1500)
	for i := range rows {
		rows[i] = []string{"x"}
	}
	b := newBench(t, pegboard.SessionConfig{}, func(o *inspect.Options) {
		o.Sections = []inspect.Section{
			{Title: "Jobs <b>", Rows: func() ([]string, [][]string) {
				return []string{"id", "state"}, [][]string{{"1", "runs"}, {"<script>", "\u202eevil\x00\x1b[2J"}, {strings.Repeat("a", 10<<20)}, nil}
			}},
			{Title: "Broken", Rows: func() ([]string, [][]string) { panic("no <table>") }},
			{Rows: func() ([]string, [][]string) { return nil, rows }},
			{Title: "Gone", Rows: func() ([]string, [][]string) { return nil, nil }},
		}
	})
	page := b.see(t, "/section-1")
	require.Contains(t, page, "<h1>Jobs &lt;b&gt;</h1>")
	require.Contains(t, page, `<th scope="col">state</th>`)
	require.Contains(t, page, "<td>1</td><td>runs</td>")
	require.Contains(t, page, `<td>&lt;script&gt;</td><td>\u202eevil\x00\x1b[2J</td>`)
	require.Less(t, len(page), 10_000)
	require.Contains(t, b.see(t, "/section-2"), "This section failed: panic: no &lt;table&gt;")
	require.Contains(t, b.see(t, "/section-3"), "500 more rows are not listed.")
	require.Contains(t, b.see(t, "/section-3"), "<h1>Section 3</h1>")
	require.Contains(t, b.see(t, "/section-4"), "<tbody></tbody>")
}
