package answer_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
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
