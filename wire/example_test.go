package wire_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/anthropic"
	"github.com/seed49eaa51d/pegboard/wire/gemini"
	"github.com/seed49eaa51d/pegboard/wire/openai/chat"
)

// harbour returns a pool of one tool.
func harbour() *pegboard.Pool {
	type input struct {
		Port string `json:"port"`
	}
	var registry pegboard.Registry
	err := registry.Add(pegboard.Build(pegboard.Definition[input, string]{
		Info:        pegboard.Info{Name: "harbour.tide"},
		Description: "Tells when the water is high.",
		Traits:      pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared},
		Call: func(_ context.Context, in input, _ *pegboard.Call) (string, error) {
			return "high water at 13:04", nil
		},
	}))
	if err != nil {
		panic(err)
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{})
	if err != nil {
		panic(err)
	}
	return registry.AssemblePool(session, pegboard.PoolConfig{})
}

// A host holds one variable and chooses the provider at run time.
func ExampleCodec() {
	choose := map[string]func(*pegboard.Pool) wire.Codec{
		"anthropic": func(p *pegboard.Pool) wire.Codec { return anthropic.New(p, anthropic.Config{Cache: true}) },
		"openai":    func(p *pegboard.Pool) wire.Codec { return chat.New(p, chat.Config{}) },
		"gemini":    func(p *pegboard.Pool) wire.Codec { return gemini.New(p, gemini.Config{}) },
	}
	pool := harbour()
	codec := choose["openai"](pool)
	history := codec.User(pegboard.Part{Text: "When is high water?"})

	// The host sends codec.Tools() and history, and gets this body:
	body := `{"choices":[{"message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function",` +
		`"function":{"name":"` + codec.Name("harbour.tide") + `","arguments":"{\"port\":\"Bergen\"}"}}]},"finish_reason":"tool_calls"}]}`
	reply := codec.Read(strings.NewReader(body))
	for event := range reply.Events() {
		if event.Call != nil {
			fmt.Println(event.Call.Name, string(event.Call.Input))
		}
	}
	message, err := reply.Message()
	if err != nil {
		fmt.Println(err) // a *wire.APIError, or the reply was cut or malformed
		return
	}

	var executor pegboard.Executor
	outcomes := executor.Run(context.Background(), pool, message.Calls...)
	history = append(history, message.History...)
	history = append(history, codec.Results(message, outcomes)...)
	for _, m := range history {
		fmt.Println(string(m))
	}

	// Output:
	// harbour.tide {"port":"Bergen"}
	// {"role":"user","content":"When is high water?"}
	// {"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"harbour_tide_26cd4736a8cc","arguments":"{\"port\":\"Bergen\"}"}}]}
	// {"role":"tool","tool_call_id":"call_1","content":"high water at 13:04"}
}

// A gateway answers for the provider, and not in the form of its API.
func ExampleReadResponse() {
	response := &http.Response{
		StatusCode: http.StatusTooManyRequests,
		Header:     http.Header{"Retry-After": {"20"}},
		Body:       io.NopCloser(strings.NewReader("<html>slow down</html>")),
	}
	codec := anthropic.New(harbour(), anthropic.Config{})
	_, err := wire.ReadResponse(codec, response).Message()
	fmt.Println(err)
	if after, ok := wire.Retryable(err); ok {
		fmt.Println("once more after", after)
	}

	// Output:
	// Too Many Requests (429): "<html>slow down</html>"; retry after 20s
	// once more after 20s
}

// A user interface shows the file that is being written before the call is complete.
func ExamplePartialCall() {
	call := wire.PartialCall{ID: "call_1", Name: "Write", Text: `{"file_path": "notes.md", "content": "# No`}
	fmt.Println(call.Name, string(call.Input()))

	// Output:
	// Write {"file_path": "notes.md", "content": "# No"}
}

// The host crashed while a call ran. Normalize answers the call, so that the provider
// takes the next request.
func ExampleRepair() {
	codec := anthropic.New(harbour(), anthropic.Config{})
	messages, repairs := codec.Normalize([]json.RawMessage{
		json.RawMessage(`{"role":"user","content":"When is high water?"}`),
		json.RawMessage(`{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"harbour_tide","input":{}}]}`),
		json.RawMessage(`{"role":"user","content":"Are you there?"}`),
	})
	for _, r := range repairs {
		fmt.Printf("message %d: %s %s\n", r.Message, r.Kind, r.CallID)
	}
	fmt.Println(len(messages), "messages to send")

	// Output:
	// message 1: missing result toolu_1
	// 3 messages to send
}

// Lint shows at the start of a program how a provider would get the tools.
func ExampleLint() {
	for _, problem := range wire.Lint(harbour(), wire.Gemini) {
		fmt.Println(problem)
	}

	// Output:
	// harbour.tide: its name is sent as harbour_tide_26cd4736a8cc; Gemini takes 1 to 63 letters, digits, _ and -, the first no digit and no -
}

// A host adds up what the replies of a conversation took.
func ExampleUsage_Plus() {
	var all wire.Usage
	for _, used := range []wire.Usage{{Input: 900, Output: 80, USD: 0.5}, {Input: 20, CacheRead: 980, Output: 40, USD: 0.25}} {
		all = all.Plus(used)
	}
	fmt.Println(all.Output, all.CacheRead, all.USD)
	// Output: 120 980 0.75
}

func ExampleUsage_Tokens() {
	fmt.Println(wire.Usage{Input: 20, CacheRead: 980, Output: 40, Thinking: 30}.Tokens())
	// Output: 1040
}
