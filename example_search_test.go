package pegboard_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/seed49eaa51d/pegboard"
)

// shelf returns a registry with a server of two tools, and ToolSearch.
func shelf() *pegboard.Registry {
	reg := toolset("Read")
	if err := reg.Add(pegboard.ToolSearch(pegboard.SearchOptions{})); err != nil {
		log.Fatal(err)
	}
	describe := func(name, text string) pegboard.Tool {
		return pegboard.Build(pegboard.Definition[map[string]string, string]{
			Info: pegboard.Info{Name: name}, Description: text,
			Call: func(context.Context, map[string]string, *pegboard.Call) (string, error) { return "done", nil },
		})
	}
	if _, err := reg.Attach("github", describe("create_issue", "Opens an issue."), describe("list_branches", "Lists branches.")); err != nil {
		log.Fatal(err)
	}
	return reg
}

func ExampleToolSearch() {
	reg, session := shelf(), begin(pegboard.SessionConfig{})
	var executor pegboard.Executor
	out := executor.Run(context.Background(), reg.AssemblePool(session, pegboard.PoolConfig{}), pegboard.Call{
		ID: "1", Name: "ToolSearch", Input: json.RawMessage(`{"query":"open an issue","max_results":1}`),
	})
	fmt.Println(out[0].Result.Parts[0].Tool)
	fmt.Println(session.Loaded())
	// Output:
	// mcp__github__create_issue
	// [ToolSearch mcp__github__create_issue]
}

// The tools of a server wait, and what few turns need, unless the host says otherwise.
func ExampleDeferral() {
	reg, session := shelf(), begin(pegboard.SessionConfig{})
	fmt.Println(reg.AssemblePool(session, pegboard.PoolConfig{}).Deferred())
	fmt.Println(reg.AssemblePool(session, pegboard.PoolConfig{Deferral: pegboard.Deferral{AlwaysLoad: []string{"mcp__github__create_issue"}}}).Deferred())
	fmt.Println(reg.AssemblePool(session, pegboard.PoolConfig{Deferral: pegboard.Deferral{Mode: pegboard.DeferAuto}}).Deferred()) // they are few
	// Output:
	// [mcp__github__create_issue mcp__github__list_branches]
	// [mcp__github__list_branches]
	// []
}

func ExamplePool_Announce() {
	reg, session := shelf(), begin(pegboard.SessionConfig{})
	text, told := reg.AssemblePool(session, pegboard.PoolConfig{}).Announce(nil)
	fmt.Println(text)
	reg.Detach("github")
	text, _ = reg.AssemblePool(session, pegboard.PoolConfig{}).Announce(told)
	fmt.Println(text)
	// Output:
	// These tools can be loaded with ToolSearch. Only their names are known so far; do not call one before it is loaded:
	// mcp__github__create_issue
	// mcp__github__list_branches
	// These tools are not available any more:
	// mcp__github__create_issue
	// mcp__github__list_branches
}

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

func ExampleInfo_WithMeta() {
	meta := json.RawMessage(`{"anthropic/alwaysLoad":true,"anthropic/maxResultSizeChars":100000}`)
	info := pegboard.Info{Name: "query"}.WithMeta(meta)
	fmt.Println(info.Loading, info.MaxResult)
	// Output: always 100000
}

func ExampleRegistry_SetDescription() {
	reg := shelf()
	reg.SetDescription("github", "Repositories, issues and pull requests.")
	fmt.Println(len(reg.AssemblePool(begin(pegboard.SessionConfig{}), pegboard.PoolConfig{}).Search("pull requests", 5)), "tools have to do with that")
	// Output: 2 tools have to do with that
}

// A conversation that is resumed has loaded what its history shows.
func ExampleSession_SetLoaded() {
	reg, session := shelf(), begin(pegboard.SessionConfig{})
	session.SetLoaded("mcp__github__list_branches") // a wire's Loaded returns it
	for d := range reg.AssemblePool(session, pegboard.PoolConfig{}).Loaded() {
		fmt.Println(d.Name, d.Description)
	}
	// Output: mcp__github__list_branches Lists branches.
}
