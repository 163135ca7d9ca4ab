package openai

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
)

// AgentTools returns the tools of p for the agent of a session.
func AgentTools(p *pegboard.Pool) (tools []sdk.AgentToolParamUnion) {
	for _, raw := range elements(responsesCodec(p).Tools()) {
		f := struct {
			Type        string          `json:"type"`
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Parameters  json.RawMessage `json:"parameters"`
		}{}
		_ = json.Unmarshal(raw, &f) // the codec has written it
		tools = append(tools, param.Override[sdk.AgentToolParamUnion](f))
	}
	return tools
}

// Stream is the Stream of the SDK's sessions, in which functions of the session's agent are the tools
// of p. Other functions may have handlers in params.
//
// The SDK makes one call at a time, in the order of the model. Each has its id, and the bytes that the
// model wrote. The text of a failed call, also of one that was denied, is an output that begins with
// "Error": the SDK shows the model no other. After an outcome with StopTurn the turn of the session is
// cancelled, and the stream ends with that.
func Stream(ctx context.Context, client sdk.Client, sessionID string, e *pegboard.Executor, p *pegboard.Pool, params sdk.AgentSessionStreamParams, opts ...option.RequestOption) *sdk.AgentSessionStream {
	a := &agent{executor: e, pool: p, codec: responsesCodec(p)}
	handlers := a.handlers()
	maps.Copy(handlers, params.ToolHandlers)
	params.ToolHandlers = handlers
	cancel := func(request *http.Request, next option.MiddlewareNext) (*http.Response, error) {
		response, err := next(request)
		if err != nil || response.StatusCode >= 300 || !a.stop.CompareAndSwap(true, false) { // the request had the result of a call
			return response, err
		}
		return response, client.Beta.Agents.Sessions.Events.New(request.Context(), sessionID, sdk.BetaAgentSessionEventNewParams{Events: []sdk.AgentSessionInputParamUnion{
			{OfParamAgentSessionInputCancel: &sdk.AgentSessionInputParamAgentSessionInputCancel{}},
		}}, opts...)
	}
	stream := client.Beta.Agents.Sessions.Stream(ctx, sessionID, params, append(slices.Clone(opts), option.WithMiddleware(cancel))...)
	a.event = stream.Current
	return stream
}

// ToolHandlers returns handlers for the functions of [AgentTools], for the NewStreaming of sessions.
// It is [Stream] without what needs a session: a call has no id, its numbers are float64, and StopTurn
// has no effect.
func ToolHandlers(e *pegboard.Executor, p *pegboard.Pool) map[string]sdk.AgentToolHandler {
	return (&agent{executor: e, pool: p, codec: responsesCodec(p)}).handlers()
}

// An agent is what the handlers of one stream share.
type agent struct {
	executor *pegboard.Executor
	pool     *pegboard.Pool
	codec    wire.Codec
	event    func() sdk.AgentSessionEventUnion // with the call that is handled; nil without a stream
	stop     atomic.Bool                       // an outcome has StopTurn
}

func (a *agent) handlers() map[string]sdk.AgentToolHandler {
	all := map[string]sdk.AgentToolHandler{}
	for t := range a.pool.All() {
		name := a.codec.Name(t.Info().Name)
		all[name] = func(ctx context.Context, arguments map[string]any) (any, error) {
			return a.handle(ctx, name, arguments)
		}
	}
	return all
}

// handle runs a call and returns its result. An error would keep the text from the model.
func (a *agent) handle(ctx context.Context, name string, arguments map[string]any) (any, error) {
	c := a.read(name, arguments)
	o := a.executor.Run(ctx, a.pool, c)[0]
	a.stop.Store(o.StopTurn)
	r := *o.Result
	r.Parts, r.Messages = slices.Concat(r.Parts, r.Messages), nil // the SDK sends nothing beside the result
	answered := pegboard.Call{ID: "call", Name: c.Name, Input: c.Input}
	message := a.codec.Results(&wire.Message{Calls: []pegboard.Call{answered}}, []pegboard.Outcome{{Call: &answered, Result: &r}})
	var item struct{ Output json.RawMessage }
	if err := json.Unmarshal(message[0], &item); err != nil {
		return nil, err
	}
	var text string
	if json.Unmarshal(item.Output, &text) == nil {
		return text, nil
	}
	content := []sdk.InputContentParamUnion{}
	for _, block := range elements(item.Output) {
		if strings.Contains(string(block), `"type":"input_file"`) {
			content = append(content, sdk.InputContentParamOfParamInputText("(A document was left out: a result here is text and images.)"))
			continue
		}
		content = append(content, param.Override[sdk.InputContentParamUnion](block))
	}
	return content, nil
}

// read returns the call with the names that the tool and its parameters have in the pool.
func (a *agent) read(name string, arguments map[string]any) pegboard.Call {
	input, _ := json.Marshal(arguments) // they have been JSON before
	id := ""
	if a.event != nil {
		item := a.event().Item
		id, input = item.CallID, []byte(item.JSON.Arguments.Raw())
		if text := ""; json.Unmarshal(input, &text) == nil {
			input = []byte(text)
		}
	}
	item := map[string]any{"type": "function_call", "status": "completed", "call_id": "call", "name": name, "arguments": string(input)}
	reply, _ := json.Marshal(map[string]any{"object": "response", "status": "completed", "output": []any{item}})
	c := pegboard.Call{Name: name, Input: input}
	if m, err := a.codec.Read(strings.NewReader(string(reply))).Message(); err == nil && len(m.Calls) == 1 {
		c = m.Calls[0]
	}
	c.ID = id
	return c
}
