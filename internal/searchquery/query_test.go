package searchquery_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/searchquery"
)

func isSource(prefix string) bool { return prefix == "mcp__git" }

func TestParse(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		text string
		want searchquery.Query
	}{
		{name: "nothing"},
		{name: "names", text: " Select: A, b ,,C", want: searchquery.Query{ByName: true, Names: []string{"A", "b", "C"}}},
		{name: "no names", text: "select:", want: searchquery.Query{ByName: true}},
		{name: "words", text: "open  an issue", want: searchquery.Query{Words: "open an issue"}},
		{name: "a required word", text: "+Git issue", want: searchquery.Query{Words: "Git issue", Required: []string{"git"}}},
		{name: "a plus alone", text: "1 + 1", want: searchquery.Query{Words: "1 + 1"}},
		{name: "a source", text: "mcp__git issue mcp__other", want: searchquery.Query{Words: "issue mcp__other", Sources: []string{"mcp__git"}}},
		{name: "a source with the separator", text: "mcp__git__", want: searchquery.Query{Sources: []string{"mcp__git"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, searchquery.Parse(tt.text, isSource))
		})
	}
}

func TestPassesFilters(t *testing.T) {
	t.Parallel()
	q := searchquery.Parse("+issue +Open mcp__git", isSource)
	require.True(t, q.HasFilters())
	require.True(t, q.PassesFilters("mcp__git__open_issue", "mcp__git"))
	require.False(t, q.PassesFilters("mcp__git__close_issue", "mcp__git"))
	require.False(t, q.PassesFilters("mcp__hub__open_issue", "mcp__hub"))
	q = searchquery.Parse("issue", isSource)
	require.False(t, q.HasFilters())
	require.True(t, q.PassesFilters("Read", ""))
}

func TestParseReadsOnlyTheBeginning(t *testing.T) {
	t.Parallel()
	require.Len(t, searchquery.Parse("select:"+strings.Repeat("a,", 9000), isSource).Names, 256)
	q := searchquery.Parse(strings.Repeat("+a mcp__git ", 9000), isSource)
	require.Len(t, q.Required, 128)
	require.Len(t, q.Sources, 128)
}

func FuzzParse(f *testing.F) {
	f.Add("select:a,b")
	f.Add("+a mcp__git b")
	f.Fuzz(func(t *testing.T, text string) {
		q := searchquery.Parse(text, isSource)
		for _, must := range q.Required {
			if must == "" || strings.ContainsAny(must, " \t\n") {
				t.Fatalf("%q", must)
			}
		}
		q.PassesFilters(text, "mcp__git")
		if q.ByName != (len(text) > 0 && strings.HasPrefix(strings.ToLower(strings.TrimSpace(text)), "select:")) {
			t.Fatal(q)
		}
	})
}
