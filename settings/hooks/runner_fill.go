package hooks

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/seed49eaa51d/pegboard"
)

// Fill returns a func for [pegboard.SessionConfig].Fill that lets hooks answer the forms of
// servers: those of Elicitation before the user is asked, and those of ElicitationResult
// after. Next asks the user. If it is nil, a form that no hook answers is declined.
//
// A form that is shown again, since its content was refused, is answered by the user alone:
// hooks can then decline it, and change nothing.
func (r *Runner) Fill(next func(ctx context.Context, f *pegboard.Form) (pegboard.Filled, error)) func(ctx context.Context, f *pegboard.Form) (pegboard.Filled, error) {
	return func(ctx context.Context, f *pegboard.Form) (pegboard.Filled, error) {
		s, ok := pegboard.SessionFrom(ctx)
		if !ok {
			r.options.problem(&Handler{}, errors.New("Fill: the context carries no session, see pegboard.WithSession, so hooks are not asked"))
			return fill(ctx, f, next)
		}
		filled, decided, err := r.elicit(ctx, s, f)
		if err != nil {
			return pegboard.Filled{Action: pegboard.FillCancel}, err
		}
		if !decided {
			if filled, err = fill(ctx, f, next); err != nil {
				return filled, err
			}
		}
		return r.elicited(ctx, s, f, filled)
	}
}

func fill(ctx context.Context, f *pegboard.Form, next func(ctx context.Context, f *pegboard.Form) (pegboard.Filled, error)) (pegboard.Filled, error) {
	if next == nil {
		return pegboard.Filled{Action: pegboard.FillDecline}, nil
	}
	return next(ctx, f)
}

// elicit asks the hooks before the user.
func (r *Runner) elicit(ctx context.Context, s *pegboard.Session, f *pegboard.Form) (filled pegboard.Filled, decided bool, err error) {
	if f.Problem != "" {
		return filled, false, nil
	}
	o, handlers := r.formOccasion(s, elicitation, f)
	if len(handlers) == 0 {
		return filled, false, nil
	}
	p := newPayload(r, s, o.cwd, o.event, nil)
	p.addText("mcp_server_name", f.From)
	p.addText("message", f.Message)
	p.addText("mode", modeOf(f))
	if f.URL != "" {
		p.addText("url", f.URL)
	}
	p.add("requested_schema", f.Schema)
	o.payload = p.end()
	replies := o.run(ctx, handlers)
	o.tellAll(replies)
	if ctx.Err() != nil {
		return filled, false, context.Cause(ctx)
	}
	last := answerOf(replies)
	if last == nil {
		return filled, false, nil
	}
	filled.Action = last.action
	if last.action == pegboard.FillAccept && f.URL == "" {
		filled.Content = last.content
	}
	return filled, true, nil
}

// elicited asks the hooks after the user.
func (r *Runner) elicited(ctx context.Context, s *pegboard.Session, f *pegboard.Form, filled pegboard.Filled) (pegboard.Filled, error) {
	o, handlers := r.formOccasion(s, elicitationResult, f)
	if len(handlers) == 0 {
		return filled, nil
	}
	p := newPayload(r, s, o.cwd, o.event, nil)
	p.addText("mcp_server_name", f.From)
	action := filled.Action
	if action == "" {
		action = pegboard.FillCancel
	}
	p.addText("action", string(action))
	if json.Valid(filled.Content) {
		p.add("content", filled.Content)
	}
	p.addText("mode", modeOf(f))
	o.payload = p.end()
	replies := o.run(ctx, handlers)
	o.tellAll(replies)
	if ctx.Err() != nil {
		return pegboard.Filled{Action: pegboard.FillCancel}, context.Cause(ctx)
	}
	last := answerOf(replies)
	switch {
	case last == nil:
		return filled, nil
	case last.action != pegboard.FillAccept:
		return pegboard.Filled{Action: last.action}, nil
	case f.Problem != "" || filled.Action != pegboard.FillAccept && last.content == nil && f.URL == "":
		o.runner.options.problem(last.handler, errors.New("what it would fill in has no effect: the form was shown again, or there is no content"))
		return filled, nil
	}
	filled.Action = pegboard.FillAccept
	if last.content != nil && f.URL == "" {
		filled.Content = last.content
	}
	return filled, nil
}

// formOccasion returns an event of a form, and its handlers that run.
func (r *Runner) formOccasion(s *pegboard.Session, event string, f *pegboard.Form) (*occasion, []*Handler) {
	matched := r.matching(event, f.From)
	if len(matched) == 0 {
		return nil, nil
	}
	o := r.newOccasion(s, event)
	return o, r.runnable(matched, o.state, never)
}

func modeOf(f *pegboard.Form) string {
	if f.URL != "" {
		return "url"
	}
	return "form"
}

// answerOf returns the reply that counts: one that blocks, which declines, before those that
// decline or cancel, and of those that accept the one that ended last.
func answerOf(replies []*reply) (counts *reply) {
	strength := func(r *reply) int {
		switch {
		case r == nil:
			return 0
		case r.Block || r.Stop:
			return 4
		case r.action == pegboard.FillDecline:
			return 3
		case r.action == pegboard.FillCancel:
			return 2
		case r.action == pegboard.FillAccept:
			return 1
		}
		return 0
	}
	for _, r := range replies {
		s, best := strength(r), strength(counts)
		if s > best || s > 0 && s == best && r.ended > counts.ended {
			counts = r
		}
	}
	if counts != nil && (counts.Block || counts.Stop) {
		counts.action, counts.content = pegboard.FillDecline, nil
	}
	return counts
}
