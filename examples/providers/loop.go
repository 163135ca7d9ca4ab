package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

// maxTurns is how often the model may speak before the loop gives up on it.
const maxTurns = 10

// A model is a provider's SDK and the wire for its API. All that the loop knows of
// either is in here.
type model interface {
	// question returns what the user says first, as the history holds it.
	question(text string) json.RawMessage
	// send sends the history with the tools of the pool. It calls show for each
	// event of the reply as it comes, and returns what it all came to.
	send(ctx context.Context, pool *pegboard.Pool, history []json.RawMessage, show func(event)) (turn, error)
}

// An event is one step of a reply. Exactly one of its fields is set.
type event struct {
	Text     string
	Thinking string
	Call     *pegboard.Call
}

// A turn is what the model said.
type turn struct {
	calls   []pegboard.Call
	history []json.RawMessage // what it said, as the history holds it
	// results returns what answers its calls, and after that what the user adds.
	results func(outcomes []pegboard.Outcome, more ...pegboard.Part) []json.RawMessage
}

// watcher is told what happens in a conversation.
type watcher interface {
	event(event)
	outcome(pegboard.Outcome)
}

// converse asks the model, runs its calls and sends back the results, until it has
// none. It returns what became of all calls.
func converse(ctx context.Context, m model, pool *pegboard.Pool, question string, w watcher) ([]pegboard.Outcome, error) {
	var executor pegboard.Executor
	var all []pegboard.Outcome
	history := []json.RawMessage{m.question(question)}
	for range maxTurns {
		t, err := m.send(ctx, pool, history, w.event)
		if err != nil {
			return all, fmt.Errorf("the model's reply: %w", err)
		}
		if len(t.calls) == 0 {
			return all, nil
		}
		outcomes := executor.Run(ctx, pool, t.calls...)
		if ctx.Err() != nil {
			return all, context.Cause(ctx)
		}
		for _, o := range outcomes {
			w.outcome(o)
		}
		all = append(all, outcomes...)
		history = append(history, t.history...)
		history = append(history, t.results(outcomes)...)
	}
	return all, errors.New("the model does not come to an end")
}
