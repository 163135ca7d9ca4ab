package cookbook_test

import (
	"context"
	"fmt"
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
		// The host sends codec.Tools() and history, and gets this body:
		message, err := codec.Read(strings.NewReader(bodies[provider])).Message()
		if err != nil {
			log.Fatal(err) // a *wire.APIError, or the reply was cut
		}
		var executor pegboard.Executor
		outcomes := executor.Run(context.Background(), pool, message.Calls...)
		history = append(append(history, message.History...), codec.Results(message, outcomes)...)
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
