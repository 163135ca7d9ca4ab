package cookbook_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/anthropic"
	"github.com/seed49eaa51d/pegboard/wire/gemini"
	"github.com/seed49eaa51d/pegboard/wire/openai/chat"
)

// codecs are the providers that the user may choose.
var codecs = map[string]func(*pegboard.Pool) wire.Codec{
	"anthropic": func(p *pegboard.Pool) wire.Codec { return anthropic.New(p, anthropic.Config{Cache: true}) },
	"openai":    func(p *pegboard.Pool) wire.Codec { return chat.New(p, chat.Config{}) },
	"gemini":    func(p *pegboard.Pool) wire.Codec { return gemini.New(p, gemini.Config{}) },
}

// answers runs the calls of a reply, and returns the messages that the history gets.
func answers(ctx context.Context, codec wire.Codec, pool *pegboard.Pool, reply io.Reader) ([]json.RawMessage, error) {
	message, err := codec.Read(reply).Message()
	if err != nil {
		return nil, err // a *wire.APIError, or the reply was cut
	}
	var executor pegboard.Executor
	outcomes := executor.Run(ctx, pool, message.Calls...)
	return append(message.History, codec.Results(message, outcomes)...), nil
}

func Example_anotherProvider() {
	session, err := pegboard.NewSession(pegboard.SessionConfig{})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close(context.Background())
	var registry pegboard.Registry
	if err := registry.Add(countWords); err != nil {
		log.Fatal(err)
	}
	pool := registry.AssemblePool(session, pegboard.PoolConfig{})
	for _, provider := range []string{"openai", "gemini"} {
		codec := codecs[provider](pool)
		history := codec.User(pegboard.Part{Text: "How long is it?"})
		replies, err := answers(context.Background(), codec, pool, strings.NewReader(bodies[provider]))
		if err != nil {
			log.Fatal(err)
		}
		history = append(history, replies...) // the next request sends it
		fmt.Println(string(history[len(history)-1]))
	}
	// Output:
	// {"role":"tool","tool_call_id":"call_1","content":"2 words"}
	// {"role":"user","parts":[{"functionResponse":{"name":"CountWords","response":{"output":"2 words"}}}]}
}

// bodies are replies of the providers.
var bodies = map[string]string{
	"openai": `{"choices":[{"message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function",` +
		`"function":{"name":"CountWords","arguments":"{\"text\":\"to be\"}"}}]},"finish_reason":"tool_calls"}]}`,
	"gemini": `{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"CountWords","args":{"text":"to be"}}}]},"finishReason":"STOP"}]}`,
}
