package rank_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/corpus"
	"github.com/seed49eaa51d/pegboard/internal/rank"
)

// A catalogue is tools as an index sees them.
type catalogue struct {
	index *rank.Index
	names [][]string // by segment and document
}

// document turns a tool of the corpus into a document.
func document(tool corpus.ToolSetTool) rank.Document {
	return rank.Document{
		Name: tool.Name, Description: tool.Description, Parameters: rank.Parameters(tool.Parameters),
	}
}

// sourcesOf groups tools by server, in the order the servers come first.
func sourcesOf(tools []corpus.ToolSetTool) (servers []string, documents map[string][]rank.Document) {
	documents = make(map[string][]rank.Document)
	for _, tool := range tools {
		if _, ok := documents[tool.Server]; !ok {
			servers = append(servers, tool.Server)
		}
		documents[tool.Server] = append(documents[tool.Server], document(tool))
	}
	return servers, documents
}

func newCatalogue(tools []corpus.ToolSetTool) catalogue {
	servers, documents := sourcesOf(tools)
	var c catalogue
	segments := make([]*rank.Segment, len(servers))
	for i, server := range servers {
		segments[i] = rank.NewSegment(server, "", documents[server])
		var names []string
		for _, d := range documents[server] {
			names = append(names, d.Name)
		}
		c.names = append(c.names, names)
	}
	c.index = rank.NewIndex(segments...)
	return c
}

func (c catalogue) search(query string, k int) []string {
	var names []string
	for _, hit := range c.index.Search(query, k, nil) {
		names = append(names, c.names[hit.Segment][hit.Document])
	}
	return names
}

// TestQuality holds the ranker against what a full lexical ranker reached on the
// same sets.
func TestQuality(t *testing.T) {
	const slack = .01
	floors := map[string]corpus.Metrics{
		"seal-tools":      {NDCG10: .95, Recall5: .95},
		"stabletoolbench": {NDCG10: .73, Recall5: .73},
		"bfcl":            {NDCG10: .79, Recall5: .87},
		"metatool":        {NDCG10: .60, Recall5: .68},
	}
	for _, set := range corpus.ToolSets(t) {
		t.Run(set.Name, func(t *testing.T) {
			metrics := set.Measure(newCatalogue(set.Tools).search)
			corpus.Report(t, set.Folder, "%s", metrics)
			if floor, ok := floors[set.Name]; ok {
				require.GreaterOrEqual(t, metrics.NDCG10, floor.NDCG10-slack)
				require.GreaterOrEqual(t, metrics.Recall5, floor.Recall5-slack)
			}
		})
	}
}

// TestNamesFindTheirTools asks for each tool by its name, as a model would that
// knows it already.
func TestNamesFindTheirTools(t *testing.T) {
	for _, set := range corpus.ToolSets(t) {
		c := newCatalogue(set.Tools)
		found := 0
		for _, tool := range set.Tools {
			if slices.Contains(c.search(tool.Name, 3), tool.Name) {
				found++
			}
		}
		share := float64(found) / float64(len(set.Tools))
		corpus.Report(t, set.Folder, "%s: %.3f of the names find their tool among the first three", set.Name, share)
		require.Greater(t, share, .95, set.Name)
	}
}
