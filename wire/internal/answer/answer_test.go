package answer_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/internal/answer"
)

func TestWithID(t *testing.T) {
	t.Parallel()
	call := func(id, name string) pegboard.Call { return pegboard.Call{ID: id, Name: name} }
	outcome := func(id, text string, err error) pegboard.Outcome {
		return pegboard.Outcome{Call: &pegboard.Call{ID: id}, Result: &pegboard.Result{Parts: []pegboard.Part{{Text: text}}}, Err: err}
	}
	got := answer.WithID(
		[]pegboard.Call{call("a", "read"), call("", "none"), call("b", "rm"), call("a", "again")},
		[]pegboard.Outcome{{}, outcome("x", "stray", nil), outcome("a", "known", fmt.Errorf("twice: %w", pegboard.ErrDuplicate)), outcome("a", "first", nil), outcome("a", "second", nil)},
	)
	require.Len(t, got, 2)
	require.Equal(t, call("a", "read"), got[0].Call)
	require.Equal(t, "first", got[0].Result.Parts[0].Text)
	require.False(t, got[0].Result.IsError)
	require.Equal(t, call("b", "rm"), got[1].Call)
	require.True(t, got[1].Result.IsError)
	require.Contains(t, got[1].Result.Parts[0].Text, "rm was not run")
	require.Empty(t, answer.WithID(nil, nil))
}

func TestMessages(t *testing.T) {
	t.Parallel()
	part := func(text string) pegboard.Part { return pegboard.Part{Text: text} }
	result := func(messages ...pegboard.Part) answer.Answer {
		return answer.Answer{Result: &pegboard.Result{Messages: messages}}
	}
	first := result(append(make([]pegboard.Part, 0, 8), part("a"), part("b"))...)
	answers := []answer.Answer{first, result(), result(part("c"))}
	require.Equal(t, []pegboard.Part{part("a"), part("b"), part("c"), part("d")}, answer.Messages(&wire.Message{}, answers, []pegboard.Part{part("d")}))
	require.Zero(t, first.Result.Messages[:3][2], "the result is not written to")
	more := []pegboard.Part{part("d")}
	require.Equal(t, more, answer.Messages(&wire.Message{}, answers[1:2], more))
	require.Empty(t, answer.Messages(&wire.Message{}, nil, nil))
}

// TestTo answers calls without an id, too: the first of them.
func TestTo(t *testing.T) {
	t.Parallel()
	done := pegboard.Outcome{Call: &pegboard.Call{}, Result: pegboard.TextResult("done")}
	got := answer.To([]pegboard.Call{{Name: "a"}, {Name: "b"}, {ID: "c", Name: "c"}}, []pegboard.Outcome{done})
	require.Len(t, got, 2)
	require.Equal(t, "a", got[0].Call.Name)
	require.Equal(t, "done", got[0].Result.Text())
	require.True(t, got[1].Result.IsError)
	require.Empty(t, answer.To(nil, nil))
}
