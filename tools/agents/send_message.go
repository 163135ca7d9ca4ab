package agents

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/mailbox"
	"github.com/seed49eaa51d/pegboard/internal/nearest"
	"github.com/seed49eaa51d/pegboard/policy"
)

// sendName is the name of the tool.
const sendName = "SendMessage"

// maxSummary is how many bytes of a summary a user interface is shown. Claude Code documents the
// number.
const maxSummary = 200

// sendInput is the input of the SendMessage tool.
type sendInput struct {
	To      string `json:"to" jsonschema:"minLength=1" jsonschema_description:"The id or the name of an agent, or main for the main agent"`
	Message any    `json:"message" jsonschema:"oneof_type=string;object" jsonschema_description:"The text. Or an object: {\"type\": \"shutdown_request\", \"reason\"?} asks a teammate to end; {\"type\": \"shutdown_response\", \"request_id\", \"approve\", \"reason\"?} and {\"type\": \"plan_approval_response\", \"request_id\", \"approve\", \"feedback\"?} answer requests; {\"type\": \"plan_approval_request\", \"plan\"} sends a plan to your lead"`
	Summary string `json:"summary,omitempty" jsonschema_description:"The message in a few words, for the user; the first line of the message if left out"`
}

// summary returns the message as one line.
func (in *sendInput) summary() string {
	text := in.Summary
	if l, err := readLetter(in.Message); text == "" && err == nil {
		text = strings.TrimSpace(l.Kind + " " + l.Text)
		text, _, _ = strings.Cut(text, "\n")
	}
	if text = pegboard.OneLine(text); len(text) > maxSummary {
		text = strings.ToValidUTF8(text[:maxSummary], "") + "…"
	}
	return text
}

// SendResult is the Result.Data of SendMessage.
type SendResult struct {
	Success bool   `json:"success"` // true: an error has no result
	Message string `json:"message"`
	// TaskID is the background task of an agent that had ended and goes on; empty otherwise.
	TaskID string `json:"-"`
}

// sendTool returns the SendMessage tool.
func (g *Agents) sendTool() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[sendInput, SendResult]{
		Info: pegboard.Info{Name: sendName, Title: "Send message", Hint: "write to another agent, continue an agent that has ended"},
		Description: "Sends a message to another agent of this conversation. The agent reads it before its next request; an agent that has ended goes on with it in the background, with all that it knows. " +
			"What you write in your answer no other agent sees: only this tool reaches them. A message is no permission, and you cannot answer the user's questions for another agent.",
		Enabled: func(s *pegboard.Session) bool { g.join(s); return true },
		Inspect: g.inspectSend,
		Summary: func(in sendInput, _ *pegboard.Call) pegboard.Summary {
			return pegboard.Summary{Before: "Message to " + in.To + ": " + in.summary(), While: "Sending a message to " + in.To}
		},
		Validate: func(_ context.Context, in sendInput, _ *pegboard.Call) error {
			_, err := readLetter(in.Message)
			return err
		},
		Permit: func(_ context.Context, in sendInput, c *pegboard.Call) policy.Decision {
			if c.Session() == nil || !g.isHere(c.Session(), in.To) {
				return policy.Decision{}
			}
			return policy.Decision{Behavior: policy.Allow, Reason: "the message stays in the conversation"}
		},
		ClassifierInput: func(in sendInput, _ *pegboard.Call) string { return "tell agent " + in.To + ": " + in.summary() },
		Call: func(ctx context.Context, in sendInput, c *pegboard.Call) (SendResult, error) {
			if c.Session() == nil {
				return SendResult{}, errors.New("messages are sent by calls of an executor only")
			}
			return g.send(ctx, c.Session(), in)
		},
		Result: func(out SendResult) *pegboard.Result {
			r := pegboard.TextResult(out.Message)
			r.Data, r.Line = out, out.Message
			return r
		},
	})
}

// inspectSend orders the messages to one agent. A message to a session elsewhere leaves the
// conversation.
func (g *Agents) inspectSend(in sendInput, c *pegboard.Call) pegboard.Traits {
	t := pegboard.Traits{Kind: pegboard.KindRun, Concurrency: pegboard.PerTarget, Own: true}
	to := in.To
	if s := c.Session(); s != nil {
		if e, err := g.rosterOf(s).lookup(in.To); err == nil {
			to = e.status.ID // it never changes
		}
		if !g.isHere(s, in.To) && g.options.Peers != nil {
			t.Own, t.OpenWorld, t.Destructive = false, true, true
		}
	}
	t.Targets = []policy.Target{{Kind: policy.Resource, Value: "mailbox of " + to}}
	return t
}

// isHere reports whether a message stays in the conversation: its receiver is an agent of it, or
// there is no other way.
func (g *Agents) isHere(s *pegboard.Session, to string) bool {
	if to == MainName || g.options.Peers == nil {
		return true
	}
	_, err := g.rosterOf(s).lookup(to)
	return err == nil
}

// send implements SendMessage.
func (g *Agents) send(ctx context.Context, s *pegboard.Session, in sendInput) (SendResult, error) {
	l, err := readLetter(in.Message)
	if err != nil {
		return SendResult{}, err
	}
	l.From, l.FromName, l.FromType, l.Sent = g.writer(s)
	if !g.isHere(s, in.To) {
		return g.sendElsewhere(ctx, in.To, l)
	}
	if in.To == MainName {
		if l.From == MainName {
			return SendResult{}, fmt.Errorf("%w: you are the main agent", ErrInvalidMessage)
		}
		return g.sendMain(s, l)
	}
	e, err := g.receiver(s, l.From, in.To)
	if err != nil {
		return SendResult{}, err
	}
	return g.sendAgent(ctx, s, e, l)
}

// writer returns who writes in s, and the time.
func (g *Agents) writer(s *pegboard.Session) (id, name, typeName string, sent time.Time) {
	sent = time.Now()
	if len(s.AgentPath()) == 0 {
		return MainName, "", "", sent
	}
	if e := g.entryOf(s); e != nil && e.status.ID == s.AgentID() { // id, name and type never change
		name = e.status.Name
	}
	return s.AgentID(), name, s.AgentType(), sent
}

// receiver returns the agent that the writer means.
func (g *Agents) receiver(s *pegboard.Session, writer, to string) (*entry, error) {
	r, m := g.rosterOf(s), g.mailOf(s)
	e, err := r.lookup(to)
	if err != nil {
		if writer != MainName && len(nearest.Names(to, []string{MainName}, 1)) > 0 {
			return nil, fmt.Errorf("%w: %q; did you mean %s?", ErrUnknownAgent, to, MainName)
		}
		return nil, err
	}
	id, name := e.status.ID, e.status.Name // they never change
	if id == writer {
		return nil, fmt.Errorf("%w: %s is yourself", ErrInvalidMessage, to)
	}
	if to != id {
		meant := r.later(m.names.recall(writer, to), r.startedBy(writer, to))
		if meant != "" && meant != id {
			return nil, fmt.Errorf("%w: %q was agent %s when you last used the name, and is agent %s now. Nothing was sent; send it to the id that you mean", ErrOtherAgent, to, meant, id)
		}
	}
	if err := m.names.remember(writer, name, id); err != nil {
		return nil, notSent(err)
	}
	return e, nil
}

// sendMain sends a letter to the main agent.
func (g *Agents) sendMain(s *pegboard.Session, l letter) (SendResult, error) {
	undo, err := g.beforeSend(s, nil, &l)
	if err != nil {
		return SendResult{}, err
	}
	if err := g.mailOf(s).put(MainName, l); err != nil {
		undo()
		return SendResult{}, notSent(err)
	}
	return SendResult{Success: true, Message: "Sent to the main agent."}, nil
}

// sendAgent sends a letter to an agent. One that has ended goes on.
func (g *Agents) sendAgent(ctx context.Context, s *pegboard.Session, e *entry, l letter) (SendResult, error) {
	m, r := g.mailOf(s), g.rosterOf(s)
	undo, err := g.beforeSend(s, e, &l)
	if err != nil {
		return SendResult{}, err
	}
	k, err := g.resumeFor(ctx, e, &l)
	if err == nil && k == nil {
		err = r.readsNoMore(e)
	}
	if err != nil {
		undo()
		return SendResult{}, err
	}
	if err := m.put(e.status.ID, l); err != nil {
		undo()
		if k != nil {
			k.abandonResumed(ctx)
		}
		return SendResult{}, notSent(err)
	}
	if err := r.readsNoMore(e); k == nil && err != nil {
		return SendResult{Success: true, Message: fmt.Sprintf("Sent to %s, which has ended meanwhile and may not read it: %v.", e.status.label(), err)}, nil
	}
	if k == nil && !r.isRunning(e) && m.has(e.status.ID) { // it has ended without it
		if k, err = g.resumeFor(ctx, e, &l); err != nil {
			return SendResult{Success: true, Message: fmt.Sprintf("Sent to %s, which has ended meanwhile and reads it only if it goes on: %v.", e.status.label(), err)}, nil
		}
	}
	if k == nil {
		return SendResult{Success: true, Message: "Sent to " + e.status.label() + ". It reads the message before its next request."}, nil
	}
	launched, err := k.start(ctx)
	if err != nil {
		return SendResult{}, err
	}
	out := SendResult{Success: true, TaskID: launched.TaskID, Message: "Sent to " + e.status.label() + ", which had ended and goes on in the background as task " + launched.TaskID + "."}
	if k.caller == s {
		out.Message += " You are told of its end."
	}
	return out, nil
}

// sendElsewhere sends a letter to another session.
func (g *Agents) sendElsewhere(ctx context.Context, to string, l letter) (SendResult, error) {
	if l.Kind != "" {
		return SendResult{}, fmt.Errorf("%w: only texts are sent to other sessions", ErrInvalidMessage)
	}
	peers, err := g.options.Peers.List(ctx)
	if err != nil {
		return SendResult{}, fmt.Errorf("the other sessions cannot be listed: %w", err)
	}
	var ids []string
	for _, p := range peers {
		if ids = append(ids, p.ID); p.ID != to {
			continue
		}
		if err := l.checkLength(); err != nil {
			return SendResult{}, notSent(err)
		}
		if err := g.options.Peers.Send(ctx, to, l.writer(), l.Text); err != nil {
			return SendResult{}, notSent(err)
		}
		return SendResult{Success: true, Message: "Sent to the session " + to + "."}, nil
	}
	return SendResult{}, fmt.Errorf("%w: %q; of other sessions %s", ErrUnknownAgent, to, choices(to, ids))
}

// notSent words the error of a letter that is not in the mailbox.
func notSent(err error) error {
	hint := ""
	if errors.Is(err, mailbox.ErrTooLong) {
		hint = "; write it to a file and send the path"
	}
	return fmt.Errorf("the message was not sent: %w%s", err, hint)
}
