package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
)

// dialChat sends to Chat Completions through openai-go, by its Post.
func dialChat(_ context.Context, e endpoint) (sender, error) {
	client := newOpenAI(e)
	first, err := json.Marshal(openai.SystemMessage(system))
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, tools json.RawMessage, messages []json.RawMessage) (*http.Response, error) {
		params := openai.ChatCompletionNewParams{
			Model: e.model, StreamOptions: openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)},
		}
		messages = slices.Concat([]json.RawMessage{first}, messages)
		return post(ctx, client, "chat/completions", params, member{"tools", tools}, member{"messages", list(messages)})
	}, nil
}

// dialResponses sends to Responses through openai-go, by its Post. The service stores
// nothing: the messages carry the reasoning, encrypted.
func dialResponses(_ context.Context, e endpoint) (sender, error) {
	client := newOpenAI(e)
	return func(ctx context.Context, tools json.RawMessage, messages []json.RawMessage) (*http.Response, error) {
		params := responses.ResponseNewParams{
			Model: e.model, Instructions: openai.String(system), Store: openai.Bool(false),
			Include: []responses.ResponseIncludable{responses.ResponseIncludableReasoningEncryptedContent},
		}
		return post(ctx, client, "responses", params, member{"tools", tools}, member{"input", list(messages)})
	}, nil
}

func newOpenAI(e endpoint) openai.Client {
	options := []option.RequestOption{option.WithAPIKey(e.key)}
	if e.address != "" {
		options = append(options, option.WithBaseURL(e.address))
	}
	return openai.NewClient(options...)
}

// post sends a request for a stream and returns the response, unread.
func post(ctx context.Context, client openai.Client, path string, params any, members ...member) (*http.Response, error) {
	body, err := encode(params, append(members, member{"stream", json.RawMessage("true")})...)
	if err != nil {
		return nil, err
	}
	var response *http.Response
	err = client.Post(ctx, path, body, &response)
	var refused *openai.Error
	switch {
	case errors.As(err, &refused): // the text of the error leaves out the API's message
		return nil, fmt.Errorf("%s: %w", refused.Message, err)
	case err != nil:
		return nil, err
	}
	return response, nil
}
