package pegboard_test

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

func TestAskerIsGivenTheWholeQuestion(t *testing.T) {
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

// TestQuestionSaysWhichRuleAsksAndWhoElseDecides, also in the event.
func TestQuestionSaysWhichRuleAsksAndWhoElseDecides(t *testing.T) {
	t.Parallel()
	abstain := func(_ ctx, q *pegboard.Question) (pegboard.Decision, error) { return pegboard.Decision{}, nil }
	tests := []struct {
		name string
		mode pegboard.Mode
		ask  []string
		hook pegboard.Asker
		want []pegboard.Decider
	}{
		{name: "the user alone", mode: pegboard.ModeDefault, ask: []string{"T"}},
		{name: "a hook", mode: pegboard.ModeDefault, ask: []string{"T"}, hook: abstain, want: []pegboard.Decider{pegboard.ByHook}},
		{name: "the classifier and a hook", mode: pegboard.ModeAuto, hook: abstain, want: []pegboard.Decider{pegboard.ByClassifier, pegboard.ByHook}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			perms, err := pegboard.NewPermissions(tc.mode, pegboard.RuleSet{Source: pegboard.SourceProject, Ask: tc.ask})
			require.NoError(t, err)
			var questions []*pegboard.Question
			cfg := pegboard.SessionConfig{Dir: t.TempDir(), Permissions: perms, Hooks: pegboard.Hooks{Permission: tc.hook},
				Classifier: abstain, Ask: answering(&questions, pegboard.Decision{Behavior: pegboard.Allow}, nil)}
			a := actor{name: "T", traits: pegboard.Traits{Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Value: "/nowhere/f"}}}}
			var inLine []*pegboard.Question
			ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) {
				if e.Kind == pegboard.EventAsked {
					inLine = append(inLine, e.Question)
				}
			}})
			require.NoError(t, ex.Run(t.Context(), a.pool(t, session(t, cfg)), call("c", "T", `{}`))[0].Err)
			for _, q := range append(questions, inLine...) {
				require.Equal(t, tc.want, q.Besides)
				require.Equal(t, pegboard.Ask, q.Decision.Behavior)
				if require.Equal(t, tc.ask != nil, q.Decision.Rule != nil); tc.ask != nil {
					require.Equal(t, "T", q.Decision.Rule.String())
				}
			}
			require.Len(t, questions, 1)
			require.Len(t, inLine, 1)
		})
	}
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

// TestForkHasNoMorePatience than its parent.
func TestForkHasNoMorePatience(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, patience := range []time.Duration{-1, time.Hour} {
			begin := time.Now()
			s := session(t, pegboard.SessionConfig{Ask: pegboard.AskLater, AskTimeout: time.Minute})
			fork := forked(t, s, pegboard.SessionConfig{AskTimeout: patience})
			own, cancel := context.WithTimeout(t.Context(), 2*time.Hour)
			a := actor{name: "T"}
			ex := executor(pegboard.Executor{})
			ex.Run(own, a.pool(t, fork), call("1", "T", `{}`))
			cancel()
			require.Equal(t, time.Minute, time.Since(begin))
		}
	})
}
