package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/seed49eaa51d/pegboard/wire"
)

const system = "You are an agent in a repository. Use the tools to answer the user's question, then say what you found in two sentences."

// A client talks to the Messages API, real or replayed.
type client struct {
	address, key, model string
}

// send requests the next message, passes its text to text as it arrives, and returns
// the message.
func (c client) send(ctx context.Context, codec wire.Codec, history []json.RawMessage, text func(string)) (*wire.Message, error) {
	body, err := json.Marshal(map[string]any{
		"model": c.model, "max_tokens": 4096, "stream": true, "system": system,
		"tools": codec.Tools(), "messages": history,
	})
	if err != nil {
		return nil, fmt.Errorf("encode the request: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.address+"/v1/messages", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Anthropic-Version", "2023-06-01")
	request.Header.Set("X-Api-Key", c.key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	reply := codec.Read(response.Body)
	for e := range reply.Events() {
		if e.Text != "" {
			text(e.Text)
		}
	}
	return reply.Message()
}
