package main

import (
	"context"
	"encoding/json"
	"net/http"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
)

// dialAnthropic sends to the Messages API through anthropic-sdk-go.
//
// The SDK's way for raw JSON is its Post: a []byte is sent as it is, and a *http.Response
// is returned unread. Keys, headers, retries and typed errors stay the SDK's.
func dialAnthropic(_ context.Context, e endpoint) (sender, error) {
	options := []option.RequestOption{option.WithoutEnvironmentDefaults(), option.WithAPIKey(e.key)}
	if e.address != "" {
		options = append(options, option.WithBaseURL(e.address))
	}
	client := sdk.NewClient(options...)
	return func(ctx context.Context, tools json.RawMessage, messages []json.RawMessage) (*http.Response, error) {
		body, err := encode(sdk.MessageNewParams{
			Model: e.model, MaxTokens: 4096, System: []sdk.TextBlockParam{{Text: system}},
		}, member{"stream", json.RawMessage("true")}, member{"tools", tools}, member{"messages", list(messages)})
		if err != nil {
			return nil, err
		}
		var response *http.Response
		if err := client.Post(ctx, "v1/messages", body, &response); err != nil {
			return nil, err // an *sdk.Error, if the API answered
		}
		return response, nil
	}, nil
}
