package pegboard_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/corpus"
)

// TestRetrieval searches the tools of each set as a model does, by [pegboard.Pool.Search],
// and prints how well the labelled ones are found. What must be reached is in
// internal/rank.
func TestRetrieval(t *testing.T) {
	var report []string
	for _, set := range corpus.ToolSets(t) {
		pool, exposed := poolOfSet(t, set)
		metrics := set.Measure(func(query string, k int) []string {
			var found []string
			for _, m := range pool.Search(words(query), k) {
				found = append(found, exposed[m.Name])
			}
			return found
		})
		require.Positive(t, metrics.Recall10, set.Name)
		report = append(report, fmt.Sprintf("%s %v", set.Name, metrics))
	}
	for _, line := range report { // the last lines of the test
		fmt.Println(line)
	}
}

// words returns a query of a data set as words alone: a plus in it requires nothing.
func words(query string) string { return strings.ReplaceAll(query, "+", " ") }

// poolOfSet registers the tools of a set, those of each server as a source, and says
// which name in the set belongs to which in the pool.
func poolOfSet(t testing.TB, set corpus.ToolSet) (pool *pegboard.Pool, exposed map[string]string) {
	t.Helper()
	bySource, original := map[string][]pegboard.Tool{}, map[string]string{}
	taken := map[string]bool{} // names of no server, in lower case: twins are refused
	for _, tool := range set.Tools {
		name := tool.Name
		if tool.Server == "" && taken[strings.ToLower(name)] {
			name += "_2"
		}
		taken[strings.ToLower(name)] = true
		original[name] = tool.Name
		schema := tool.Parameters
		if len(schema) == 0 {
			schema = []byte(`{"type":"object"}`)
		}
		description := tool.Description
		if description == "" {
			description = " "
		}
		built, err := pegboard.BuildRaw(schema, pegboard.Definition[json.RawMessage, *pegboard.Result]{
			Info: pegboard.Info{Name: name, Loading: pegboard.LoadOnSearch}, Description: description,
			Call: func(ctx, json.RawMessage, *pegboard.Call) (*pegboard.Result, error) { return nil, nil },
		})
		if err != nil {
			t.Logf("%s: %s cannot be built: %v", set.Name, tool.Name, err)
			continue
		}
		bySource[tool.Server] = append(bySource[tool.Server], built)
	}
	reg := registryOf(t, finder())
	for source, tools := range bySource {
		if source == "" { // of no server
			require.NoError(t, reg.Add(tools...))
			continue
		}
		_, err := reg.Attach(source, tools...)
		require.NoError(t, err)
	}
	pool = reg.AssemblePool(session(t, pegboard.SessionConfig{}), pegboard.PoolConfig{})
	exposed = map[string]string{}
	for tool := range pool.All() {
		name := cmp.Or(tool.Info().Origin.Tool, tool.Info().Name)
		exposed[tool.Info().Name] = cmp.Or(original[name], name)
	}
	return pool, exposed
}
