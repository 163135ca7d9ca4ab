package serve_test

import (
	"context"
	"fmt"
	"net"
	"net/http/httptest"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/serve"
)

// A framework that reads its tools from MCP servers gets those of a pool without a process or a port.
func ExampleServer_Connect() {
	var registry pegboard.Registry
	check(registry.Add(pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Hello"}, Description: "Greets.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { return "hello", nil },
	})))
	s, err := serve.New(serve.Options{Open: func(context.Context, serve.Client) (*pegboard.Session, func() *pegboard.Pool, error) {
		session, err := pegboard.NewSession(pegboard.SessionConfig{Dir: os.TempDir()})
		return session, func() *pegboard.Pool { return registry.AssemblePool(session, pegboard.PoolConfig{}) }, err
	}})
	check(err)
	near, far := net.Pipe()
	ended := make(chan error)
	go func() { ended <- s.Connect(context.Background(), far) }()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "framework"}, nil).Connect(context.Background(), &mcp.IOTransport{Reader: near, Writer: near}, nil)
	check(err)
	r, err := session.CallTool(context.Background(), &mcp.CallToolParams{Name: "Hello"})
	check(err)
	fmt.Println(words(r))
	check(session.Close())
	fmt.Println(<-ended)
	// Output:
	// hello
	// <nil>
}

// The sessions that a server opens ask the client that makes a call, here one whose user says
// no. The rules of the host come before.
func ExampleServer_Ask() {
	var registry pegboard.Registry
	for _, name := range []string{"Build", "Deploy"} {
		check(registry.Add(pegboard.Build(pegboard.Definition[struct{}, string]{
			Info: pegboard.Info{Name: name}, Description: "Changes something.",
			Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { return "done", nil },
		})))
	}
	permissions, err := policy.New(policy.ModeDefault, policy.RuleSet{Source: policy.SourceUser, Allow: []string{"Build"}})
	check(err)
	var s *serve.Server
	s, err = serve.New(serve.Options{Open: func(context.Context, serve.Client) (*pegboard.Session, func() *pegboard.Pool, error) {
		session, err := pegboard.NewSession(pegboard.SessionConfig{Dir: os.TempDir(), Permissions: permissions, Ask: s.Ask})
		return session, func() *pegboard.Pool { return registry.AssemblePool(session, pegboard.PoolConfig{}) }, err
	}})
	check(err)
	web := httptest.NewServer(s.Handler())
	defer web.Close()
	refusing := client("example", answering("Deny"))
	session, err := refusing.Connect(context.Background(), &mcp.StreamableClientTransport{Endpoint: web.URL}, nil)
	check(err)
	for _, name := range []string{"Build", "Deploy"} {
		r, err := session.CallTool(context.Background(), &mcp.CallToolParams{Name: name})
		check(err)
		fmt.Println(words(r))
	}
	check(session.Close())
	check(s.Close(context.Background()))
	// Output:
	// done
	// Deploy was denied: a person answered: deny. Do not try the same by other means; do something else or tell the user.
}
