package pegboard_test

import (
	"context"
	"fmt"
	"log"

	"github.com/seed49eaa51d/pegboard"
)

func ExamplePool_Search() {
	pool := shelf().AssemblePool(begin(pegboard.SessionConfig{}), pegboard.PoolConfig{})
	for _, query := range []string{"branch", "+issue", "select:create_issue,Read"} {
		for _, m := range pool.Search(query, 2) {
			fmt.Println(m.Name)
		}
	}
	// Output:
	// mcp__github__list_branches
	// mcp__github__create_issue
	// mcp__github__create_issue
	// Read
}

// byLength stands for a ranker with a model of language.
type byLength struct{}

func (byLength) Rank(_ context.Context, p *pegboard.Pool, _ string, limit int, accept func(string) bool) (list []pegboard.SearchMatch, err error) {
	for _, name := range p.Deferred() {
		if len(list) < limit && (accept == nil || accept(name)) {
			list = append(list, pegboard.SearchMatch{Name: name, Score: float64(len(name))})
		}
	}
	return list, nil
}

func ExampleFuseRankers() {
	reg := toolset()
	if err := reg.Add(pegboard.ToolSearch(pegboard.SearchOptions{Ranker: pegboard.FuseRankers(pegboard.LexicalRanker{}, byLength{})})); err != nil {
		log.Fatal(err)
	}
	fmt.Println(reg.AssemblePool(begin(pegboard.SessionConfig{}), pegboard.PoolConfig{}).Len())
	// Output: 1
}

// A ranker of the host leaves the search by words to the LexicalRanker, here without the tools
// that write.
func ExampleLexicalRanker_Rank() {
	pool := shelf().AssemblePool(begin(pegboard.SessionConfig{}), pegboard.PoolConfig{})
	reads := func(name string) bool { return name != "mcp__github__create_issue" }
	for _, accept := range []func(string) bool{nil, reads} {
		found, err := pegboard.LexicalRanker{}.Rank(context.Background(), pool, "issue branch", 5, accept)
		for _, m := range found {
			fmt.Println(m.Name, m.Score > 0, err)
		}
		fmt.Println("--")
	}
	// Output:
	// mcp__github__create_issue true <nil>
	// mcp__github__list_branches true <nil>
	// --
	// mcp__github__list_branches true <nil>
	// --
}
