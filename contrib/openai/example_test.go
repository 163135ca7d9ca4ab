package openai_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"slices"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"

	"github.com/seed49eaa51d/pegboard"
	pegboardopenai "github.com/seed49eaa51d/pegboard/contrib/openai"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// notes returns a session in a new directory, whose files in notes may be written, and a registry
// with tools for files.
func notes() (*pegboard.Session, *pegboard.Registry, error) {
	dir, err := os.MkdirTemp("", "notes")
	if err != nil {
		return nil, nil, err
	}
	permissions, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"Edit(/notes/**)"}})
	if err != nil {
		return nil, nil, err
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{Dir: dir, Permissions: permissions})
	if err != nil {
		return nil, nil, err
	}
	registry := &pegboard.Registry{}
	return session, registry, registry.Add(files.Write(files.WriteOptions{}), files.Read(files.ReadOptions{}))
}

// A loop of the program's own, with the SDK's types.
func ExampleRunResponse() {
	ctx := context.Background()
	session, registry, err := notes()
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(session.Dir())
	defer session.Close(ctx)

	// In the place of the service.
	server := httptest.NewServer(tooltest.Provider{Turns: []tooltest.Turn{
		{Calls: []pegboard.Call{
			{Name: "Write", Input: json.RawMessage(`{"file_path":"notes/a","content":"hello"}`)},
			{Name: "Read", Input: json.RawMessage(`{"file_path":"notes/a"}`)},
		}},
		{Text: "I wrote it."},
	}})
	defer server.Close()
	client := sdk.NewClient(option.WithAPIKey("key"), option.WithBaseURL(server.URL))

	var executor pegboard.Executor
	session.NewTurn() // the user has sent a message
	input := responses.ResponseInputParam{responses.ResponseInputItemParamOfMessage("Write hello.", responses.EasyInputMessageRoleUser)}
	for {
		pool := registry.AssemblePool(session, pegboard.PoolConfig{})
		response, err := client.Responses.New(ctx, responses.ResponseNewParams{
			Model: "gpt-5.4", Tools: pegboardopenai.ResponseTools(pool), Input: responses.ResponseNewParamsInputUnion{OfInputItemList: input},
		})
		if err != nil {
			panic(err)
		}
		turn, err := pegboardopenai.RunResponse(ctx, &executor, pool, response)
		if err != nil {
			panic(err)
		}
		for _, o := range turn.Outcomes {
			fmt.Println(o.Call.Name, o.Err)
		}
		input = slices.Concat(input, turn.History, turn.Results)
		if turn.Done {
			fmt.Println(response.OutputText())
			return
		}
	}
	// Output:
	// Write <nil>
	// Read <nil>
	// I wrote it.
}

// An agent that lives at the service uses tools of this program.
func ExampleStream() {
	ctx := context.Background()
	session, registry, err := notes()
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(session.Dir())
	defer session.Close(ctx)

	// In the place of the service. The agent was made with AgentTools.
	service := newAgentService(pegboard.Call{Name: "Write", Input: json.RawMessage(`{"file_path":"b","content":"hello"}`)})
	server := httptest.NewServer(service)
	defer server.Close()
	client := sdk.NewClient(option.WithAPIKey("key"), option.WithBaseURL(server.URL))

	session.NewTurn() // the user has sent a message
	pool := registry.AssemblePool(session, pegboard.PoolConfig{})
	stream := pegboardopenai.Stream(ctx, client, "session", &pegboard.Executor{OnEvent: func(e pegboard.Event) {
		if e.Kind == pegboard.EventFinished {
			fmt.Println(e.Call.Name, e.Outcome.Decision.Behavior)
		}
	}}, pool, sdk.AgentSessionStreamParams{Input: "Write hello."})
	defer stream.Close()
	for stream.Next() {
	}
	fmt.Println(stream.Err())
	// Output:
	// Write deny
	// <nil>
}
