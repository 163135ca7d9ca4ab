package serve_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/serve"
)

// A note is the input of the examples' tool.
type aNote struct {
	Text string `json:"text"`
}

// noteServer serves a tool that writes notes. Each client is asked before the first one.
func noteServer() *serve.Server {
	var registry pegboard.Registry
	check(registry.Add(pegboard.Build(pegboard.Definition[aNote, string]{
		Info: pegboard.Info{Name: "Note"}, Description: "Writes a note.",
		Inspect: func(in aNote, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{Targets: []policy.Target{{Kind: policy.Resource, Value: "notes"}}}
		},
		Call: func(_ context.Context, in aNote, _ *pegboard.Call) (string, error) { return "Noted: " + in.Text, nil },
	})))
	var s *serve.Server
	s, err := serve.New(serve.Options{
		Name: "notes", Version: "1.0.0",
		Open: func(context.Context, serve.Client) (*pegboard.Session, func() *pegboard.Pool, error) {
			session, err := pegboard.NewSession(pegboard.SessionConfig{Dir: os.TempDir(), Ask: s.Ask, Elicit: s.Elicit})
			return session, func() *pegboard.Pool { return registry.AssemblePool(session, pegboard.PoolConfig{}) }, err
		},
	})
	check(err)
	return s
}

// A client over HTTP calls a tool. The person at the client is asked, with the rules that
// the answer may add, and asks the server not to ask again.
func Example() {
	s := noteServer()
	web := httptest.NewServer(s.Handler())
	defer web.Close()

	client := mcp.NewClient(&mcp.Implementation{Name: "example", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			fmt.Println(strings.Split(r.Params.Message, "\nReason")[0])
			for _, answer := range answersOf(r.Params) {
				fmt.Println(" *", answer)
			}
			return answerLast(r.Params)
		},
	})
	session, err := client.Connect(context.Background(), &mcp.StreamableClientTransport{Endpoint: web.URL}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	check(err)
	for _, text := range []string{"milk", "bread"} {
		r, err := session.CallTool(context.Background(), &mcp.CallToolParams{Name: "Note", Arguments: aNote{text}})
		check(err)
		fmt.Println(words(r))
	}
	check(session.Close())
	check(s.Close(context.Background()))
	// Output:
	// Allow this call?
	// Note notes
	// - resource: write notes
	//  * Allow once
	//  * Deny
	//  * Allow, and from now on: allow Note(notes) in session
	//  * Allow, and from now on: allow Note in session
	// Noted: milk
	// Noted: bread
}

// A program that serves its tools to the program that has started it. Here one request
// comes, from a client that cannot be asked.
func ExampleServer_Stdio() {
	request := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"Note","arguments":{"text":"milk"},"_meta":{` +
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}` + "\n"
	input, requests, err := os.Pipe()
	check(err)
	answers, output, err := os.Pipe()
	check(err)
	standardInput, standardOutput := os.Stdin, os.Stdout
	os.Stdin, os.Stdout = input, output

	ended := make(chan error)
	go func() { ended <- noteServer().Stdio(context.Background()) }()
	_, err = requests.WriteString(request)
	check(err)
	answer, err := bufio.NewReader(answers).ReadBytes('\n')
	check(err)
	check(requests.Close()) // the client leaves
	check(<-ended)
	os.Stdin, os.Stdout = standardInput, standardOutput

	var message struct {
		Result mcp.CallToolResult `json:"result"`
	}
	check(json.Unmarshal(answer, &message))
	fmt.Println(message.Result.IsError)
	fmt.Println(words(&message.Result))
	// Output:
	// true
	// Note was denied: no rule allows it: Note wants to write notes, and nobody can be asked; the allow rule Note(notes) would permit it. No person refused it; do something else or tell the user what is needed.
}

// A tool asks the user of the client for a value, in the middle of a call.
func ExampleServer_Elicit() {
	var registry pegboard.Registry
	check(registry.Add(pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Greet"}, Description: "Greets the user.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(ctx context.Context, _ struct{}, c *pegboard.Call) (string, error) {
			filled, err := c.Session().Elicit(ctx, pegboard.Elicitation{From: "greeter", Message: "What is your name?", Schema: json.RawMessage(nameSchema)})
			return fmt.Sprintf("%s: %s", filled.Action, filled.Content), err
		},
	})))
	var s *serve.Server
	s, err := serve.New(serve.Options{Open: func(context.Context, serve.Client) (*pegboard.Session, func() *pegboard.Pool, error) {
		permissions, err := policy.New(policy.ModeDefault, policy.RuleSet{Source: policy.SourceUser, Allow: []string{"Greet"}})
		check(err)
		session, err := pegboard.NewSession(pegboard.SessionConfig{Dir: os.TempDir(), Permissions: permissions, Elicit: s.Elicit})
		return session, func() *pegboard.Pool { return registry.AssemblePool(session, pegboard.PoolConfig{}) }, err
	}})
	check(err)
	web := httptest.NewServer(s.Handler())
	defer web.Close()
	session, err := client("example", filling("Ann")).Connect(context.Background(), &mcp.StreamableClientTransport{Endpoint: web.URL}, nil)
	check(err)
	r, err := session.CallTool(context.Background(), &mcp.CallToolParams{Name: "Greet"})
	check(err)
	fmt.Println(words(r))
	check(session.Close())
	check(s.Close(context.Background()))
	// Output: accept: {"name":"Ann"}
}

// A tool is added while a client is connected.
func ExampleServer_Refresh() {
	var registry pegboard.Registry
	check(registry.Add(constant("first")))
	s, err := serve.New(serve.Options{Open: func(context.Context, serve.Client) (*pegboard.Session, func() *pegboard.Pool, error) {
		session, err := pegboard.NewSession(pegboard.SessionConfig{Dir: os.TempDir()})
		return session, func() *pegboard.Pool { return registry.AssemblePool(session, pegboard.PoolConfig{}) }, err
	}})
	check(err)
	web := httptest.NewServer(s.Handler())
	defer web.Close()
	changed, tell := context.WithCancel(context.Background())
	client := mcp.NewClient(&mcp.Implementation{Name: "example", Version: "1"}, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { tell() }, // perhaps more than once
	})
	session, err := client.Connect(context.Background(), &mcp.StreamableClientTransport{Endpoint: web.URL}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	check(err)

	check(registry.Add(constant("second")))
	s.Refresh()
	<-changed.Done()
	for tool, err := range session.Tools(context.Background(), nil) {
		check(err)
		fmt.Println(tool.Name)
	}
	check(session.Close())
	check(s.Close(context.Background()))
	// Output:
	// first
	// second
}

// words returns the text of a result.
func words(r *mcp.CallToolResult) string {
	text, ok := r.Content[0].(*mcp.TextContent)
	if !ok {
		panic("the result is no text")
	}
	return text.Text
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
