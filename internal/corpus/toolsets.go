package corpus

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A ToolSet is a set of tools, with queries and the tools that answer each. It is in
// toolsearch/<Name> of a corpus folder.
type ToolSet struct {
	Name    string
	Folder  string // the corpus folder that has the queries
	Tools   []ToolSetTool
	Queries []ToolQuery
}

// A ToolSetTool is one line of tools.jsonl.
type ToolSetTool struct {
	Name, Description string
	Server            string          // empty if the set has no servers
	Parameters        json.RawMessage // a JSON Schema; nil if the tool takes none
}

// A ToolQuery is one line of queries.jsonl.
type ToolQuery struct {
	ID, Query string
	Relevant  []string // names of tools of the set
}

// Metrics measure how well a search finds the relevant tools, on average over the queries
// of a set. Each is between 0 and 1.
type Metrics struct{ Recall1, Recall5, Recall10, NDCG10, MRR float64 }

// String formats the metrics as one line with three decimals each.
func (m Metrics) String() string {
	return fmt.Sprintf("recall@1 %s recall@5 %s recall@10 %s nDCG@10 %s MRR %s",
		decimals(m.Recall1), decimals(m.Recall5), decimals(m.Recall10), decimals(m.NDCG10), decimals(m.MRR))
}

func decimals(value float64) string { return strings.TrimPrefix(fmt.Sprintf("%.3f", value), "0") }

// ToolSets reads the tool sets of all corpus folders, one for each folder of toolsearch that
// has queries. If such a folder has no tools, it uses those of the same set in another
// corpus folder; without any the test fails.
func ToolSets(t testing.TB) []ToolSet {
	t.Helper()
	folders := Folders(t)
	var sets []ToolSet
	for _, folder := range folders {
		files, err := filepath.Glob(filepath.Join(folder, "toolsearch", "*", "queries.jsonl"))
		if err != nil {
			t.Fatalf("corpus: %v", err)
		}
		for _, file := range files {
			name := filepath.Base(filepath.Dir(file))
			sets = append(sets, ToolSet{
				Name: name, Folder: folder,
				Tools:   objects[ToolSetTool](t, toolsFile(t, folder, name, folders)),
				Queries: objects[ToolQuery](t, file),
			})
		}
	}
	return sets
}

// toolsFile returns the file with the tools of a set, preferably in the folder itself.
func toolsFile(t testing.TB, folder, name string, folders []string) string {
	t.Helper()
	for _, place := range append([]string{folder}, folders...) {
		file := filepath.Join(place, "toolsearch", name, "tools.jsonl")
		_, err := os.Stat(file)
		if err == nil {
			return file
		}
		if !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("corpus: %v", err)
		}
	}
	t.Fatalf("corpus: no folder has toolsearch/%s/tools.jsonl, which the queries in %s ask for", name, folder)
	return ""
}

func objects[T any](t testing.TB, file string) []T {
	t.Helper()
	var all []T
	for number, line := range Lines(t, file) {
		var object T
		if err := json.Unmarshal(line, &object); err != nil {
			t.Fatalf("corpus: %s:%d: %v", file, number, err)
		}
		all = append(all, object)
	}
	return all
}

// Measure calls search for each query with the number k of names to find, best first. Names
// after the first k, and repeated names, do not count.
func (s ToolSet) Measure(search func(query string, k int) []string) Metrics {
	const depth = 10
	var sum Metrics
	counted := 0
	for _, query := range s.Queries {
		relevant := slices.Compact(slices.Sorted(slices.Values(query.Relevant)))
		if len(relevant) == 0 {
			continue
		}
		counted++
		found := search(query.Query, depth)
		sum.add(foundRanks(found[:min(len(found), depth)], relevant), len(relevant))
	}
	if counted == 0 {
		return Metrics{}
	}
	for _, value := range []*float64{&sum.Recall1, &sum.Recall5, &sum.Recall10, &sum.NDCG10, &sum.MRR} {
		*value /= float64(counted)
	}
	return sum
}

// foundRanks returns the ranks, counted from 0, at which each relevant name is found first.
func foundRanks(found, relevant []string) []int {
	var ranks []int
	for rank, name := range found {
		if slices.Contains(relevant, name) && !slices.Contains(found[:rank], name) {
			ranks = append(ranks, rank)
		}
	}
	return ranks
}

// add adds the metrics of one query.
func (m *Metrics) add(ranks []int, relevant int) {
	share := 1 / float64(relevant)
	gain, ideal := 0.0, 0.0
	for rank := range min(relevant, 10) {
		ideal += 1 / math.Log2(float64(rank)+2)
	}
	for i, rank := range ranks {
		gain += 1 / math.Log2(float64(rank)+2)
		m.Recall10 += share
		if rank < 5 {
			m.Recall5 += share
		}
		if rank < 1 {
			m.Recall1 += share
		}
		if i == 0 {
			m.MRR += 1 / float64(rank+1)
		}
	}
	m.NDCG10 += gain / ideal
}
