package cookbook_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
	"github.com/seed49eaa51d/pegboard/wire/openai/chat"
)

// addShop adds the tools of a source, and the one that finds them.
func addShop(registry *pegboard.Registry, tools []pegboard.Tool) error {
	registry.SetDescription("shop", "The shop: its articles, orders and customers.")
	if _, err := registry.Attach("shop", tools...); err != nil {
		return err
	}
	return registry.Add(pegboard.ToolSearch(pegboard.SearchOptions{}))
}

func Example_thousandsOfTools() {
	var registry pegboard.Registry
	if err := addShop(&registry, shopTools(2000)); err != nil {
		log.Fatal(err)
	}
	session, err := tooltest.NewSession("")
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close(context.Background())
	var executor pegboard.Executor
	turn := func(call pegboard.Call) {
		pool := registry.AssemblePool(session, pegboard.PoolConfig{}) // anew for each request
		request := chat.New(pool, chat.Config{}).Tools()
		fmt.Println(len(pool.Deferred()), "tools can be found; the request holds", strings.Count(string(request), `"name"`), "definitions")
		out := executor.Run(context.Background(), pool, call)[0]
		for _, part := range out.Result.Parts {
			fmt.Println("  ", part.Tool+part.Text)
		}
	}
	turn(tooltest.Call("ToolSearch", `{"query": "refund a customer", "max_results": 2}`))
	fmt.Println(session.Loaded())
	turn(tooltest.Call("mcp__shop__refund_customer", `{"id": "7"}`))
	// Output:
	// 2000 tools can be found; the request holds 1 definitions
	//    mcp__shop__refund_customer
	//    mcp__shop__refund_order
	// [ToolSearch mcp__shop__refund_customer mcp__shop__refund_order]
	// 2000 tools can be found; the request holds 3 definitions
	//    refund_customer is done
}

// shopTools makes tools of the shop, each with one property.
func shopTools(n int) (all []pegboard.Tool) {
	verbs, nouns := []string{"refund", "list", "rename", "archive", "count"}, []string{"customer", "order", "article", "voucher"}
	for i := range n {
		name := fmt.Sprintf("%s_%s", verbs[i%len(verbs)], nouns[i/len(verbs)%len(nouns)])
		if i >= len(verbs)*len(nouns) {
			name = fmt.Sprintf("%s_of_branch_%d", name, i)
		}
		all = append(all, pegboard.Build(pegboard.Definition[map[string]string, string]{
			Info: pegboard.Info{Name: name}, Description: "Does " + name + ".",
			Call: func(context.Context, map[string]string, *pegboard.Call) (string, error) {
				return name + " is done", nil
			},
		}))
	}
	return all
}
