package main

import (
	"context"
	"encoding/json"
	"net/http"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire/anthropic"
)

// anthropicModel speaks the Messages API through anthropic-sdk-go.
//
// The SDK's door is its Post: a []byte goes out as it is, and a *http.Response is
// handed out unread. Keys, headers, retries and typed errors stay the SDK's.
type anthropicModel struct {
	client sdk.Client
	model  string
}

func newAnthropic(_ context.Context, e endpoint) (model, error) {
	options := []option.RequestOption{option.WithoutEnvironmentDefaults(), option.WithAPIKey(e.key)}
	if e.address != "" {
		options = append(options, option.WithBaseURL(e.address))
	}
	return anthropicModel{client: sdk.NewClient(options...), model: e.model}, nil
}

func (m anthropicModel) question(text string) json.RawMessage {
	return encoded(sdk.NewUserMessage(sdk.NewTextBlock(text)))
}

func (m anthropicModel) send(ctx context.Context, pool *pegboard.Pool, history []json.RawMessage, show func(event)) (turn, error) {
	wire := anthropic.New(pool)
	body, err := encode(sdk.MessageNewParams{
		Model: m.model, MaxTokens: 4096, System: []sdk.TextBlockParam{{Text: system}},
	}, member{"stream", json.RawMessage("true")}, member{"tools", wire.Tools()}, member{"messages", list(history)})
	if err != nil {
		return turn{}, err
	}
	var response *http.Response
	if err := m.client.Post(ctx, "v1/messages", body, &response); err != nil {
		return turn{}, err // an *sdk.Error, if the API answered
	}
	defer func() { _ = response.Body.Close() }()
	reply := wire.Read(response.Body)
	for e := range reply.Events() {
		show(event(e))
	}
	message, err := reply.Message()
	if err != nil {
		return turn{}, err
	}
	return turn{calls: message.Calls, history: message.History(), results: message.Results}, nil
}
