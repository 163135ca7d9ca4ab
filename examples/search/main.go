// Command search gives a model 2,000 tools without showing it any definition. Each tool
// is an exported function of Go's standard library, read from its sources, and each
// package is a source of tools. The model is a script: it searches for three of the
// tools by their purpose and calls them. A call runs the function in a program of its
// own, with "go run".
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/wire/openai/chat"
)

// wanted is the number of tools.
const wanted = 2000

// script has the steps of the model: it searches, and calls the expected tool if the
// search finds it.
var script = []struct{ query, expects, input string }{
	{"repeat a string several times", "mcp__strings__Repeat", `{"s":"ab","count":3}`},
	{"escape text so that it can be placed inside a URL path segment", "mcp__net_url__PathEscape", `{"s":"a b/c"}`},
	{"+math hypotenuse", "mcp__math__Hypot", `{"p":3,"q":4}`},
}

func main() {
	var registry pegboard.Registry
	if err := registry.Add(pegboard.ToolSearch(pegboard.SearchOptions{})); err != nil {
		log.Fatal(err)
	}
	if err := attachAll(&registry); err != nil {
		log.Fatal(err)
	}
	perms, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"mcp__strings", "mcp__net_url", "mcp__math"}})
	if err != nil {
		log.Fatal(err)
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{Permissions: perms})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	defer session.Close(ctx)

	pool := registry.AssemblePool(session, pegboard.PoolConfig{})
	fmt.Printf("%d tools; a request holds %d bytes of definitions, and all of them would be %d\n",
		len(pool.Deferred()), len(chat.New(pool, chat.Config{}).Tools()), len(chat.New(registry.AssemblePool(session, pegboard.PoolConfig{Deferral: pegboard.Deferral{Mode: pegboard.DeferOff}}), chat.Config{}).Tools()))
	text, _ := pool.Announce(nil)
	fmt.Printf("the model is told of %d sources in %d bytes\n", strings.Count(text, "\n"), len(text))

	var executor pegboard.Executor
	for i, step := range script {
		query, _ := json.Marshal(map[string]any{"query": step.query})
		found := executor.Run(ctx, registry.AssemblePool(session, pegboard.PoolConfig{}), pegboard.Call{ID: fmt.Sprint("search-", i), Name: "ToolSearch", Input: query})[0]
		output, _ := found.Result.Data.(pegboard.SearchOutput)
		matches := output.Matches
		fmt.Printf("\n%q finds %s\n", step.query, strings.Join(matches, ", "))
		if !slices.Contains(matches, step.expects) {
			log.Fatalf("%s was not found", step.expects)
		}
		pool = registry.AssemblePool(session, pegboard.PoolConfig{}) // has the definitions that were found
		out := executor.Run(ctx, pool, pegboard.Call{ID: fmt.Sprint("call-", i), Name: step.expects, Input: json.RawMessage(step.input)})[0]
		fmt.Printf("%s %s = %s\n", step.expects, step.input, out.Result.Text())
	}
	pool = registry.AssemblePool(session, pegboard.PoolConfig{})
	fmt.Printf("\n%d tools were loaded; a request holds %d bytes of definitions\n", len(slices.Collect(pool.Loaded())), len(chat.New(pool, chat.Config{}).Tools()))
}

// attachAll attaches packages as sources, up to the wanted number of tools.
func attachAll(registry *pegboard.Registry) error {
	libraries, err := standardLibrary()
	left := wanted
	for _, lib := range libraries {
		var tools []pegboard.Tool
		for _, f := range lib.functions[:min(left, len(lib.functions))] {
			tool, err := pegboard.BuildRaw(f.schema(), pegboard.Definition[json.RawMessage, *pegboard.Result]{
				Info: pegboard.Info{Name: f.name}, Description: cmp.Or(f.about, "Is not documented."), Call: f.call,
			})
			if err != nil {
				return err
			}
			tools = append(tools, tool)
		}
		left -= len(tools)
		registry.SetDescription(lib.path, lib.about)
		if _, err := registry.Attach(lib.path, tools...); err != nil {
			return err
		}
	}
	return err
}
