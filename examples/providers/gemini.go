package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"google.golang.org/genai"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire/gemini"
)

// geminiModel speaks the Gemini API through google.golang.org/genai, by its [door].
type geminiModel struct {
	client *genai.Client
	model  string
}

func newGemini(ctx context.Context, e endpoint) (model, error) {
	client, err := genai.NewClient(ctx, &genai.ClientConfig{
		APIKey: e.key, Backend: genai.BackendGeminiAPI,
		HTTPClient:  &http.Client{Transport: door{next: http.DefaultTransport}},
		HTTPOptions: genai.HTTPOptions{BaseURL: e.address},
	})
	return geminiModel{client: client, model: e.model}, err
}

func (m geminiModel) question(text string) json.RawMessage {
	return encoded(genai.NewContentFromText(text, genai.RoleUser))
}

func (m geminiModel) send(ctx context.Context, pool *pegboard.Pool, history []json.RawMessage, show func(event)) (turn, error) {
	wire := gemini.New(pool)
	x := &exchange{members: []member{{"tools", wire.Tools()}, {"contents", list(history)}}}
	stream := m.client.Models.GenerateContentStream(through(ctx, x), m.model, nil, &genai.GenerateContentConfig{
		SystemInstruction:     genai.NewContentFromText(system, ""),
		ThinkingConfig:        &genai.ThinkingConfig{IncludeThoughts: true},
		AutomaticContinuation: genai.Ptr(false), // the reply is not the SDK's to go on with
	})
	for _, err := range stream {
		if err != nil {
			return turn{}, err // a genai.APIError, if the API answered
		}
	}
	if x.response == nil {
		return turn{}, errors.New("the SDK has made no request")
	}
	defer func() { _ = x.response.Close() }()
	reply := wire.Read(x.response)
	for e := range reply.Events() {
		show(event(e))
	}
	message, err := reply.Message()
	if err != nil {
		return turn{}, err
	}
	return turn{calls: message.Calls, history: message.History(), results: message.Results}, nil
}
