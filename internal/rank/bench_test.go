package rank_test

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"encoding/json"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/corpus"
	"github.com/seed49eaa51d/pegboard/internal/rank"
)

const benchTools = 10_000

// benchSources are the first 10,000 tools of three lists, by source and with
// names made unique, as documents.
func benchSources(b *testing.B) (sources []string, documents [][]rank.Document) {
	b.Helper()
	taken := make(map[string]bool)
	at := make(map[string]int)
	count := 0
	for _, list := range []string{"mcp-schemas", "toolsearch/seal-tools", "toolsearch/stabletoolbench"} {
		for _, line := range corpus.Lines(b, filepath.Join(corpus.Folders(b)[0], filepath.FromSlash(list), "tools.jsonl")) {
			var tool corpus.ToolSetTool
			require.NoError(b, json.Unmarshal(line, &tool))
			name := tool.Name
			for n := 2; taken[tool.Name]; n++ {
				tool.Name = fmt.Sprintf("%s_%d", name, n)
			}
			taken[tool.Name] = true
			key := list + " " + tool.Server
			if _, ok := at[key]; !ok {
				at[key] = len(sources)
				sources, documents = append(sources, tool.Server), append(documents, nil)
			}
			documents[at[key]] = append(documents[at[key]], document(tool))
			if count++; count == benchTools {
				return sources, documents
			}
		}
	}
	b.Fatalf("the corpus has %d tools only", count)
	return nil, nil
}

func segmentsOf(sources []string, documents [][]rank.Document) []*rank.Segment {
	segments := make([]*rank.Segment, len(sources))
	for i, source := range sources {
		segments[i] = rank.NewSegment(source, "", documents[i])
	}
	return segments
}

func BenchmarkBuild(b *testing.B) {
	sources, documents := benchSources(b)
	before := heapBytes()
	index := rank.NewIndex(segmentsOf(sources, documents)...)
	size := float64(heapBytes() - before)
	for b.Loop() {
		index = rank.NewIndex(segmentsOf(sources, documents)...)
	}
	runtime.KeepAlive(index)
	b.ReportMetric(size/(1<<20), "heap-MiB")
}

func heapBytes() uint64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// BenchmarkJoin makes the segment of one source anew and joins it with the others.
func BenchmarkJoin(b *testing.B) {
	sources, documents := benchSources(b)
	segments := segmentsOf(sources, documents)
	changed := slices.IndexFunc(documents, func(d []rank.Document) bool { return len(d) == 20 })
	for b.Loop() {
		segments[changed] = rank.NewSegment(sources[changed], "", documents[changed])
		rank.NewIndex(segments...)
	}
}

// BenchmarkParameters reads the schemas of all tools.
func BenchmarkParameters(b *testing.B) {
	var schemas [][]byte
	for _, set := range corpus.ToolSets(b) {
		for _, tool := range set.Tools {
			schemas = append(schemas, tool.Parameters)
		}
	}
	for b.Loop() {
		for _, schema := range schemas {
			rank.Parameters(schema)
		}
	}
	b.ReportMetric(float64(len(schemas)), "schemas/op")
}

func BenchmarkSearch(b *testing.B) {
	var natural, short []string
	for _, set := range corpus.ToolSets(b) {
		for _, query := range set.Queries {
			natural = append(natural, query.Query)
		}
		for _, tool := range set.Tools {
			words := strings.Fields(tool.Description)
			if len(words) >= 5 {
				short = append(short, strings.Join([]string{words[0], words[len(words)/2], words[len(words)-1]}, " "))
			}
		}
	}
	index := rank.NewIndex(segmentsOf(benchSources(b))...)
	for name, queries := range map[string][]string{"natural": natural, "three words": short} {
		b.Run(name, func(b *testing.B) {
			var times []time.Duration
			for i := 0; b.Loop(); i++ {
				start := time.Now()
				index.Search(queries[i%len(queries)], 8, nil)
				times = append(times, time.Since(start))
			}
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)/2].Microseconds()), "p50-µs")
			b.ReportMetric(float64(times[len(times)*99/100].Microseconds()), "p99-µs")
		})
	}
}
