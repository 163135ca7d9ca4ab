package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"google.golang.org/genai"
)

// dialGemini sends to the Gemini API through google.golang.org/genai, by its [rawTransport].
func dialGemini(ctx context.Context, e endpoint) (sender, error) {
	client, err := genai.NewClient(ctx, &genai.ClientConfig{
		APIKey: e.key, Backend: genai.BackendGeminiAPI,
		HTTPClient:  &http.Client{Transport: rawTransport{next: http.DefaultTransport}},
		HTTPOptions: genai.HTTPOptions{BaseURL: e.address},
	})
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, tools json.RawMessage, messages []json.RawMessage) (*http.Response, error) {
		x := &exchange{members: []member{{"tools", tools}, {"contents", list(messages)}}}
		stream := client.Models.GenerateContentStream(withExchange(ctx, x), e.model, nil, &genai.GenerateContentConfig{
			SystemInstruction:     genai.NewContentFromText(system, ""),
			ThinkingConfig:        &genai.ThinkingConfig{IncludeThoughts: true},
			AutomaticContinuation: genai.Ptr(false), // the loop continues the conversation, not the SDK
		})
		for _, err := range stream {
			if err != nil {
				return nil, err // a genai.APIError, if the API answered
			}
		}
		if x.response == nil {
			return nil, errors.New("the SDK has made no request")
		}
		return x.response, nil
	}, nil
}
