package pegboard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// answering returns an asker that notes every question and gives one answer.
func answering(questions *[]*pegboard.Question, d pegboard.Decision, err error) pegboard.Asker {
	return func(_ ctx, q *pegboard.Question) (pegboard.Decision, error) {
		*questions = append(*questions, q)
		return d, err
	}
}

func TestAskerIsToldAll(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var questions []*pegboard.Question
	s := session(t, pegboard.SessionConfig{Dir: dir, Ask: answering(&questions, pegboard.Decision{Behavior: pegboard.Allow}, nil)})
	one := forked(t, s, pegboard.SessionConfig{AgentID: "one"})
	two := forked(t, one, pegboard.SessionConfig{AgentID: "two"})
	a := actor{name: "T", traits: pegboard.Traits{Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Value: "x/../f"}}}}
	for _, s := range []*pegboard.Session{s, one, two} {
		ex := executor(pegboard.Executor{})
		require.NoError(t, ex.Run(t.Context(), a.pool(t, s), call("c", "T", `{"k":1}`))[0].Err)
	}
	require.Len(t, questions, 3)
	require.Empty(t, questions[0].AgentPath)
	require.Equal(t, []string{"one"}, questions[1].AgentPath)
	q := questions[0]
	require.Equal(t, []string{"one", "two"}, questions[2].AgentPath)
	require.Equal(t, "T", q.Tool.Info().Name)
	require.Equal(t, `c {"k":1}`, q.Call.ID+" "+string(q.Call.Input))
	require.Equal(t, filepath.Join(dir, "f"), q.Targets[0].Value)
	require.Contains(t, q.Reason, "no rule allows it: T")
	require.Contains(t, q.Reason, "write "+filepath.Join(dir, "f"))
}

func TestAnswersThatAreNone(t *testing.T) {
	t.Parallel()
	boom := errors.New("the line is dead")
	yes := pegboard.Decision{Behavior: pegboard.Allow}
	tests := []struct {
		name   string
		nobody bool
		user   bool
		answer pegboard.Decision
		err    error
		says   []string
		not    string
	}{
		{name: "denied", answer: pegboard.Decision{Behavior: pegboard.Deny, Reason: "not today"}, says: []string{"not today", "do something else"}, not: "No person"},
		{name: "denied without a word", answer: pegboard.Decision{Behavior: pegboard.Deny}, says: []string{"a person answered: deny"}, not: "No person"},
		{name: "undecided", says: []string{"no rule allows it", "nobody can be asked", "No person refused it"}},
		{name: "asked back", answer: pegboard.Decision{Behavior: pegboard.Ask}, says: []string{"the answer was ask", "No person refused it"}},
		{name: "no behavior at all", answer: pegboard.Decision{Behavior: 7}, says: []string{"the answer was invalid", "No person refused it"}},
		{name: "error", err: boom, says: []string{"asking: the line is dead", "No person refused it"}},
		{name: "allowed with an error", answer: yes, err: boom, says: []string{"the line is dead", "No person refused it"}},
		{name: "nobody", nobody: true, says: []string{"nobody can be asked", "allow rule T would permit it", "No person refused it"}},
		{name: "nobody, and only a person may", nobody: true, user: true, says: []string{"only a person may allow T", "nobody can be asked"}, not: "would permit"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			cfg := pegboard.SessionConfig{}
			var questions []*pegboard.Question
			if !tc.nobody {
				cfg.Ask = answering(&questions, tc.answer, tc.err)
			}
			ran := false
			a := actor{name: "T", user: tc.user, call: func(ctx, *pegboard.Call) error { ran = true; return nil }}
			ex := executor(pegboard.Executor{})
			out := ex.Run(t.Context(), a.pool(t, session(t, cfg)), call("1", "T", ``))[0]
			require.False(t, ran)
			require.ErrorIs(t, out.Err, pegboard.ErrDenied)
			require.Equal(t, pegboard.Deny, out.Decision.Behavior)
			for _, s := range tc.says {
				require.Contains(t, out.Result.Text(), s)
			}
			if tc.not != "" {
				require.NotContains(t, out.Result.Text(), tc.not)
			}
		})
	}
}

// TestLateAnswerIsNone: the call was cancelled while the person thought.
func TestLateAnswerIsNone(t *testing.T) {
	t.Parallel()
	turn, cancel := context.WithCancel(t.Context())
	s := session(t, pegboard.SessionConfig{Ask: func(ctx, *pegboard.Question) (pegboard.Decision, error) {
		cancel()
		return pegboard.Decision{Behavior: pegboard.Allow}, nil
	}})
	ran := false
	a := actor{name: "T", call: func(ctx, *pegboard.Call) error { ran = true; return nil }}
	ex := executor(pegboard.Executor{})
	out := ex.Run(turn, a.pool(t, s), call("1", "T", ``))[0]
	require.False(t, ran)
	require.ErrorIs(t, out.Err, pegboard.ErrCancelled)
	require.Contains(t, out.Result.Text(), "was not run: the user interrupted the turn. Nobody refused")
}

// TestLateAnswerToACheckIsNone: the tool gave up before the person answered.
func TestLateAnswerToACheckIsNone(t *testing.T) {
	t.Parallel()
	why := errors.New("the tool gave up")
	var giveUp context.CancelCauseFunc
	cfg := pegboard.SessionConfig{Ask: func(ctx, *pegboard.Question) (pegboard.Decision, error) {
		giveUp(why)
		return pegboard.Decision{Behavior: pegboard.Allow}, nil
	}}
	var checked error
	a := actor{name: "T", traits: pegboard.Traits{ReadOnly: true}, call: func(ctx ctx, c *pegboard.Call) error {
		ctx, giveUp = context.WithCancelCause(ctx)
		checked = c.Check(ctx, pegboard.Target{})
		return nil
	}}
	ex := executor(pegboard.Executor{})
	require.NoError(t, ex.Run(t.Context(), a.pool(t, session(t, cfg)), call("1", "T", ``))[0].Err)
	require.ErrorIs(t, checked, pegboard.ErrDenied)
	require.ErrorContains(t, checked, "the tool gave up")
}

// TestAskerThatPanicsKeepsNobodyWaiting: the next question is put all the same.
func TestAskerThatPanicsKeepsNobodyWaiting(t *testing.T) {
	t.Parallel()
	s := session(t, pegboard.SessionConfig{Ask: func(_ ctx, q *pegboard.Question) (pegboard.Decision, error) {
		if q.Call.ID == "1" {
			panic("dialog")
		}
		return pegboard.Decision{Behavior: pegboard.Allow}, nil
	}})
	a := actor{name: "T"}
	ex := executor(pegboard.Executor{})
	outs := ex.Run(t.Context(), a.pool(t, s), call("1", "T", ``), call("2", "T", ``))
	require.ErrorIs(t, outs[0].Err, pegboard.ErrPanic)
	require.NoError(t, outs[1].Err)
}

// TestOneQuestionAtATime lets a session, its fork and the fork's fork ask at
// once, and one of those that wait is cancelled.
func TestOneQuestionAtATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var open, put atomic.Int32
		s := session(t, pegboard.SessionConfig{Ask: func(ctx, *pegboard.Question) (pegboard.Decision, error) {
			defer open.Add(-1)
			if open.Add(1) > 1 {
				return pegboard.Decision{}, errors.New("two questions at once")
			}
			put.Add(1)
			time.Sleep(time.Minute)
			return pegboard.Decision{Behavior: pegboard.Allow}, nil
		}})
		one := forked(t, s, pegboard.SessionConfig{})
		two := forked(t, one, pegboard.SessionConfig{})
		a := actor{name: "T"}
		begin := time.Now()
		var wg sync.WaitGroup
		for _, s := range []*pegboard.Session{s, one, two} {
			pool := a.pool(t, s)
			wg.Go(func() {
				ex := executor(pegboard.Executor{})
				if err := ex.Run(context.Background(), pool, call("1", "T", ``))[0].Err; err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		ex := executor(pegboard.Executor{})
		require.ErrorIs(t, ex.Run(ctx, a.pool(t, s), call("2", "T", ``))[0].Err, pegboard.ErrCancelled)
		require.Equal(t, time.Second, time.Since(begin))
		wg.Wait()
		require.Equal(t, 3*time.Minute, time.Since(begin))
		require.EqualValues(t, 3, put.Load())
	})
}

type step struct {
	N    int    `json:"n"`
	Path string `json:"path,omitempty"`
}

// stepper returns a tool that writes Path, and notes the inputs it ran with.
func stepper(ran *[]step) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[step, string]{
		Info: pegboard.Info{Name: "T"}, Description: "For a test.",
		Inspect: func(in step, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Value: "f" + in.Path}}}
		},
		Validate: func(_ ctx, in step, _ *pegboard.Call) error {
			if in.N == 13 {
				return errors.New("13 is unlucky; take 12")
			}
			return nil
		},
		Call: func(_ ctx, in step, _ *pegboard.Call) (string, error) { *ran = append(*ran, in); return "ok", nil },
	})
}

// TestInvariant3AnswerWithAnotherInput: what a person writes is decoded,
// validated and decided like what the model wrote, and not asked about again.
func TestInvariant3AnswerWithAnotherInput(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, input string // input: the first answer's, the others change nothing
		hook        string // what a hook makes of that input; empty: nothing
		runs        string // empty: nothing
		questions   int
		is          error
		says        string
	}{
		{name: "the same", input: `{"n":1}`, runs: `{"n":1}`, questions: 1},
		{name: "another", input: `{"n":2,"path":"x"}`, runs: `{"n":2,"path":"x"}`, questions: 1},
		{name: "the same in other bytes", input: `{"n": 1}`, runs: `{"n": 1}`, questions: 1},
		{name: "under an ask rule", input: `{"n":2,"path":"ask"}`, runs: `{"n":2,"path":"ask"}`, questions: 1},
		{name: "changed by a hook", input: `{"n":2}`, hook: `{"n":3}`, runs: `{"n":3}`, questions: 2},
		{name: "changed back by a hook", input: `{"n":2}`, hook: `{"n":1}`, runs: `{"n":1}`, questions: 2},
		{name: "no JSON", input: `{"n":`, questions: 1, is: pegboard.ErrInvalidInput, says: "JSON"},
		{name: "against the schema", input: `{"n":"2"}`, questions: 1, is: pegboard.ErrInvalidInput, says: "the changed input: invalid input: n"},
		{name: "against validation", input: `{"n":13}`, questions: 1, is: pegboard.ErrInvalidInput, says: "take 12"},
		{name: "against a deny rule", input: `{"n":2,"path":"bad"}`, questions: 1, is: pegboard.ErrDenied, says: `deny rule "Edit(fbad)"`},
		{name: "against a hook", input: `{"n":2}`, hook: `{"n":13}`, questions: 1, is: pegboard.ErrInvalidInput, says: "take 12"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var ran []step
			var hooked []string
			questions := 0
			cfg := pegboard.SessionConfig{
				Permissions: rules(t, "", pegboard.RuleSet{Deny: []string{"Edit(fbad)"}, Ask: []string{"Edit(fask)"}}),
				Ask: func(ctx, *pegboard.Question) (pegboard.Decision, error) {
					questions++
					d := pegboard.Decision{Behavior: pegboard.Allow}
					if questions == 1 {
						d.Input = json.RawMessage(tc.input)
					}
					return d, nil
				},
				Hooks: pegboard.Hooks{Pre: func(_ ctx, h *pegboard.HookCall) (pegboard.Decision, error) {
					hooked = append(hooked, string(h.Call.Input))
					if string(h.Call.Input) == tc.input {
						return pegboard.Decision{Input: json.RawMessage(tc.hook)}, nil
					}
					return pegboard.Decision{}, nil
				}},
			}
			var reg pegboard.Registry
			require.NoError(t, reg.Add(stepper(&ran)))
			out := run(t, &reg, session(t, cfg), call("1", "T", `{"n":1}`))
			require.Equal(t, tc.questions, questions)
			if tc.runs == "" {
				require.Empty(t, ran)
				require.ErrorIs(t, out.Err, tc.is)
				require.Contains(t, out.Result.Text(), tc.says)
				return
			}
			require.NoError(t, out.Err)
			require.Equal(t, tc.runs, string(out.Call.Input))
			require.Equal(t, tc.runs, hooked[len(hooked)-1], "hooks see what runs")
			var want step
			require.NoError(t, json.Unmarshal([]byte(tc.runs), &want))
			require.Equal(t, []step{want}, ran)
		})
	}
}

// TestInputIsChangedAtMostEightTimes by whoever it is, and the model is not
// told to try again.
func TestInputIsChangedAtMostEightTimes(t *testing.T) {
	t.Parallel()
	for _, changes := range []int{1, 7, 8, 9, 1000} {
		t.Run(fmt.Sprint(changes), func(t *testing.T) {
			t.Parallel()
			var ran []step
			var reg pegboard.Registry
			require.NoError(t, reg.Add(stepper(&ran)))
			cfg := bypass(t)
			cfg.Hooks.Pre = func(_ ctx, h *pegboard.HookCall) (pegboard.Decision, error) {
				var in step
				err := json.Unmarshal(h.Call.Input, &in)
				if next := fmt.Sprintf(`{"n":%d}`, in.N-1); in.N > -changes {
					return pegboard.Decision{Input: json.RawMessage(next)}, err
				}
				return pegboard.Decision{}, err
			}
			out := run(t, &reg, session(t, cfg), call("1", "T", `{"n":0}`))
			if changes <= 8 {
				require.NoError(t, out.Err)
				require.Equal(t, []step{{N: -changes}}, ran)
				return
			}
			require.Empty(t, ran)
			require.ErrorIs(t, out.Err, pegboard.ErrDenied)
			require.Contains(t, out.Result.Text(), "do not agree on its input. Tell the user")
		})
	}
}
