package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
)

// maxTurns is how many turns the model may take before the loop gives up.
const maxTurns = 10

// A sender sends a request with these tools and messages through the SDK of a provider.
// It returns the response, unread.
type sender func(ctx context.Context, tools json.RawMessage, messages []json.RawMessage) (*http.Response, error)

// A watcher shows a conversation while it goes on.
type watcher interface {
	event(wire.Event)
	outcome(pegboard.Outcome)
}

// converse asks the model the question, runs its calls and sends their results, until the
// model calls nothing. It returns the outcomes of all calls.
func converse(ctx context.Context, codec wire.Codec, send sender, pool *pegboard.Pool, w watcher) ([]pegboard.Outcome, error) {
	var executor pegboard.Executor
	var all []pegboard.Outcome
	history := codec.User(pegboard.Part{Text: question})
	pool.Session().NewTurn() // the loop breaker counts from here
	for range maxTurns {
		message, err := ask(ctx, codec, send, history, w.event)
		if err != nil {
			return all, fmt.Errorf("the model's reply: %w", err)
		}
		if err := message.Err(); err != nil { // no answer, and no call of it may run
			return all, err
		}
		if len(message.Calls) == 0 {
			return all, nil
		}
		outcomes := executor.Run(ctx, pool, message.Calls...)
		if ctx.Err() != nil {
			return all, context.Cause(ctx)
		}
		for _, o := range outcomes {
			w.outcome(o)
		}
		all = append(all, outcomes...)
		history = append(history, message.History...)
		history = append(history, codec.Results(message, outcomes, pool.Session().Notifications()...)...)
	}
	return all, errors.New("the model still calls tools after the last turn")
}

// ask sends a conversation and returns the model's next message. It calls show for each
// event of the reply as it arrives.
func ask(ctx context.Context, codec wire.Codec, send sender, history []json.RawMessage, show func(wire.Event)) (*wire.Message, error) {
	response, err := send(ctx, codec.Tools(), history)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	reply := wire.ReadResponse(codec, response)
	for e := range reply.Events() {
		show(e)
	}
	return reply.Message()
}
