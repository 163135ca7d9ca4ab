package main

import (
	"context"
	"crypto/rand"
	"encoding/json"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/agents"
	"github.com/seed49eaa51d/pegboard/tools/background"
)

// converse is the loop of the main agent.
func (h *host) converse(ctx context.Context) error {
	h.screen.say("\nuser   What is in this directory? Write a report.")
	h.session.NewTurn()
	m := &mainModel{scratch: h.scratch}
	var outcomes []pegboard.Outcome
	for {
		if m.awaits {
			if err := h.awaitTasks(ctx); err != nil {
				return err
			}
		}
		pool := h.tools.Pool(ctx, h.session)
		text, calls := m.next(outcomes, h.tools.News(pool))
		h.screen.say("\nmodel  %s", text)
		if len(calls) == 0 {
			return nil
		}
		outcomes = h.executor.Run(ctx, pool, calls...)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		for _, o := range outcomes {
			if o.StopTurn {
				h.screen.say("\nThe user has ended the turn.")
				return nil
			}
		}
	}
}

// awaitTasks waits until nothing runs in the background.
func (h *host) awaitTasks(ctx context.Context) error {
	tasks := background.Of(h.session)
	for _, t := range tasks.List() {
		if _, err := tasks.Wait(ctx, t.ID); err != nil {
			return err
		}
	}
	return nil
}

// loop is the loop of every other agent.
func (h *host) loop(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
	m := &readerModel{}
	var outcomes []pegboard.Outcome
	for used := (agents.Usage{}); ; used = (agents.Usage{Input: 100, Output: 10}) {
		parts, err := a.Next(ctx, used) // first its task
		if err != nil {
			return agents.Reply{}, err
		}
		pool, err := a.Pool()
		if err != nil {
			return agents.Reply{}, err
		}
		text, calls := m.next(outcomes, append(parts, h.tools.News(pool)...))
		if err := a.Append(message("assistant", text)); err != nil {
			return agents.Reply{}, err
		}
		if len(calls) == 0 {
			return agents.Reply{Text: text}, nil
		}
		outcomes = h.executor.Run(ctx, pool, calls...)
		if ctx.Err() != nil {
			return agents.Reply{}, context.Cause(ctx)
		}
	}
}

// message returns a message as a provider would have it.
func message(role, text string) json.RawMessage {
	raw, err := json.Marshal(map[string]string{"role": role, "content": text})
	if err != nil {
		panic(err) // strings can be encoded
	}
	return raw
}

// call returns a call as the model would make it.
func call(tool string, input map[string]any) pegboard.Call {
	raw, err := json.Marshal(input)
	if err != nil {
		panic(err) // strings, numbers and bools can be encoded
	}
	return pegboard.Call{ID: "call_" + rand.Text()[:10], Name: tool, Input: raw}
}
