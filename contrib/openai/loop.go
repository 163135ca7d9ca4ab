package openai

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
	wirechat "github.com/seed49eaa51d/pegboard/wire/openai/chat"
	wireresponses "github.com/seed49eaa51d/pegboard/wire/openai/responses"
)

// A Turn is a message of the model, whose calls have run.
type Turn[Item any] struct {
	// History is the message as the next request holds it, and Results the answers to its calls, which
	// follow it. A request with previous_response_id takes Results alone. There are none while an outcome
	// is suspended.
	History, Results []Item
	// Outcomes are those of the calls, in their order.
	Outcomes []pegboard.Outcome
	// Done means that the user is next: the message has no calls, or an outcome has StopTurn. The
	// history needs the Results all the same.
	Done bool
}

// ResponseTools returns the tools of p for a request of the Responses API.
func ResponseTools(p *pegboard.Pool) []responses.ToolUnionParam {
	return items[responses.ToolUnionParam](elements(responsesCodec(p).Tools()))
}

// RunResponse runs the calls of a response as one message, in which their order holds. P is the
// pool of the request.
//
// If the response is no answer, no call of it runs, and the error is a [*wire.EndingError]. The Turn
// then answers the calls as not run; send it if the error says Continue. Other errors are those of a
// response that cannot be read, and have no Turn.
func RunResponse(ctx context.Context, e *pegboard.Executor, p *pegboard.Pool, r *responses.Response) (*Turn[responses.ResponseInputItemUnionParam], error) {
	return run[responses.ResponseInputItemUnionParam](ctx, e, p, responsesCodec(p), r.RawJSON())
}

// ChatTools returns the tools of p for a request of Chat Completions.
func ChatTools(p *pegboard.Pool) []sdk.ChatCompletionToolUnionParam {
	return items[sdk.ChatCompletionToolUnionParam](elements(chatCodec(p).Tools()))
}

// RunChat is [RunResponse] for the first choice of a completion. It may be that of an accumulator.
func RunChat(ctx context.Context, e *pegboard.Executor, p *pegboard.Pool, c *sdk.ChatCompletion) (*Turn[sdk.ChatCompletionMessageParamUnion], error) {
	reply := c.RawJSON()
	if reply == "" && len(c.Choices) > 0 { // it was accumulated
		text, err := json.Marshal(map[string]any{"id": c.ID, "model": c.Model, "choices": []any{
			map[string]any{"finish_reason": c.Choices[0].FinishReason, "message": c.Choices[0].Message.ToAssistantMessageParam()},
		}})
		if err != nil {
			return nil, err
		}
		reply = string(text)
	}
	return run[sdk.ChatCompletionMessageParamUnion](ctx, e, p, chatCodec(p), reply)
}

func responsesCodec(p *pegboard.Pool) wire.Codec {
	return wireresponses.New(p, wireresponses.Config{})
}

func chatCodec(p *pegboard.Pool) wire.Codec { return wirechat.New(p, wirechat.Config{}) }

func run[Item param.ParamStruct, P param.InferPtr[Item]](ctx context.Context, e *pegboard.Executor, p *pegboard.Pool, codec wire.Codec, reply string) (*Turn[Item], error) {
	m, err := codec.Read(strings.NewReader(reply)).Message()
	if err != nil {
		return nil, err
	}
	t := &Turn[Item]{History: items[Item, P](m.History)}
	if err = m.Err(); err == nil && len(m.Calls) == 0 {
		t.Done = true
		return t, nil
	}
	if err == nil {
		t.Outcomes = e.Run(ctx, p, m.Calls...)
	}
	t.Results = items[Item, P](codec.Results(m, t.Outcomes))
	t.Done = slices.ContainsFunc(t.Outcomes, func(o pegboard.Outcome) bool { return o.StopTurn })
	return t, err
}

// items returns JSON as params of the SDK, which are sent as they are.
func items[Item param.ParamStruct, P param.InferPtr[Item]](list []json.RawMessage) []Item {
	all := make([]Item, len(list))
	for i, raw := range list {
		all[i] = param.Override[Item, P](raw)
	}
	return all
}

// elements returns those of a list that a codec has written.
func elements(list json.RawMessage) (all []json.RawMessage) {
	_ = json.Unmarshal(list, &all)
	return all
}
