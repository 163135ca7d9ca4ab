package agents

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// report makes the result of a run that has ended with reply and err.
func (k *run) report(reply Reply, err error) (Result, error) {
	text := k.textOf(reply)
	if limit := k.limitReached(); limit != nil {
		if err = nil; text == "" && reply.Structured == nil {
			err = fmt.Errorf("%w; it wrote nothing before", limit)
		}
		k.note(fmt.Sprintf("It was ended at a limit, and what it wrote may not be complete: %v.", limit))
	}
	switch {
	case k.ctx.Err() != nil:
		err = k.stopped(context.Cause(k.ctx), text, err)
	case err != nil && text != "":
		err = fmt.Errorf("the agent has ended by an error, and what it wrote may not be complete: %w", err)
	case err != nil:
		err = fmt.Errorf("the agent has ended by an error and wrote nothing: %w", err)
	case text == "" && reply.Structured == nil:
		err = ErrSilent
	}
	r := k.base(StatusCompleted)
	r.setText(harmless(text))
	r.Structured = reply.Structured
	k.mu.Lock()
	r.StopTurn = reply.StopTurn || k.denied
	k.mu.Unlock()
	return r, harmlessErr(err)
}

// stopped returns the error of a run that was stopped by cause.
func (k *run) stopped(cause error, text string, err error) error {
	what := "and what it wrote until then may not be complete"
	if text == "" {
		what = "and had written nothing"
	}
	if err != nil && !errors.Is(err, cause) {
		return fmt.Errorf("the agent was stopped, %s: %w (%w)", what, cause, err)
	}
	return fmt.Errorf("the agent was stopped, %s: %w", what, cause)
}

// interim is the result of a run whose goroutines do not end in time.
func (k *run) interim(cause error) (Result, error) {
	text := k.textOf(Reply{})
	r := k.base(StatusCompleted)
	r.setText(harmless(text))
	return r, harmlessErr(k.stopped(cause, text, nil))
}

// base returns the result without the report.
func (k *run) base(status string) Result {
	k.mu.Lock()
	defer k.mu.Unlock()
	r := Result{
		Status: status, AgentID: k.agent.ID, AgentType: k.agent.Type, Name: k.agent.Name, Description: k.entry.status.Description,
		Prompt: k.request.Prompt, ResolvedModel: k.agent.Model, OneShot: k.definition.OneShot, Notes: slices.Clone(k.notes),
	}
	if status == StatusCompleted {
		r.TotalToolUses, r.Usage, r.TotalTokens = k.calls, k.usage, k.usage.Tokens()
		r.TotalDurationMS = time.Since(k.started).Milliseconds()
	}
	return r
}

// textOf returns the last text of the agent.
func (k *run) textOf(reply Reply) string {
	if text := strings.TrimSpace(reply.Text); text != "" {
		return text
	}
	return lastText(k.messages()[k.before:])
}
