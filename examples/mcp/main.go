// Command mcp goes both ways over MCP. It starts a server of its own, which is this program
// once more, and a scripted model uses its tools. The model finds them with ToolSearch. One of
// its calls is denied by a rule, one asks the user something, and one is stopped. The server
// offers a new tool, which the model sees after the host has called Sync. Then the client of
// the official SDK, which knows nothing of this library, calls the same server.
//
// If PEGBOARD_MCP_PROGRAMS names a folder with the npm package
// @modelcontextprotocol/server-everything, the model calls a tool of that, too.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/mcp"
	"github.com/seed49eaa51d/pegboard/tools/mcp/mcpjson"
)

// configuration is the text of a file .mcp.json.
const configuration = `{"mcpServers": {
  "library":    {"command": "${PROGRAM}", "args": ["serve"]},
  "everything": {"command": "node", "args": ["${PEGBOARD_MCP_PROGRAMS}/node_modules/@modelcontextprotocol/server-everything/dist/index.js"]}
}}`

func main() {
	run := both
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		run = serveLibrary
	}
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "mcp:", err)
		os.Exit(1)
	}
}

// both plays the model's conversation and the client's.
func both(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	program, err := os.Executable()
	if err != nil {
		return err
	}
	if err := converse(ctx, servers(program)); err != nil {
		return err
	}
	return visit(ctx, program)
}

// servers returns the servers of the configuration that are installed.
func servers(program string) []mcpjson.Server {
	configured, problems := mcpjson.Parse([]byte(configuration), func(name string) (string, bool) {
		if name == "PROGRAM" {
			return program, true
		}
		return os.LookupEnv(name)
	})
	for _, p := range problems {
		fmt.Println("configuration:", p.Server, "is left out:", p)
	}
	if len(configured) > 1 {
		_, missing := os.Stat(configured[1].Args[0])
		if _, err := exec.LookPath("node"); err != nil || missing != nil {
			return configured[:1]
		}
	}
	return configured
}

// converse lets the model use the servers.
func converse(ctx context.Context, configured []mcpjson.Server) (err error) {
	permissions, err := policy.New(policy.ModeDefault, policy.RuleSet{
		Allow: []string{"mcp__library", "mcp__everything__get-sum"},
		Deny:  []string{"mcp__library__Borrow(title:Ulysses)"},
	})
	if err != nil {
		return err
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{Permissions: permissions, Elicit: fill})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, session.Close(ctx)) }() // ends the servers
	h := &host{session: session}
	h.servers = mcp.Start(session, &h.registry, mcp.Options{}, configured...)
	if err := errors.Join(h.registry.Add(h.servers.Tools()...), h.registry.Add(pegboard.ToolSearch(h.servers.Search()))); err != nil {
		return err
	}
	if err := h.servers.Ready(ctx); err != nil { // an interactive host does not wait
		return err
	}
	h.turn(ctx)
	h.call(ctx, "ToolSearch", "query", "borrow a book")
	h.call(ctx, "mcp__library__Borrow", "title", "Emma")
	h.call(ctx, "mcp__library__Borrow", "title", "Ulysses")
	h.call(ctx, "mcp__library__Reserve", "title", "Ulysses")
	h.callUntilProgress(ctx, "mcp__library__TakeStock")

	fmt.Println("\nThe server gets a new tool.")
	h.call(ctx, "mcp__library__Open")
	for !h.servers.States()[0].Changed && ctx.Err() == nil { // only since this example has no user to wait for
		time.Sleep(10 * time.Millisecond)
	}
	h.call(ctx, "ToolSearch", "query", "select:mcp__library__Return")
	h.turn(ctx)
	h.call(ctx, "ToolSearch", "query", "select:mcp__library__Return")
	h.call(ctx, "mcp__library__Return", "title", "Emma")
	if len(configured) > 1 {
		fmt.Println("\nA server of others.")
		h.call(ctx, "ToolSearch", "query", "+everything sum of two numbers")
		h.call(ctx, "mcp__everything__get-sum", "a", 40, "b", 2)
	}
	return nil
}

// fill stands for the user. It answers each form with a day.
func fill(_ context.Context, f *pegboard.Elicitation) (pegboard.ElicitResult, error) {
	fmt.Printf("  %s asks the user: %s\n", f.From, f.Message)
	return pegboard.ElicitResult{Action: pegboard.ElicitAccept, Content: json.RawMessage(`{"day":"Friday"}`)}, nil
}

// A host has one conversation.
type host struct {
	session  *pegboard.Session
	registry pegboard.Registry
	servers  *mcp.Servers
	calls    int
}

// turn begins a turn, which takes over the changes of the servers.
func (h *host) turn(ctx context.Context) {
	h.session.NewTurn()
	for _, s := range h.servers.Sync(ctx) {
		fmt.Printf("%s %s is %s, speaks %s and has %d tools\n", s.Server, s.Version, s.Status, s.Protocol, s.Tools)
	}
}

// call makes a call and prints the result as the model gets it. Input lists names and values.
func (h *host) call(ctx context.Context, tool string, input ...any) {
	h.callWith(ctx, &pegboard.Executor{}, tool, input...)
}

// callUntilProgress makes a call and cancels it with its first report of progress.
func (h *host) callUntilProgress(ctx context.Context, tool string) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	h.callWith(ctx, &pegboard.Executor{OnEvent: func(e pegboard.Event) {
		if e.Kind == pegboard.EventProgress && ctx.Err() == nil {
			fmt.Println("  progress:", e.Text)
			stop(errors.New("the user pressed Escape"))
		}
	}}, tool)
}

func (h *host) callWith(ctx context.Context, executor *pegboard.Executor, tool string, input ...any) {
	members := map[string]any{}
	for i := 0; i < len(input); i += 2 {
		members[fmt.Sprint(input[i])] = input[i+1]
	}
	raw, err := json.Marshal(members)
	if err != nil {
		panic(err) // strings and numbers can be encoded
	}
	fmt.Printf("▸ %s %s\n", tool, raw)
	h.calls++
	pool := h.registry.AssemblePool(h.session, pegboard.PoolConfig{Gates: pegboard.Gates{Resources: true}})
	result := executor.Run(ctx, pool, pegboard.Call{ID: fmt.Sprint(h.calls), Name: tool, Input: raw})[0].Result
	for _, part := range result.Parts {
		if part.Tool != "" {
			fmt.Println("  found:", part.Tool)
		}
	}
	if text := strings.TrimSpace(result.Text()); text != "" {
		fmt.Println("  " + strings.ReplaceAll(text, "\n", "\n  "))
	}
}
