package reply_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/internal/reply"
)

// steps is a Source that runs one step for each piece.
type steps struct {
	reply.Draft
	steps     []func(*steps) error
	completed int
	err       error // of Complete
}

func (s *steps) Read() error {
	step := s.steps[0]
	s.steps = s.steps[1:]
	return step(s)
}

func (s *steps) Complete() error {
	s.completed++
	s.Message.Calls = append(s.Message.Calls, pegboard.Call{ID: "1"})
	return s.err
}

func (s *steps) Finish() pegboard.FinishReason {
	if s.Message.StopReason == "" {
		return pegboard.FinishError
	}
	return pegboard.FinishStop
}

func say(text string) func(*steps) error {
	return func(s *steps) error { s.AddText(text); return nil }
}

func think(text string) func(*steps) error {
	return func(s *steps) error { s.AddThinking(text); return nil }
}

func grow(s *steps) error { s.AddPartial(wire.PartialCall{Name: "a", Text: "{"}); return nil }

func call(s *steps) error { s.AddCall(pegboard.Call{ID: "1"}); return nil }

func end(s *steps) error {
	s.Message.StopReason, s.Message.StopMessage, s.Ended = "stop", "because", true
	return nil
}

func fail(err error) func(*steps) error {
	return func(s *steps) error { s.Message.StopReason, s.Message.StopMessage = "stop", "because"; return err }
}

func TestReply(t *testing.T) {
	t.Parallel()
	broken, incomplete := errors.New("broken"), errors.New("incomplete")
	tests := []struct {
		name       string
		steps      []func(*steps) error
		incomplete error
		events     []wire.Event
		text       string
		finish     pegboard.FinishReason
		err        error
	}{
		{name: "nothing but an end", steps: []func(*steps) error{end}, finish: pegboard.FinishStop},
		{name: "text, thinking and a call", steps: []func(*steps) error{say("a"), say(""), think("b"), think(""), grow, call, say("c"), end},
			events: []wire.Event{{Text: "a"}, {Thinking: "b"}, {Partial: &wire.PartialCall{Name: "a", Text: "{"}}, {Call: &pegboard.Call{ID: "1"}}, {Text: "c"}}, text: "ac", finish: pegboard.FinishStop},
		{name: "an error", steps: []func(*steps) error{say("a"), fail(broken)}, incomplete: incomplete, events: []wire.Event{{Text: "a"}}, text: "a", finish: pegboard.FinishError, err: broken},
		{name: "not complete", steps: []func(*steps) error{say("a"), end}, incomplete: incomplete, events: []wire.Event{{Text: "a"}}, text: "a", finish: pegboard.FinishError, err: incomplete},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			source := &steps{steps: tt.steps, err: tt.incomplete}
			r := reply.New(source, &source.Draft)
			var events []wire.Event
			for e := range r.Events() {
				events = append(events, e)
				break // the next loop continues
			}
			for e := range r.Events() {
				events = append(events, e)
			}
			require.Equal(t, tt.events, events)
			for range 2 {
				m, err := r.Message()
				require.Equal(t, tt.err, err)
				require.Equal(t, tt.text, m.Text)
				require.Equal(t, tt.finish, m.Finish)
				require.Equal(t, tt.err == nil, m.StopMessage != "")
				require.Len(t, m.Calls, 1)
			}
			require.Equal(t, 1, source.completed)
			require.Empty(t, source.steps, "all was read")
		})
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	cause := errors.New("cause")
	require.ErrorIs(t, reply.Malformed("a %w", cause), wire.ErrMalformed)
	require.ErrorIs(t, reply.Malformed("a %w", cause), cause)
	require.ErrorIs(t, reply.Truncated("a %w", cause), wire.ErrTruncated)
	require.ErrorIs(t, reply.Failure(cause), wire.ErrTruncated)
	require.Equal(t, reply.TooLarge().Error(), reply.Failure(reply.TooLarge()).Error())
}
