package main

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"

	"github.com/seed49eaa51d/pegboard"
	wires "github.com/seed49eaa51d/pegboard/wire/openai/responses"
)

// responsesModel speaks the Responses API through openai-go, by its Post. Nothing is
// stored with the service: the history carries the reasoning, encrypted.
type responsesModel struct {
	client openai.Client
	model  string
}

func newResponses(_ context.Context, e endpoint) (model, error) {
	return responsesModel{client: newOpenAI(e), model: e.model}, nil
}

func (m responsesModel) question(text string) json.RawMessage {
	return encoded(responses.EasyInputMessageParam{
		Type: responses.EasyInputMessageTypeMessage, Role: responses.EasyInputMessageRoleUser,
		Content: responses.EasyInputMessageContentUnionParam{OfString: openai.String(text)},
	})
}

func (m responsesModel) send(ctx context.Context, pool *pegboard.Pool, history []json.RawMessage, show func(event)) (turn, error) {
	wire := wires.New(pool)
	body, err := encode(responses.ResponseNewParams{
		Model: m.model, Instructions: openai.String(system), Store: openai.Bool(false),
		Include: []responses.ResponseIncludable{responses.ResponseIncludableReasoningEncryptedContent},
	}, member{"stream", json.RawMessage("true")}, member{"tools", wire.Tools()}, member{"input", list(history)})
	if err != nil {
		return turn{}, err
	}
	var response *http.Response
	if err := m.client.Post(ctx, "responses", body, &response); err != nil {
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
