package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/corpus"
)

// findable is how many tools are searched.
const findable = 10_000

// BenchmarkFind searches 10,000 tools of the corpus folder: how long the index takes,
// after one of the sources has changed, too, and how long a query does. The cases of
// queries report a percentile as their time. No peer has a case.
func BenchmarkFind(b *testing.B) {
	sources, order := findableTools(b)
	reg := new(pegboard.Registry)
	require.NoError(b, reg.Add(pegboard.ToolSearch(pegboard.SearchOptions{})))
	for _, source := range order {
		_, err := reg.Attach(source, sources[source]...)
		require.NoError(b, err)
	}
	s := pegSession(b, pegboard.SessionConfig{})
	sentences, words := findQueries(b)

	b.Run("Find10000/pegboard-build", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			fresh := new(pegboard.Registry)
			require.NoError(b, fresh.Add(pegboard.ToolSearch(pegboard.SearchOptions{})))
			for _, source := range order {
				_, err := fresh.Attach(source, sources[source]...)
				require.NoError(b, err)
			}
			pool := fresh.AssemblePool(s, pegboard.PoolConfig{})
			without := heapOf()
			b.StartTimer()
			found := pool.Search("send a message", 5)
			b.StopTimer()
			require.NotEmpty(b, found)
			b.ReportMetric(float64(heapOf()-without)/(1<<20), "heapMiB")
			runtime.KeepAlive(pool)
			b.StartTimer()
		}
	})
	require.NotEmpty(b, reg.AssemblePool(s, pegboard.PoolConfig{}).Search("send a message", 5)) // so that only the change costs
	b.Run("Find10000/pegboard-changed", func(b *testing.B) {
		changed := slices.IndexFunc(order, func(source string) bool { return len(sources[source]) == 20 })
		require.GreaterOrEqual(b, changed, 0)
		tools := sources[order[changed]]
		for i := 0; b.Loop(); i++ {
			b.StopTimer()
			_, err := reg.Replace(order[changed], tools[:19+i%2]...)
			require.NoError(b, err)
			pool := reg.AssemblePool(s, pegboard.PoolConfig{})
			b.StartTimer()
			require.NotEmpty(b, pool.Search("send a message", 5))
		}
	})
	pool := reg.AssemblePool(s, pegboard.PoolConfig{})
	require.Greater(b, len(pool.Deferred()), findable*99/100) // a few have the name of another
	for name, queries := range map[string][]string{"sentence": sentences, "words": words} {
		for _, percentile := range []int{50, 99} {
			full := "Find10000/pegboard-" + name
			if percentile != 50 {
				full += fmt.Sprint("-p", percentile)
			}
			b.Run(full, func(b *testing.B) {
				var times []float64
				for b.Loop() {
					for _, query := range queries {
						start := time.Now()
						pool.Search(query, 5)
						times = append(times, float64(time.Since(start)))
					}
				}
				slices.Sort(times)
				b.ReportMetric(times[len(times)*percentile/100], "ns/op")
			})
		}
	}
}

func heapOf() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// findableTools builds the first tools of three lists, by source and with names made
// unique.
func findableTools(b *testing.B) (sources map[string][]pegboard.Tool, order []string) {
	b.Helper()
	folder := corpus.Folders(b)[0]
	sources = map[string][]pegboard.Tool{}
	taken := map[string]bool{}
	for _, list := range []string{"mcp-schemas", "toolsearch/seal-tools", "toolsearch/stabletoolbench"} {
		for _, line := range corpus.Lines(b, filepath.Join(folder, filepath.FromSlash(list), "tools.jsonl")) {
			var t corpus.ToolSetTool
			require.NoError(b, json.Unmarshal(line, &t))
			name := t.Name
			for n := 2; taken[t.Name]; n++ {
				t.Name = fmt.Sprintf("%s_%d", name, n)
			}
			tool, err := pegboard.BuildRaw(schemaOf(t), pegboard.Definition[json.RawMessage, *pegboard.Result]{
				Info: pegboard.Info{Name: t.Name}, Description: t.Description + " ",
				Call: func(context.Context, json.RawMessage, *pegboard.Call) (*pegboard.Result, error) { return nil, nil },
			})
			if err != nil {
				continue // a schema that nothing can be checked with
			}
			taken[t.Name] = true
			source := strings.TrimSpace(list + " " + t.Server)
			if _, ok := sources[source]; !ok {
				order = append(order, source)
			}
			sources[source] = append(sources[source], tool)
			if len(taken) == findable {
				return sources, order
			}
		}
	}
	b.Fatalf("the corpus has %d tools only", len(taken))
	return nil, nil
}

func schemaOf(t corpus.ToolSetTool) json.RawMessage {
	if len(t.Parameters) == 0 {
		return json.RawMessage(`{"type":"object"}`)
	}
	return t.Parameters
}

// findQueries returns the queries of the corpus, and three words of descriptions each.
func findQueries(b *testing.B) (sentences, words []string) {
	b.Helper()
	for _, set := range corpus.ToolSets(b) {
		for _, q := range set.Queries {
			sentences = append(sentences, q.Query)
		}
		for _, t := range set.Tools {
			if all := strings.Fields(t.Description); len(all) >= 5 {
				words = append(words, strings.Join([]string{all[0], all[len(all)/2], all[len(all)-1]}, " "))
			}
		}
	}
	return sentences, words
}
