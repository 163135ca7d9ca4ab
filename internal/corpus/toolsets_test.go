package corpus_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/corpus"
)

func TestToolSets(t *testing.T) {
	both := folder(t, map[string]string{
		"toolsearch/one/tools.jsonl":   `{"name":"a","description":"A.","server":"s","parameters":{"type":"object"}}` + "\n" + `{"name":"b"}` + "\n",
		"toolsearch/one/queries.jsonl": `{"id":"1","query":"q","relevant":["a"]}` + "\n",
		"toolsearch/two/tools.jsonl":   `{"name":"c"}` + "\n", // without queries it is no set of its own
	})
	queries := folder(t, map[string]string{
		"toolsearch/one/queries.jsonl": `{"id":"2","query":"r","relevant":["b"]}` + "\n",
		"toolsearch/two/queries.jsonl": `{"id":"3","query":"s","relevant":["c"]}` + "\n",
	})
	t.Setenv(corpus.Variable, queries+string(filepath.ListSeparator)+both)
	sets := corpus.ToolSets(t)
	require.Len(t, sets, 3)
	require.Equal(t, "one", sets[0].Name)
	require.Equal(t, queries, sets[0].Folder)
	require.Equal(t, []corpus.ToolSetTool{
		{Name: "a", Description: "A.", Server: "s", Parameters: []byte(`{"type":"object"}`)}, {Name: "b"},
	}, sets[0].Tools)
	require.Equal(t, []corpus.ToolQuery{{ID: "2", Query: "r", Relevant: []string{"b"}}}, sets[0].Queries)
	require.Equal(t, "two", sets[1].Name)
	require.Equal(t, []corpus.ToolSetTool{{Name: "c"}}, sets[1].Tools)
	require.Equal(t, both, sets[2].Folder)

	t.Setenv(corpus.Variable, folder(t, map[string]string{"toolsearch/lone/queries.jsonl": "{}\n"}))
	failed := record(func(t testing.TB) { corpus.ToolSets(t) }).failed
	require.Contains(t, failed, "toolsearch/lone/tools.jsonl")

	t.Setenv(corpus.Variable, folder(t, map[string]string{
		"toolsearch/bad/tools.jsonl": "{}\n", "toolsearch/bad/queries.jsonl": "{}\n[]\n",
	}))
	require.Contains(t, record(func(t testing.TB) { corpus.ToolSets(t) }).failed, "queries.jsonl:2")
}

func TestMeasure(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		relevant []string
		found    []string
		want     string
	}{
		{name: "first", relevant: []string{"a"}, found: []string{"a", "b"},
			want: "recall@1 1.000 recall@5 1.000 recall@10 1.000 nDCG@10 1.000 MRR 1.000"},
		{name: "second", relevant: []string{"a"}, found: []string{"b", "a"},
			want: "recall@1 .000 recall@5 1.000 recall@10 1.000 nDCG@10 .631 MRR .500"},
		{name: "half", relevant: []string{"a", "z"}, found: []string{"a"},
			want: "recall@1 .500 recall@5 .500 recall@10 .500 nDCG@10 .613 MRR 1.000"},
		{name: "sixth", relevant: []string{"a"}, found: []string{"b", "c", "d", "e", "f", "a"},
			want: "recall@1 .000 recall@5 .000 recall@10 1.000 nDCG@10 .356 MRR .167"},
		{name: "beyond the tenth", relevant: []string{"a"}, found: []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "a"},
			want: "recall@1 .000 recall@5 .000 recall@10 .000 nDCG@10 .000 MRR .000"},
		{name: "twice", relevant: []string{"a", "b"}, found: []string{"a", "a", "c"},
			want: "recall@1 .500 recall@5 .500 recall@10 .500 nDCG@10 .613 MRR 1.000"},
		{name: "nothing", relevant: []string{"a"},
			want: "recall@1 .000 recall@5 .000 recall@10 .000 nDCG@10 .000 MRR .000"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			set := corpus.ToolSet{Queries: []corpus.ToolQuery{{Query: "q", Relevant: test.relevant}}}
			got := set.Measure(func(query string, k int) []string {
				require.Equal(t, "q", query)
				require.Equal(t, 10, k)
				return test.found
			})
			require.Equal(t, test.want, got.String())
		})
	}
	t.Run("the average over the queries", func(t *testing.T) {
		t.Parallel()
		set := corpus.ToolSet{Queries: []corpus.ToolQuery{{Query: "a", Relevant: []string{"a"}}, {Query: "b", Relevant: []string{"a"}}}}
		got := set.Measure(func(query string, _ int) []string { return []string{query} })
		require.Equal(t, corpus.Metrics{Recall1: .5, Recall5: .5, Recall10: .5, NDCG10: .5, MRR: .5}, got)
	})
}
