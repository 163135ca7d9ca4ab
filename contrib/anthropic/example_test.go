package anthropic_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/seed49eaa51d/pegboard"
	pegboardanthropic "github.com/seed49eaa51d/pegboard/contrib/anthropic"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// The SDK's runner writes and reads files, as far as the rules allow it.
func ExampleNewToolRunner() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "runner")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	permissions, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"Edit(/notes/**)"}})
	if err != nil {
		panic(err)
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{Dir: dir, Permissions: permissions})
	if err != nil {
		panic(err)
	}
	defer session.Close(ctx)
	var registry pegboard.Registry
	if err := registry.Add(files.Write(files.WriteOptions{}), files.Read(files.ReadOptions{})); err != nil {
		panic(err)
	}

	// In the place of the service.
	server := httptest.NewServer(tooltest.Provider{Turns: []tooltest.Turn{
		{Calls: []pegboard.Call{
			{Name: "Write", Input: json.RawMessage(`{"file_path":"notes/a","content":"hello"}`)},
			{Name: "Read", Input: json.RawMessage(`{"file_path":"notes/a"}`)},
		}, Expect: func(o []pegboard.Outcome) error {
			fmt.Println(o[1].Result.Text())
			return nil
		}},
		{Text: "I wrote it."},
	}})
	defer server.Close()
	client := sdk.NewClient(option.WithAPIKey("key"), option.WithBaseURL(server.URL))

	var executor pegboard.Executor
	session.NewTurn() // the user has sent a message
	pool := registry.AssemblePool(session, pegboard.PoolConfig{})
	runner := pegboardanthropic.NewToolRunner(client, &executor, pool, sdk.BetaToolRunnerParams{BetaMessageNewParams: sdk.BetaMessageNewParams{
		Model: "claude-opus-4-6", MaxTokens: 1000, Messages: []sdk.BetaMessageParam{sdk.NewBetaUserMessage(sdk.NewBetaTextBlock("Write hello."))},
	}})
	message, err := runner.RunToCompletion(ctx)
	if err != nil {
		panic(err)
	}
	fmt.Println(message.Content[0].Text)
	// Output:
	// 1	hello
	// I wrote it.
}
