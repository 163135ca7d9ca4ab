package cookbook_test

import (
	"context"
	"errors"
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

// connect starts the servers of a file such as .mcp.json. Closing the session ends them.
func connect(session *pegboard.Session, registry *pegboard.Registry, file []byte) (*mcp.Servers, error) {
	configured, problems := mcpjson.Parse(file, os.LookupEnv)
	if len(problems) > 0 {
		return nil, errors.New(problems[0].String())
	}
	servers := mcp.Start(session, registry, mcp.Options{}, configured...) // returns at once
	return servers, registry.Add(servers.Tools()...)                      // logins and resources
}

// poolOf returns the tools of the next request. Those of servers change here and nowhere else.
func poolOf(ctx context.Context, session *pegboard.Session, registry *pegboard.Registry, servers *mcp.Servers) *pegboard.Pool {
	servers.Sync(ctx)
	return registry.AssemblePool(session, pegboard.PoolConfig{Gates: pegboard.Gates{Resources: true}})
}

func Example_mcpTools() {
	ctx := context.Background()
	server := wordServer()
	defer server.Close()
	permissions, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"mcp__words__CountWords"}})
	if err != nil {
		log.Fatal(err)
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{Permissions: permissions})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close(ctx)
	var registry pegboard.Registry
	servers, err := connect(session, &registry, fmt.Appendf(nil, `{"mcpServers": {"words": {"type": "http", "url": %q}}}`, server.URL))
	if err != nil {
		log.Fatal(err)
	}
	if err := servers.Ready(ctx); err != nil { // a host need not wait: the tools come with a later request
		log.Fatal(err)
	}
	pool := poolOf(ctx, session, &registry, servers)
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
