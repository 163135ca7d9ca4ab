package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire/openai/chat"
)

// chatModel speaks Chat Completions through openai-go, by its Post.
type chatModel struct {
	client openai.Client
	model  string
}

func newChat(_ context.Context, e endpoint) (model, error) {
	return chatModel{client: newOpenAI(e), model: e.model}, nil
}

func newOpenAI(e endpoint) openai.Client {
	options := []option.RequestOption{option.WithAPIKey(e.key)}
	if e.address != "" {
		options = append(options, option.WithBaseURL(e.address))
	}
	return openai.NewClient(options...)
}

// explained returns an error of the SDK with what the API said, which its text leaves
// out. It wraps an *openai.Error, if the API answered.
func explained(err error) error {
	var refused *openai.Error
	if errors.As(err, &refused) {
		return fmt.Errorf("%s: %w", refused.Message, err)
	}
	return err
}

func (m chatModel) question(text string) json.RawMessage { return encoded(openai.UserMessage(text)) }

func (m chatModel) send(ctx context.Context, pool *pegboard.Pool, history []json.RawMessage, show func(event)) (turn, error) {
	wire := chat.New(pool)
	messages := append([]json.RawMessage{encoded(openai.SystemMessage(system))}, history...)
	body, err := encode(openai.ChatCompletionNewParams{
		Model: m.model, StreamOptions: openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)},
	},
		member{"stream", json.RawMessage("true")}, member{"tools", wire.Tools()},
		member{"messages", list(messages)})
	if err != nil {
		return turn{}, err
	}
	var response *http.Response
	if err := m.client.Post(ctx, "chat/completions", body, &response); err != nil {
		return turn{}, explained(err)
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
