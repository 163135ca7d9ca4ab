package cookbook_test

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"
	"os"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/serve"
	"github.com/seed49eaa51d/pegboard/tools/mcp"
	"github.com/seed49eaa51d/pegboard/tools/mcp/mcpjson"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

func Example_mcpTools() {
	ctx := context.Background()
	server := wordServer() // somebody else's, on this machine
	defer server.Close()
	file := fmt.Sprintf(`{"mcpServers": {"words": {"type": "http", "url": %q}}}`, server.URL) // of .mcp.json
	configured, problems := mcpjson.Parse([]byte(file), os.LookupEnv)
	if len(problems) > 0 {
		log.Fatal(problems)
	}
	permissions, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"mcp__words__CountWords"}})
	if err != nil {
		log.Fatal(err)
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{Permissions: permissions})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close(ctx) // ends the servers
	var registry pegboard.Registry
	servers := mcp.Start(session, &registry, mcp.Options{}, configured...) // returns at once
	if err := servers.Ready(ctx); err != nil {                             // a host need not wait: the tools come with a later turn
		log.Fatal(err)
	}
	servers.Sync(ctx) // before each turn: the tools of servers change here and nowhere else
	pool := registry.AssemblePool(session, pegboard.PoolConfig{})
	var executor pegboard.Executor
	for _, out := range executor.Run(ctx, pool, tooltest.Call("mcp__words__CountWords", `{"text": "to be or not to be"}`)) {
		fmt.Println(out.Result.Text(), out.Err)
	}
	// Output:
	// 6 words <nil>
}

// wordServer offers countWords over MCP.
func wordServer() *httptest.Server {
	s, err := serve.New(serve.Options{Name: "words", Version: "1", Open: func(context.Context, serve.Client) (*pegboard.Session, func() *pegboard.Pool, error) {
		var registry pegboard.Registry
		if err := registry.Add(countWords); err != nil {
			return nil, nil, err
		}
		session, err := pegboard.NewSession(pegboard.SessionConfig{})
		return session, func() *pegboard.Pool { return registry.AssemblePool(session, pegboard.PoolConfig{}) }, err
	}})
	if err != nil {
		log.Fatal(err)
	}
	return httptest.NewServer(s.Handler())
}
