package genkit

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/firebase/genkit/go/ai"

	"github.com/seed49eaa51d/pegboard"
)

// ErrNoPool is the error of a Tools without a pool or an executor. It runs nothing.
var ErrNoPool = errors.New("genkit: no pool or no executor")

// ErrOtherTools is the error of a generation that has tools of genkit beside [Tools.Middleware]:
// genkit runs the calls of a message itself or not at all. See [FromTool].
var ErrOtherTools = errors.New("genkit: the generation has other tools; attach them to the registry of the pool")

// A StopError ends a generation, since an outcome has StopTurn: a person, a hook, a budget or the
// loop breaker ends the turn, or a call is suspended. Find it with [errors.As] in the error of the
// generation. All calls have results.
type StopError struct {
	// Outcomes are those of the last message, in the order of its calls: for
	// [pegboard.Session.Suspension], for example.
	Outcomes []pegboard.Outcome
	// History are all messages up to the results, to go on with the user's next message.
	History []*ai.Message
}

// Error tells that the turn has ended.
func (e *StopError) Error() string { return "genkit: the turn has ended" }

// Tools are the tools of a pool for genkit. Its methods may be called concurrently. The zero Tools
// runs nothing.
type Tools struct {
	executor    *pegboard.Executor
	pool        *pegboard.Pool
	definitions []*ai.ToolDefinition
}

// New returns the tools of p, whose calls e runs. A pool is for one turn; make the tools anew with
// each. All are shown to the model in full, also those that the pool defers. The error is
// [ErrNoPool], or names the tool whose schema is no JSON object.
func New(e *pegboard.Executor, p *pegboard.Pool) (*Tools, error) {
	if e == nil || p.Session() == nil {
		return nil, ErrNoPool
	}
	t := &Tools{executor: e, pool: p}
	for _, part := range []pegboard.Partition{pegboard.Builtin, pegboard.External} {
		for d := range p.Declarations(part) {
			own := &ai.ToolDefinition{Name: d.Name, Description: d.Description}
			if err := json.Unmarshal(d.InputSchema, &own.InputSchema); err != nil {
				return nil, fmt.Errorf("genkit: the schema of %s: %w", d.Name, err)
			}
			t.definitions = append(t.definitions, own)
		}
	}
	return t, nil
}

// Middleware is for [ai.WithMiddleware], of a generation or a prompt. Name it before others, such
// as one that tries a failed request again: these are then called for each request, and calls of
// tools are not repeated.
//
// It shows the tools to the model. The calls of each message are run as one, in their order, and
// each has a result, whatever becomes of it. The answer is the first message without calls, and its
// History has the calls and the results. Options of genkit that are about tools have no effect; a
// [pegboard.CallBudget] of the session limits the calls of a turn. The error is that of the
// model, a *[StopError], [ErrOtherTools], [ErrNoPool], or the cause of ctx.
func (t *Tools) Middleware(next ai.ModelFunc) ai.ModelFunc {
	return func(ctx context.Context, request *ai.ModelRequest, stream ai.ModelStreamCallback) (*ai.ModelResponse, error) {
		if t.pool == nil {
			return nil, ErrNoPool
		}
		if len(request.Tools) > 0 {
			return nil, ErrOtherTools
		}
		messages := request.Messages
		for {
			r := *request // its own: a response refers to it
			r.Messages, r.Tools = slices.Clip(messages), slices.Clone(t.definitions)
			response, err := next(ctx, &r, fromModel(stream))
			if err != nil {
				return nil, err
			}
			calls := callsOf(response.ToolRequests())
			if len(calls) == 0 {
				return response, nil
			}
			outcomes := t.executor.Run(ctx, t.pool, calls...)
			results := messagesOf(outcomes)
			messages = slices.Concat(r.Messages, []*ai.Message{response.Message}, results)
			if slices.ContainsFunc(outcomes, func(o pegboard.Outcome) bool { return o.StopTurn }) {
				return nil, &StopError{Outcomes: outcomes, History: messages}
			}
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if stream != nil { // as genkit does it
				if err := stream(ctx, &ai.ModelResponseChunk{Role: ai.RoleTool, Content: results[0].Content}); err != nil {
					return nil, err
				}
			}
		}
	}
}

// fromModel returns stream for the chunks of a model. Genkit counts the messages by their roles, and
// plugins may leave out the role.
func fromModel(stream ai.ModelStreamCallback) ai.ModelStreamCallback {
	if stream == nil {
		return nil
	}
	return func(ctx context.Context, c *ai.ModelResponseChunk) error {
		c.Role = cmp.Or(c.Role, ai.RoleModel)
		return stream(ctx, c)
	}
}

// callsOf returns the calls of a message. Genkit has read their inputs already.
func callsOf(requests []*ai.ToolRequest) []pegboard.Call {
	calls := make([]pegboard.Call, len(requests))
	for i, r := range requests {
		calls[i] = pegboard.Call{ID: r.Ref, Name: r.Name}
		if r.Input == nil {
			continue
		}
		var err error
		if calls[i].Input, err = json.Marshal(r.Input); err != nil {
			calls[i].Input = json.RawMessage(err.Error()) // which is no JSON, and so the call is refused
		}
	}
	return calls
}
