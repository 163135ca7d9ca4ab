package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
)

// system returns the system prompt. The model learns its working directory nowhere else.
func system(s *pegboard.Session) string {
	return "You are an agent in the repository " + s.Cwd() + ". Use the tools to answer the user's question, then say what you found in two sentences."
}

// A client talks to the Messages API, real or replayed.
type client struct {
	address, key, model string
}

// maxAttempts is how often a request is sent.
const maxAttempts = 4

// send requests the next message, passes its text to text as it arrives, and returns
// the message. It sends the request again after an error that may pass, unless text has
// been shown already.
func (c client) send(ctx context.Context, codec wire.Codec, system string, history []json.RawMessage, text func(string)) (*wire.Message, error) {
	shown := false
	show := func(piece string) {
		shown = true
		text(piece)
	}
	for attempt := 1; ; attempt++ {
		message, err := c.attempt(ctx, codec, system, history, show)
		after, retry := wire.Retryable(err)
		if !retry || shown || attempt == maxAttempts {
			return message, err
		}
		if after == 0 { // the service does not say
			after = time.Second << (attempt - 1)
		}
		select {
		case <-time.After(after):
		case <-ctx.Done():
			return message, context.Cause(ctx)
		}
	}
}

func (c client) attempt(ctx context.Context, codec wire.Codec, system string, history []json.RawMessage, text func(string)) (*wire.Message, error) {
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
	reply := wire.ReadResponse(codec, response)
	for e := range reply.Events() {
		if e.Text != "" {
			text(e.Text)
		}
	}
	return reply.Message()
}
