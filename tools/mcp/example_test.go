package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/mcp"
	"github.com/seed49eaa51d/pegboard/tools/mcp/mcpjson"
)

// A conversation with a server of a configuration file. The tools are there after Sync.
func Example() {
	ctx := context.Background()
	configured, problems := mcpjson.Parse(notesConfig(), os.LookupEnv)
	for _, p := range problems {
		fmt.Println(p)
	}
	permissions, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"mcp__notes__add"}})
	check(err)
	session, err := pegboard.NewSession(pegboard.SessionConfig{Permissions: permissions})
	check(err)
	var registry pegboard.Registry
	servers := mcp.Start(session, &registry, mcp.Options{}, configured...)
	check(registry.Add(servers.Tools()...))
	gates := pegboard.Gates{Resources: len(configured) > 0} // from the configuration

	check(servers.Ready(ctx)) // only because the example has one turn
	var executor pegboard.Executor
	{ // each turn
		servers.Sync(ctx)
		pool := registry.AssemblePool(session, pegboard.PoolConfig{Gates: gates})
		for t := range pool.All() {
			fmt.Println(t.Info().Name)
		}
		out := executor.Run(ctx, pool, pegboard.Call{ID: "1", Name: "mcp__notes__add", Input: json.RawMessage(`{"text":"buy milk"}`)})
		fmt.Println(out[0].Result.Text())
	}
	check(session.Close(ctx)) // ends the server
	// Output:
	// ListMcpResources
	// ReadMcpResource
	// mcp__notes__add
	// mcp__notes__forget
	// note 1: buy milk
}

// A server asks the user for a value in mid-call. The form reaches SessionConfig.Elicit.
func Example_form() {
	c := talk(pegboard.SessionConfig{Elicit: func(_ context.Context, f *pegboard.Elicitation) (pegboard.ElicitResult, error) {
		fmt.Printf("%s asks: %s\n", f.From, f.Message)
		return pegboard.ElicitResult{Action: pegboard.ElicitAccept, Content: json.RawMessage(`{"sure":true}`)}, nil
	}}, mcp.Options{})
	defer c.close()
	fmt.Println(c.call("mcp__notes__forget", `{}`))
	// Output:
	// notes asks: Forget all notes?
	// forgotten: true
}

// Start returns at once; a server that cannot be started delays no other.
func ExampleStart() {
	session, err := pegboard.NewSession(pegboard.SessionConfig{})
	check(err)
	defer func() { check(session.Close(context.Background())) }()
	servers := mcp.Start(session, new(pegboard.Registry), mcp.Options{},
		mcpjson.Server{Name: "notes", Type: mcpjson.Stdio, Command: exampleProgram(), Env: exampleEnv()},
		mcpjson.Server{Name: "gone", Type: mcpjson.Stdio, Command: "no-such-program"},
	)
	for _, s := range servers.States() {
		fmt.Println(s.Server, s.Status == mcp.Pending || s.Status == mcp.Failed || s.Status == mcp.Ready)
	}
	fmt.Println(servers.Ready(context.Background(), "notes"))
	// Output:
	// notes true
	// gone true
	// <nil>
}

// The error of Ready says which server cannot be called.
func ExampleServers_Ready() {
	session, err := pegboard.NewSession(pegboard.SessionConfig{})
	check(err)
	defer func() { check(session.Close(context.Background())) }()
	servers := mcp.Start(session, new(pegboard.Registry), mcp.Options{}, mcpjson.Server{Name: "gone", Type: mcpjson.Stdio, Command: "no-such-program"})
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	err = servers.Ready(ctx)
	var failed *mcp.ServerError
	fmt.Println(errors.As(err, &failed), failed.Server, failed.Status)
	fmt.Println(errors.Is(servers.Ready(ctx, "other"), mcp.ErrUnknownServer))
	// Output:
	// true gone failed
	// true
}

// A server has announced a new tool. The pools of this turn do not change; those after the
// next Sync have it.
func ExampleServers_Sync() {
	c := talk(pegboard.SessionConfig{}, mcp.Options{})
	defer c.close()
	fmt.Println(c.tools())
	c.call("mcp__notes__add", `{"text":"offer a new tool"}`)
	for !c.servers.States()[0].Changed { // a host need not wait: the next turn comes
		time.Sleep(time.Millisecond)
	}
	fmt.Println(c.tools())
	c.servers.Sync(context.Background())
	fmt.Println(c.tools())
	// Output:
	// [mcp__notes__add mcp__notes__forget]
	// [mcp__notes__add mcp__notes__forget]
	// [mcp__notes__add mcp__notes__forget mcp__notes__new]
}

func ExampleServers_States() {
	c := talk(pegboard.SessionConfig{}, mcp.Options{})
	defer c.close()
	for _, s := range c.servers.States() {
		fmt.Println(s.Server, s.Status, s.Protocol, s.Tools, s.HasResources, s.HasPrompts)
	}
	// Output: notes ready 2026-07-28 2 true true
}

// The model reads a resource with the built-in tools.
func ExampleServers_Tools() {
	c := talk(pegboard.SessionConfig{}, mcp.Options{})
	defer c.close()
	fmt.Println(c.call("ListMcpResources", `{"server":"notes"}`))
	fmt.Println(c.call("ReadMcpResource", `{"server":"notes","uri":"notes://all"}`))
	// Output:
	// [{"server":"notes","uri":"notes://all","name":"all","mimeType":"text/plain"}]
	// no notes
}

// A search waits for servers that connect, and names those that have failed.
func ExampleServers_Search() {
	session, err := pegboard.NewSession(pegboard.SessionConfig{})
	check(err)
	defer func() { check(session.Close(context.Background())) }()
	var registry pegboard.Registry
	servers := mcp.Start(session, &registry, mcp.Options{}, mcpjson.Server{Name: "gone", Type: mcpjson.Stdio, Command: "no-such-program"})
	check(registry.Add(pegboard.ToolSearch(servers.Search())))
	pool := registry.AssemblePool(session, pegboard.PoolConfig{})
	var executor pegboard.Executor
	out := executor.Run(context.Background(), pool, pegboard.Call{ID: "1", Name: "ToolSearch", Input: json.RawMessage(`{"query":"weather"}`)})
	fmt.Println(out[0].Result.Text())
	// Output: No tool matches; 0 can be found. Use the tools that you were given. These servers cannot be reached, so their tools are not there: gone.
}

func ExampleServers_Prompts() {
	c := talk(pegboard.SessionConfig{}, mcp.Options{})
	defer c.close()
	prompts, err := c.servers.Prompts(context.Background())
	check(err)
	for _, p := range prompts {
		fmt.Printf("/mcp__%s__%s: %s %v\n", p.Server, p.Name, p.Description, p.Arguments)
	}
	// Output: /mcp__notes__tidy: Tidies the notes. [{about  true}]
}

func ExampleServers_Skills() {
	c := talk(pegboard.SessionConfig{}, mcp.Options{})
	defer c.close()
	found, err := c.servers.Skills(context.Background())
	check(err)
	for _, s := range found {
		fmt.Printf("/%s %s: %s\n", s.Name, s.ArgumentHint, s.Description)
	}
	// Output: /mcp__notes__tidy <about>: Tidies the notes.
}

func ExampleServers_Prompt() {
	c := talk(pegboard.SessionConfig{}, mcp.Options{})
	defer c.close()
	parts, err := c.servers.Prompt(context.Background(), "notes", "tidy", map[string]string{"about": "food"})
	check(err)
	for _, p := range parts {
		fmt.Println(p.Text)
	}
	// Output: Tidy the notes about food.
}

// A hook of the host calls a tool that no rule of the model is about.
func ExampleServers_Invoke() {
	c := talk(pegboard.SessionConfig{}, mcp.Options{})
	defer c.close()
	result, err := c.servers.Invoke(context.Background(), "notes", "add", json.RawMessage(`{"text":"the turn has ended"}`))
	check(err)
	fmt.Println(result.Text())
	// Output: note 1: the turn has ended
}

// The notes are in the memory of the server's process, which Reconnect replaces.
func ExampleServers_Reconnect() {
	c := talk(pegboard.SessionConfig{}, mcp.Options{})
	defer c.close()
	fmt.Println(c.call("mcp__notes__add", `{"text":"buy milk"}`))
	check(c.servers.Reconnect(context.Background(), "notes"))
	fmt.Println(c.call("mcp__notes__add", `{"text":"buy bread"}`))
	// Output:
	// note 1: buy milk
	// note 1: buy bread
}

// Close ends the servers before the session does. A call afterwards fails with a
// *mcp.ServerError.
func ExampleServers_Close() {
	c := talk(pegboard.SessionConfig{}, mcp.Options{})
	defer c.close()
	check(c.servers.Close(context.Background()))
	_, err := c.servers.Invoke(context.Background(), "notes", "add", json.RawMessage(`{"text":"too late"}`))
	fmt.Println(err)
	// Output: the MCP server "notes" was closed; go on without it
}

// The host follows the states, such as for a list on the screen.
func ExampleOptions() {
	ready := make(chan mcp.State, 1)
	c := talk(pegboard.SessionConfig{}, mcp.Options{
		Trusted: func(s mcpjson.Server) bool { return s.Source == "~/.config/own.json" },
		OnState: func(s mcp.State) {
			if s.Status == mcp.Ready && !s.Changed {
				select {
				case ready <- s:
				default:
				}
			}
		},
	})
	defer c.close()
	s := <-ready
	fmt.Println(s.Server, s.Version, s.Tools)
	// Output: notes 1.0.0 2
}

// The texts of errors are for the model.
func ExampleServerError() {
	for _, status := range []mcp.Status{mcp.Pending, mcp.NeedsAuthorization, mcp.Failed, mcp.Closed} {
		fmt.Println(&mcp.ServerError{Server: "notes", Status: status})
	}
	err := &mcp.ServerError{Server: "notes", Status: mcp.Pending, Err: mcp.ErrSlowStart}
	fmt.Println(errors.Is(err, mcp.ErrSlowStart))
	// Output:
	// the MCP server "notes" is not connected at the moment; it is being connected, try again later
	// the MCP server "notes" needs the user to log in; call McpAuth with this server, then try again
	// the MCP server "notes" is not connected, and no more attempts are made; go on without it
	// the MCP server "notes" was closed; go on without it
	// true
}

// aTalk is a conversation of the examples: one server, which has connected, and rules that
// allow its tools.
type aTalk struct {
	session  *pegboard.Session
	registry pegboard.Registry
	servers  *mcp.Servers
	executor pegboard.Executor
}

func talk(cfg pegboard.SessionConfig, o mcp.Options) *aTalk {
	var err error
	cfg.Permissions, err = policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"mcp__notes", "ListMcpResources", "ReadMcpResource"}})
	check(err)
	c := &aTalk{}
	c.session, err = pegboard.NewSession(cfg)
	check(err)
	c.servers = mcp.Start(c.session, &c.registry, o, mcpjson.Server{Name: "notes", Type: mcpjson.Stdio, Command: exampleProgram(), Env: exampleEnv()})
	check(c.registry.Add(c.servers.Tools()...))
	check(c.servers.Ready(context.Background()))
	c.servers.Sync(context.Background())
	return c
}

func (c *aTalk) close() { check(c.session.Close(context.Background())) }

func (c *aTalk) pool() *pegboard.Pool {
	return c.registry.AssemblePool(c.session, pegboard.PoolConfig{Gates: pegboard.Gates{Resources: true}})
}

// call makes a call as the model does and returns what the model gets.
func (c *aTalk) call(tool, input string) string {
	out := c.executor.Run(context.Background(), c.pool(), pegboard.Call{ID: "1", Name: tool, Input: json.RawMessage(input)})
	var texts []string
	for _, p := range out[0].Result.Parts { // also documents, which Result.Text leaves out
		texts = append(texts, p.Text)
	}
	return strings.Join(texts, "\n")
}

// tools returns the names of the server's tools in a pool of now.
func (c *aTalk) tools() (names []string) {
	for t := range c.pool().All() {
		if name := t.Info().Name; strings.HasPrefix(name, "mcp__") {
			names = append(names, name)
		}
	}
	return names
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
