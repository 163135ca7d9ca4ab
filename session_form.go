package pegboard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/asking"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/lifetime"
)

// Fill asks the user of the session by [SessionConfig].Fill. A user is shown one question or
// form at a time. Fill may be called by a tool and beside a call, from any goroutine, but not
// by an [Asker] or by [SessionConfig].Fill, which it would wait for.
//
// The answer is FillDecline if there is no SessionConfig.Fill or NoPrompts is set, and
// FillCancel after SessionConfig.AskTimeout. If the content does not fit the schema, the user
// is asked again, with [Form].Problem. An error wraps [ErrInvalidForm], [ErrClosed], the cause
// of the context or the error of SessionConfig.Fill; the answer is then FillCancel.
func (s *Session) Fill(ctx context.Context, f Form) (Filled, error) {
	s.mustExist("Fill")
	mustHaveContext("Fill", ctx)
	filled := Filled{Action: FillCancel}
	accepts, err := f.check()
	if err != nil {
		return filled, fmt.Errorf("%w: %w", ErrInvalidForm, err)
	}
	f.Schema, f.AgentPath, f.Problem = slices.Clone(f.Schema), s.AgentPath(), ""
	if s.cfg.Fill == nil || s.cfg.NoPrompts {
		return Filled{Action: FillDecline}, nil
	}
	ctx, cancel := context.WithCancelCause(WithSession(ctx, s))
	defer cancel(nil)
	closer := &lifetime.Closer{Name: "a form", Close: func(context.Context) error { cancel(ErrClosed); return nil }, Interrupt: cancel}
	if !s.closers.Add(closer) {
		return filled, ErrClosed
	}
	defer s.closers.Remove(closer)
	var answer Filled
	race := asking.Race[*pending, Decision]{
		Line: s.line, PromptTimeout: s.cfg.AskTimeout,
		Question: func(string) *pending { return &pending{} },
		OnQueued: func(string) {},
		Recheck:  func() (Decision, bool) { return Decision{}, false },
	}
	race.Prompt = func(ctx context.Context, id string) (err error) {
		given, err := s.showForm(ctx, f, accepts)
		if err != nil {
			return err
		}
		return s.line.Answer(id, func(*pending) (Decision, error) { answer = given; return Decision{}, nil })
	}
	switch _, err = race.Run(ctx); {
	case ctx.Err() != nil:
		return filled, context.Cause(ctx)
	case errors.Is(err, ErrExpired):
		return filled, nil
	case err != nil:
		return filled, err
	}
	return answer, nil
}

// showForm shows a form until its content is accepted.
func (s *Session) showForm(ctx context.Context, f Form, accepts func(json.RawMessage) error) (filled Filled, err error) {
	for ctx.Err() == nil {
		shown := f
		shown.Schema, shown.AgentPath = slices.Clone(f.Schema), slices.Clone(f.AgentPath)
		if err := markPanic(goroutine.Try(func() (err error) { filled, err = s.cfg.Fill(ctx, &shown); return err })); err != nil {
			return Filled{}, fmt.Errorf("filling a form: %w", err)
		}
		switch filled.Action {
		case FillAccept:
		case FillDecline:
			return Filled{Action: FillDecline}, nil
		case FillCancel, "":
			return Filled{Action: FillCancel}, nil
		default:
			return Filled{}, fmt.Errorf("filling a form: unknown action %q", filled.Action)
		}
		problem := accepts(filled.Content)
		if problem == nil {
			return Filled{Action: FillAccept, Content: slices.Clone(filled.Content)}, nil
		}
		f.Problem = problem.Error()
	}
	return Filled{}, context.Cause(ctx)
}
