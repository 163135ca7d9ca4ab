package tooltest_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// answer makes an outcome for a call with the given ID.
func answer(id string) pegboard.Outcome {
	return pegboard.Outcome{Call: &pegboard.Call{ID: id}, Result: pegboard.TextResult("answer to " + id)}
}

func answers(ids ...string) []pegboard.Outcome {
	var all []pegboard.Outcome
	for _, id := range ids {
		all = append(all, answer(id))
	}
	return all
}

// asking is a turn of calls with the given IDs.
func asking(ids ...string) tooltest.Turn {
	var turn tooltest.Turn
	for _, id := range ids {
		turn.Calls = append(turn.Calls, pegboard.Call{ID: id, Name: "T"})
	}
	return turn
}

func TestModel(t *testing.T) {
	t.Parallel()
	saying := tooltest.Turn{Text: "done"}
	for _, tt := range []struct {
		name    string
		turns   []tooltest.Turn
		replies [][]pegboard.Outcome // what each Reply is given
		err     string               // of the last Reply; empty: none
		done    string               // empty: none, or as err if that is set
	}{
		{name: "empty script"},
		{name: "complete", turns: []tooltest.Turn{asking("a", "b"), saying}, replies: [][]pegboard.Outcome{nil, answers("a", "b")}},
		{name: "in another order", turns: []tooltest.Turn{asking("a", "b"), saying}, replies: [][]pegboard.Outcome{nil, answers("b", "a")}},
		{name: "two calls of one ID", turns: []tooltest.Turn{asking("a", "a"), saying}, replies: [][]pegboard.Outcome{nil, answers("a", "a")}},
		{name: "words between", turns: []tooltest.Turn{saying, asking("a"), saying}, replies: [][]pegboard.Outcome{nil, nil, answers("a")}},
		{
			name: "never asked", turns: []tooltest.Turn{saying},
			done: "the loop ended after 0 of 1 turns",
		},
		{
			name: "ended early", turns: []tooltest.Turn{asking("a"), saying}, replies: [][]pegboard.Outcome{nil},
			done: "the loop ended after 1 of 2 turns",
		},
		{
			name: "last calls not answered", turns: []tooltest.Turn{saying, asking("a", "b")}, replies: [][]pegboard.Outcome{nil, nil},
			done: "turn 2: no outcome was handed over for a, b",
		},
		{
			name: "asked too often", turns: []tooltest.Turn{saying}, replies: [][]pegboard.Outcome{nil, nil},
			err: "the model was asked for turn 2, its script has 1: a loop ends after a turn without calls",
		},
		{
			name: "missing", turns: []tooltest.Turn{asking("a", "b"), saying}, replies: [][]pegboard.Outcome{nil, answers("b")},
			err: "turn 1: no outcome was handed over for a, a call of T",
		},
		{
			name: "one of two of one ID missing", turns: []tooltest.Turn{asking("a", "a"), saying}, replies: [][]pegboard.Outcome{nil, answers("a")},
			err: "turn 1: no outcome was handed over for a, a call of T",
		},
		{
			name: "twice", turns: []tooltest.Turn{asking("a"), saying}, replies: [][]pegboard.Outcome{nil, answers("a", "a", "a")},
			err: "turn 1: an outcome of a answers no call of this turn",
		},
		{
			name: "unknown", turns: []tooltest.Turn{asking("a"), saying}, replies: [][]pegboard.Outcome{nil, answers("x", "a")},
			err: "turn 1: an outcome of x answers no call of this turn",
		},
		{
			name: "of the turn before", turns: []tooltest.Turn{asking("a"), asking("b"), saying},
			replies: [][]pegboard.Outcome{nil, answers("a"), answers("a", "b")},
			err:     "turn 2: an outcome of a answers no call of this turn",
		},
		{
			name: "before the first turn", turns: []tooltest.Turn{saying}, replies: [][]pegboard.Outcome{answers("a")},
			err: "1 outcomes were handed over before the first turn",
		},
		{
			name: "after mere words", turns: []tooltest.Turn{saying, saying}, replies: [][]pegboard.Outcome{nil, answers("a")},
			err: "1 outcomes were handed over after turn 1, which has no calls",
		},
		{
			name: "without a call", turns: []tooltest.Turn{asking("a"), saying},
			replies: [][]pegboard.Outcome{nil, {answer("a"), {Result: pegboard.TextResult("x")}}},
			err:     "turn 1: outcome 2 has no call",
		},
		{
			name: "without a result", turns: []tooltest.Turn{asking("a"), saying},
			replies: [][]pegboard.Outcome{nil, {answer("a"), {Call: &pegboard.Call{ID: "a"}}}},
			err:     "turn 1: the outcome of a has no result",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := tooltest.NewModel(tt.turns...)
			for i, given := range tt.replies {
				turn, err := m.Reply(given)
				if tt.err != "" && i == len(tt.replies)-1 {
					require.EqualError(t, err, tt.err)
					_, again := m.Reply(nil)
					require.Equal(t, err, again, "the error stays")
					require.Equal(t, err, m.Done())
					return
				}
				require.NoError(t, err)
				require.Equal(t, tt.turns[i], turn)
			}
			if tt.done != "" {
				require.EqualError(t, m.Done(), tt.done)
				return
			}
			require.NoError(t, m.Done())
		})
	}
}

func TestModelExpect(t *testing.T) {
	t.Parallel()
	turn := asking("a", "b")
	var seen []string
	objection := errors.New("not so")
	turn.Expect = func(outcomes []pegboard.Outcome) error {
		for _, o := range outcomes {
			seen = append(seen, o.Result.Text())
		}
		return objection
	}
	m := tooltest.NewModel(turn, tooltest.Turn{})
	_, err := m.Reply(nil)
	require.NoError(t, err)
	require.Empty(t, seen)
	_, err = m.Reply(answers("b", "a"))
	require.ErrorIs(t, err, objection)
	require.EqualError(t, err, "turn 1: not so")
	require.Equal(t, []string{"answer to a", "answer to b"}, seen, "in the order of the calls")
	require.ErrorIs(t, m.Done(), objection)
}

func TestModelGivesIDsAndKeepsItsScript(t *testing.T) {
	t.Parallel()
	script := tooltest.Turn{Calls: []pegboard.Call{tooltest.Call("T", `{}`), {ID: "mine", Name: "T"}, tooltest.Call("T", `{}`)}}
	m := tooltest.NewModel(script, script)
	turn, err := m.Reply(nil)
	require.NoError(t, err)
	ids := func(turn tooltest.Turn) (ids []string) {
		for _, c := range turn.Calls {
			ids = append(ids, c.ID)
		}
		return ids
	}
	require.Equal(t, []string{"turn-1-call-1", "mine", "turn-1-call-3"}, ids(turn))
	require.Empty(t, script.Calls[0].ID, "the script given is not written to")
	turn.Calls[0].ID, turn.Calls[1].Input = "changed", []byte("changed")
	next, err := m.Reply(answers("turn-1-call-1", "mine", "turn-1-call-3"))
	require.NoError(t, err)
	require.Equal(t, []string{"turn-2-call-1", "mine", "turn-2-call-3"}, ids(next))
}

func TestWantErrors(t *testing.T) {
	t.Parallel()
	denied := answer("b")
	denied.Err = &pegboard.CallError{Tool: "T", Stage: pegboard.StagePermission, Err: pegboard.ErrDenied}
	outcomes := []pegboard.Outcome{answer("a"), denied}
	for _, tt := range []struct {
		name string
		want []error
		err  string
	}{
		{name: "as wanted", want: []error{nil, pegboard.ErrDenied}},
		{name: "another error", want: []error{nil, pegboard.ErrPanic}, err: `b: got error "permission T: denied", want error "panicked"`},
		{name: "an error too many", want: []error{nil, nil}, err: `b: got error "permission T: denied", want no error`},
		{name: "an error too few", want: []error{pegboard.ErrDenied, pegboard.ErrDenied}, err: `a: got no error, want error "denied"`},
		{name: "another number", want: []error{nil}, err: "got 2 outcomes, want 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := tooltest.WantErrors(tt.want...)(outcomes)
			if tt.err == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, tt.err)
		})
	}
}
