package anthropic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/anthropic"
)

// ErrStopTurn ends a runner after a message with an outcome that has StopTurn. The runner's Messages
// hold all results of that message.
var ErrStopTurn = errors.New("a tool call has ended the turn")

// NewToolRunner returns a runner of the SDK whose tools are those of p. Make one for each message of
// the user, with the pool of that moment and the Messages of the runner before.
//
// The calls of a message run as [pegboard.Executor.Gather] says: in its order where they touch the
// same thing, and together otherwise. Each has its id, and the bytes that the model wrote. The model
// reads the text of a failed call, also of one that was denied, with is_error and "Error: " before it.
//
// If an outcome has StopTurn, the runner fails in the place of the next request, with an error that
// wraps [ErrStopTurn]. After any error use another runner: the SDK's calls the tools of its last
// message once more.
func NewToolRunner(client sdk.Client, e *pegboard.Executor, p *pegboard.Pool, params sdk.BetaToolRunnerParams, opts ...option.RequestOption) *sdk.BetaToolRunner {
	r := newRun(e, p)
	runner := client.Beta.Messages.NewToolRunner(r.tools, params, r.options(opts)...)
	r.last = runner.LastMessage
	return runner
}

// NewToolRunnerStreaming is like [NewToolRunner], with streamed replies.
func NewToolRunnerStreaming(client sdk.Client, e *pegboard.Executor, p *pegboard.Pool, params sdk.BetaToolRunnerParams, opts ...option.RequestOption) *sdk.BetaToolRunnerStreaming {
	r := newRun(e, p)
	runner := client.Beta.Messages.NewToolRunnerStreaming(r.tools, params, r.options(opts)...)
	r.last = runner.LastMessage
	return runner
}

// Tools returns the tools of p for a loop that calls one tool after the other, such as the SDK's
// SessionToolRunner. Each call is a message of its own, without an id.
func Tools(e *pegboard.Executor, p *pegboard.Pool) []sdk.BetaTool { return newRun(e, p).tools }

// A run is what the tools of one runner share.
type run struct {
	executor *pegboard.Executor
	pool     *pegboard.Pool
	codec    *anthropic.Codec
	tools    []sdk.BetaTool
	offered  map[string]bool         // the names of tools
	last     func() *sdk.BetaMessage // the message whose calls run; nil without a runner

	mu      sync.Mutex // guards the fields below
	message *pegboard.Gathering
	waiting map[string][]pegboard.Call // those of message that were not made yet, by key
	ended   bool                       // an outcome had StopTurn
}

// key is what the runner tells of a call: the name, and the input after it was decoded and encoded.
func key(name string, input []byte) string { return name + " " + string(input) }

func newRun(e *pegboard.Executor, p *pegboard.Pool) *run {
	r := &run{executor: e, pool: p, codec: anthropic.New(p, anthropic.Config{}), offered: map[string]bool{}}
	var list []definition
	_ = json.Unmarshal(r.codec.Tools(), &list) // the codec has written it
	for _, d := range list {
		r.tools, r.offered[d.Name] = append(r.tools, &tool{r, d}), true
	}
	return r
}

func (r *run) options(opts []option.RequestOption) []option.RequestOption {
	return append([]option.RequestOption{option.WithMiddleware(r.beforeRequest)}, opts...)
}

// beforeRequest is a middleware. It ends the message before the request.
func (r *run) beforeRequest(request *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	r.mu.Lock()
	g := r.message
	r.message = nil
	r.mu.Unlock()
	var outcomes []pegboard.Outcome
	if g != nil {
		outcomes = g.End()
	}
	if r.note(outcomes) { // without this header the client would try again
		return &http.Response{Header: http.Header{"X-Should-Retry": {"false"}}, Body: http.NoBody, Request: request}, ErrStopTurn
	}
	return next(request)
}

// note reports whether one of these outcomes, or an earlier one, has StopTurn.
func (r *run) note(outcomes []pegboard.Outcome) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = r.ended || slices.ContainsFunc(outcomes, func(o pegboard.Outcome) bool { return o.StopTurn })
	return r.ended
}

// take returns the call that the runner makes.
func (r *run) take(ctx context.Context, name string, input json.RawMessage) pegboard.Call {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.message == nil && r.last != nil {
		r.announce(ctx)
	}
	if calls := r.waiting[key(name, input)]; len(calls) > 0 {
		r.waiting[key(name, input)] = calls[1:]
		return calls[0]
	}
	c := r.read("call", name, input)
	c.ID = ""
	return c
}

// announce gathers the calls of the runner's last message. The caller holds the lock.
func (r *run) announce(ctx context.Context) {
	r.waiting = map[string][]pegboard.Call{}
	var calls []pegboard.Call
	for _, b := range r.last().Content {
		switch {
		case b.Type == "fallback": // another model wrote what is before it, and it does not run
			clear(r.waiting)
			calls = nil
		case b.Type == "tool_use" && r.offered[b.Name]:
			c := r.read(b.ID, b.Name, b.Input)
			input, _ := json.Marshal(b.AsToolUse().Input) // as the runner does
			calls, r.waiting[key(b.Name, input)] = append(calls, c), append(r.waiting[key(b.Name, input)], c)
		}
	}
	g := r.executor.Gather(context.WithoutCancel(ctx), r.pool, calls...) // ctx ends before the Batch hook
	context.AfterFunc(ctx, func() { g.End() })                           // also if there is no further request
	r.message = g
}

// read returns a call with the names that the tool and its parameters have in the pool.
func (r *run) read(id, name string, input json.RawMessage) pegboard.Call {
	message := fmt.Sprintf(`{"type":"message","stop_reason":"tool_use","content":[{"type":"tool_use","id":%q,"name":%q,"input":%s}]}`, id, name, input)
	m, err := r.codec.Read(strings.NewReader(message)).Message()
	if err != nil || len(m.Calls) != 1 {
		return pegboard.Call{ID: id, Name: name, Input: input}
	}
	return m.Calls[0]
}

// A definition is a tool as the codec writes it.
type definition struct {
	Name, Description string
	InputSchema       json.RawMessage `json:"input_schema"`
}

// A tool implements [sdk.BetaTool].
type tool struct {
	run *run
	definition
}

func (t *tool) Name() string        { return t.definition.Name }
func (t *tool) Description() string { return t.definition.Description }
func (t *tool) InputSchema() sdk.BetaToolInputSchemaParam {
	return param.Override[sdk.BetaToolInputSchemaParam](t.definition.InputSchema)
}

// Execute runs a call. The runner sends an error as the text of a failed call.
func (t *tool) Execute(ctx context.Context, input json.RawMessage) ([]sdk.BetaToolResultBlockParamContentUnion, error) {
	o := t.run.executor.Run(ctx, t.run.pool, t.run.take(ctx, t.Name(), input))[0]
	r := *o.Result
	r.Parts, r.Messages = slices.Concat(r.Parts, r.Messages), nil // beside the results the runner sends nothing
	c := pegboard.Call{ID: "call", Name: o.Call.Name, Input: o.Call.Input}
	message := t.run.codec.Results(&wire.Message{Calls: []pegboard.Call{c}}, []pegboard.Outcome{{Call: &c, Result: &r}})
	var m struct {
		Content []struct {
			Content []sdk.BetaToolResultBlockParamContentUnion
			Failed  bool `json:"is_error"`
		}
	}
	if err := json.Unmarshal(message[0], &m); err != nil {
		return nil, err
	}
	if !m.Content[0].Failed {
		return m.Content[0].Content, nil
	}
	var texts []string // there is nothing else in a failed result
	for _, b := range m.Content[0].Content {
		texts = append(texts, b.OfText.Text)
	}
	return nil, errors.New(strings.Join(texts, "\n"))
}
