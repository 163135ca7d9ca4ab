package pegboard_test

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"slices"

	"github.com/seed49eaa51d/pegboard"
)

// meanings is a ranker with a model of language, here a table: each word of a query has
// the tools that have to do with it. An embedding model would compute the scores.
type meanings map[string]map[string]float64

// Rank returns at most limit tools, best first.
func (m meanings) Rank(_ context.Context, p *pegboard.Pool, words string, limit int, accept func(string) bool) ([]pegboard.SearchMatch, error) {
	var found []pegboard.SearchMatch
	for _, name := range p.Deferred() {
		if score := m[words][name]; score > 0 && (accept == nil || accept(name)) {
			found = append(found, pegboard.SearchMatch{Name: name, Score: score})
		}
	}
	slices.SortFunc(found, func(a, b pegboard.SearchMatch) int { return cmp.Compare(b.Score, a.Score) })
	return found[:min(limit, len(found))], nil
}

// A search by words finds no tool for "complain". A ranker that knows what words mean does.
func ExampleRanker() {
	own := meanings{"complain": {"mcp__github__create_issue": 0.9, "mcp__github__list_issues": 0.4}}
	for _, ranker := range []pegboard.Ranker{pegboard.LexicalRanker{}, own} {
		var registry pegboard.Registry
		if err := registry.Add(pegboard.ToolSearch(pegboard.SearchOptions{Ranker: ranker})); err != nil {
			log.Fatal(err)
		}
		if _, err := registry.Attach("github", inert("create_issue"), inert("list_issues"), inert("list_branches")); err != nil {
			log.Fatal(err)
		}
		session, err := pegboard.NewSession(pegboard.SessionConfig{})
		if err != nil {
			log.Fatal(err)
		}
		var executor pegboard.Executor
		executor.Run(context.Background(), registry.AssemblePool(session, pegboard.PoolConfig{}),
			pegboard.Call{ID: "1", Name: "ToolSearch", Input: []byte(`{"query":"complain"}`)})
		fmt.Println(session.Loaded())
	}
	// Output:
	// [ToolSearch]
	// [ToolSearch mcp__github__create_issue mcp__github__list_issues]
}
