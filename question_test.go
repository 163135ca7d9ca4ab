package pegboard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

func TestAskerIsGivenTheWholeQuestion(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var questions []*pegboard.Question
	s := session(t, pegboard.SessionConfig{Dir: dir, Ask: answering(&questions, policy.Decision{Behavior: policy.Allow}, nil)})
	one := forked(t, s, pegboard.SessionConfig{AgentID: "one"})
	two := forked(t, one, pegboard.SessionConfig{AgentID: "two"})
	a := actor{name: "T", traits: pegboard.Traits{Targets: []policy.Target{{Kind: policy.Path, Value: "x/../f"}}}}
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
	abstain := func(_ ctx, q *pegboard.Question) (policy.Decision, error) { return policy.Decision{}, nil }
	tests := []struct {
		name string
		mode policy.Mode
		ask  []string
		hook pegboard.Asker
		want []policy.Decider
	}{
		{name: "the user alone", mode: policy.ModeDefault, ask: []string{"T"}},
		{name: "a hook", mode: policy.ModeDefault, ask: []string{"T"}, hook: abstain, want: []policy.Decider{policy.ByHook}},
		{name: "the classifier and a hook", mode: policy.ModeAuto, hook: abstain, want: []policy.Decider{policy.ByClassifier, policy.ByHook}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			perms, err := policy.New(tc.mode, policy.RuleSet{Source: policy.SourceProject, Ask: tc.ask})
			require.NoError(t, err)
			var questions []*pegboard.Question
			cfg := pegboard.SessionConfig{Dir: t.TempDir(), Permissions: perms, Hooks: pegboard.Hooks{Permission: tc.hook},
				Classifier: abstain, Ask: answering(&questions, policy.Decision{Behavior: policy.Allow}, nil)}
			a := actor{name: "T", traits: pegboard.Traits{Targets: []policy.Target{{Kind: policy.Path, Value: "/nowhere/f"}}}}
			var inLine []*pegboard.Question
			ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) {
				if e.Kind == pegboard.EventAsked {
					inLine = append(inLine, e.Question)
				}
			}})
			require.NoError(t, ex.Run(t.Context(), a.pool(t, session(t, cfg)), call("c", "T", `{}`))[0].Err)
			for _, q := range append(questions, inLine...) {
				require.Equal(t, tc.want, q.Besides)
				require.Equal(t, policy.Ask, q.Decision.Behavior)
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
	s := session(t, pegboard.SessionConfig{Ask: func(_ ctx, q *pegboard.Question) (policy.Decision, error) {
		if q.Call.ID == "1" {
			panic("dialog")
		}
		return policy.Decision{Behavior: policy.Allow}, nil
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
		s := session(t, pegboard.SessionConfig{Ask: func(ctx, *pegboard.Question) (policy.Decision, error) {
			defer open.Add(-1)
			if open.Add(1) > 1 {
				return policy.Decision{}, errors.New("two questions at once")
			}
			put.Add(1)
			time.Sleep(time.Minute)
			return policy.Decision{Behavior: policy.Allow}, nil
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

// TestAnswersThatAreRemembered: an answer changes the permissions of the whole
// conversation, is saved, and answers the open questions that it covers.
func TestAnswersThatAreRemembered(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	tests := []struct {
		name     string
		behavior policy.Behavior
		updates  []policy.Update
		paths    []string // touched one after the other
		asked    []string // of them
		denied   []string // of them
	}{
		{name: "nothing", behavior: policy.Allow, paths: []string{"a", "a"}, asked: []string{"a", "a"}},
		{name: "a rule", behavior: policy.Allow, updates: []policy.Update{allowRule(policy.SourceLocal, "Edit", "/a")},
			paths: []string{"a", "a", "b"}, asked: []string{"a", "b"}},
		{name: "a rule that denies", behavior: policy.Deny,
			updates: []policy.Update{{Type: policy.AddRules, Behavior: policy.Deny, Rules: []policy.UpdateRule{{Tool: "Edit", Pattern: "/a"}}, Destination: policy.SourceUser}},
			paths:   []string{"a", "a", "b"}, asked: []string{"a", "b"}, denied: []string{"a", "a", "b"}},
		{name: "a mode", behavior: policy.Allow, updates: []policy.Update{{Type: policy.SetMode, Mode: policy.ModeAcceptEdits, Destination: policy.SourceSession}},
			paths: []string{"a", "b", filepath.Join(outside, "c")}, asked: []string{"a", filepath.Join(outside, "c")}},
		{name: "a mode and a directory", behavior: policy.Allow, updates: []policy.Update{
			{Type: policy.SetMode, Mode: policy.ModeAcceptEdits, Destination: policy.SourceSession},
			{Type: policy.AddDirectories, Directories: []string{outside}, Destination: policy.SourceSession}},
			paths: []string{filepath.Join(outside, "c"), "b", filepath.Join(outside, "c")}, asked: []string{filepath.Join(outside, "c")}},
		{name: "bypass, which was not available", behavior: policy.Allow, updates: []policy.Update{{Type: policy.SetMode, Mode: policy.ModeBypass, Destination: policy.SourceSession}},
			paths: []string{"a", "a"}, asked: []string{"a", "a"}},
	}
	for _, tc := range tests {
		for _, agent := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/agent %v", tc.name, agent), func(t *testing.T) {
				t.Parallel()
				var asked []string
				var saved []policy.Update
				s := session(t, pegboard.SessionConfig{
					Dir: t.TempDir(),
					Ask: func(_ ctx, q *pegboard.Question) (policy.Decision, error) {
						var in touch
						require.NoError(t, json.Unmarshal(q.Call.Input, &in))
						asked = append(asked, in.Path)
						return policy.Decision{Behavior: tc.behavior, Remember: tc.updates}, nil
					},
					OnRemember: func(_ ctx, updates []policy.Update) error { saved = append(saved, updates...); return nil },
				})
				if agent {
					s = forked(t, forked(t, s, pegboard.SessionConfig{AgentID: "a"}), pegboard.SessionConfig{AgentID: "b"})
				}
				pool := toucherPool(t, s, nil)
				var denied []string
				for _, path := range tc.paths {
					ex := executor(pegboard.Executor{})
					if o := ex.Run(t.Context(), pool, touching("1", path))[0]; o.Err != nil {
						require.ErrorIs(t, o.Err, pegboard.ErrDenied)
						denied = append(denied, path)
					}
				}
				require.Equal(t, tc.asked, asked)
				require.Equal(t, tc.denied, denied)
				var want []policy.Update
				for range asked {
					want = append(want, slices.DeleteFunc(slices.Clone(tc.updates), func(u policy.Update) bool { return u.Mode == policy.ModeBypass })...)
				}
				require.Equal(t, want, saved)
			})
		}
	}
}

// TestAnswerSettlesWhatItCovers: of 20 open questions, the answer to one also answers
// those that its rule covers, in every agent. The user is not shown them.
func TestAnswerSettlesWhatItCovers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		shown := 0
		s := session(t, pegboard.SessionConfig{Dir: t.TempDir(), Ask: func(ctx ctx, q *pegboard.Question) (policy.Decision, error) {
			shown++
			return pegboard.AskLater(ctx, q)
		}})
		agent := forked(t, s, pegboard.SessionConfig{AgentID: "a"})
		var all sync.WaitGroup
		outs := make([]pegboard.Outcome, 20)
		for i := range outs {
			pool := toucherPool(t, []*pegboard.Session{s, agent}[i%2], nil)
			all.Go(func() {
				ex := executor(pegboard.Executor{})
				outs[i] = ex.Run(t.Context(), pool, touching("1", fmt.Sprintf("%s/f%d", []string{"src", "doc"}[i/2%2], i)))[0]
			})
		}
		synctest.Wait()
		open := s.Questions()
		require.Len(t, open, 20)
		var one *pegboard.Question
		for _, q := range open {
			if filepath.Base(filepath.Dir(q.Targets[0].Value)) == "src" {
				one = q
			}
		}
		require.NoError(t, s.Answer(one.ID, policy.Decision{Behavior: policy.Allow, Remember: []policy.Update{allowRule(policy.SourceSession, "Edit", "/src/**")}}))
		synctest.Wait()
		require.Len(t, s.Questions(), 10)
		for _, q := range s.Questions() {
			require.Equal(t, "doc", filepath.Base(filepath.Dir(q.Targets[0].Value)))
			require.NoError(t, s.Answer(q.ID, policy.Decision{Behavior: policy.Deny}))
		}
		all.Wait()
		for i, o := range outs {
			require.Equal(t, i/2%2 == 0, o.Err == nil, o.Result.Text())
		}
		require.LessOrEqual(t, shown, 1+10, "those that are settled are not shown")
	})
}

// TestRejectedAnswersLeaveTheQuestionOpen and change nothing.
func TestRejectedAnswersLeaveTheQuestionOpen(t *testing.T) {
	t.Parallel()
	yes := policy.Allow
	tests := []struct {
		name   string
		answer policy.Decision
		says   string
	}{
		{name: "none", says: "the answer was undecided"},
		{name: "asked back", answer: policy.Decision{Behavior: policy.Ask}, says: "the answer was ask"},
		{name: "an input that is no JSON", answer: policy.Decision{Behavior: yes, Input: json.RawMessage(`{`)}, says: "the changed input"},
		{name: "an input that the tool does not take", answer: policy.Decision{Behavior: yes, Input: json.RawMessage(`{"path":1}`)}, says: "the changed input"},
		{name: "a rule that is none", answer: policy.Decision{Behavior: yes, Remember: []policy.Update{allowRule(policy.SourceSession, "Edit", "/a"), allowRule(policy.SourceSession, "*", "")}}, says: `"*"`},
		{name: "the policy", answer: policy.Decision{Behavior: yes, Remember: []policy.Update{allowRule(policy.SourceManaged, "Edit", "/a")}}, says: "policy"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := session(t, pegboard.SessionConfig{Dir: t.TempDir(), Ask: pegboard.AskLater,
					OnRemember: func(ctx, []policy.Update) error { panic("nothing is to be saved") }})
				outs := make(chan pegboard.Outcome, 1)
				pool := toucherPool(t, s, nil)
				go func() {
					ex := executor(pegboard.Executor{})
					outs <- ex.Run(t.Context(), pool, touching("1", "a"))[0]
				}()
				synctest.Wait()
				q := s.Questions()[0]
				err := s.Answer(q.ID, tc.answer)
				require.ErrorContains(t, err, tc.says)
				require.NotErrorIs(t, err, pegboard.ErrQuestionClosed)
				require.Empty(t, s.Permissions().Rules())
				require.Len(t, s.Questions(), 1)
				require.NoError(t, s.Answer(q.ID, policy.Decision{Behavior: yes}))
				require.NoError(t, (<-outs).Err)
			})
		})
	}
}

// TestAnswerThatCannotBeSaved counts, and the caller of Answer gets the error.
func TestAnswerThatCannotBeSaved(t *testing.T) {
	t.Parallel()
	full := errors.New("the disk is full")
	for name, save := range map[string]func(ctx, []policy.Update) error{
		"error": func(ctx, []policy.Update) error { return full },
		"panic": func(ctx, []policy.Update) error { panic(full) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := session(t, pegboard.SessionConfig{Dir: t.TempDir(), Ask: pegboard.AskLater, OnRemember: save})
				pool := toucherPool(t, s, nil)
				outs := make(chan []pegboard.Outcome, 1)
				go func() {
					ex := executor(pegboard.Executor{})
					outs <- ex.Run(t.Context(), pool, touching("1", "a"))
				}()
				synctest.Wait()
				err := s.Answer(s.Questions()[0].ID, policy.Decision{Behavior: policy.Allow, Remember: []policy.Update{allowRule(policy.SourceUser, "Edit", "/a")}})
				require.ErrorIs(t, err, pegboard.ErrNotSaved)
				require.ErrorIs(t, err, full)
				require.NoError(t, (<-outs)[0].Err)
				ex := executor(pegboard.Executor{})
				require.NoError(t, ex.Run(t.Context(), pool, touching("1", "a"))[0].Err, "it holds for now")
			})
		})
	}
}

// TestDenyAndStop: the calls beside it are not run, and the turn ends.
func TestDenyAndStop(t *testing.T) {
	t.Parallel()
	for _, inside := range []bool{false, true} {
		t.Run(fmt.Sprintf("from within %v", inside), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				asked := 0
				s := session(t, pegboard.SessionConfig{Dir: t.TempDir(), Ask: func(_ ctx, q *pegboard.Question) (policy.Decision, error) {
					asked++
					return policy.Decision{Behavior: policy.Deny, Reason: "enough", StopTurn: true}, nil
				}})
				a := actor{name: "T", call: func(ctx ctx, c *pegboard.Call) error {
					return c.Check(ctx, policy.Target{Kind: policy.Path, Value: "x"})
				}}
				if inside {
					require.NoError(t, s.SetPermissions(rules(t, "", policy.RuleSet{Allow: []string{"T"}, Ask: []string{"Edit(x)"}})))
				}
				ex := executor(pegboard.Executor{})
				outs := ex.Run(t.Context(), a.pool(t, s), call("1", "T", `{}`), call("2", "T", `{"n":2}`))
				require.Equal(t, 1, asked)
				require.True(t, outs[0].StopTurn)
				require.Contains(t, outs[0].Result.Text(), "enough")
				require.ErrorIs(t, outs[1].Err, pegboard.ErrCancelled)
				require.ErrorIs(t, outs[1].Err, pegboard.ErrUserInterrupt)
			})
		})
	}
}

func TestAnswersThatDoNotAllow(t *testing.T) {
	t.Parallel()
	boom := errors.New("the line is dead")
	yes := policy.Decision{Behavior: policy.Allow}
	tests := []struct {
		name   string
		nobody bool
		user   bool
		answer policy.Decision
		err    error
		says   []string
		not    string
	}{
		{name: "denied", answer: policy.Decision{Behavior: policy.Deny, Reason: "not today"}, says: []string{"not today", "do something else"}, not: "No person"},
		{name: "denied without a word", answer: policy.Decision{Behavior: policy.Deny}, says: []string{"a person answered: deny"}, not: "No person"},
		{name: "undecided", says: []string{"no rule allows it", "nobody can be asked", "No person refused it"}},
		{name: "asked back", answer: policy.Decision{Behavior: policy.Ask}, says: []string{"the answer was ask", "No person refused it"}},
		{name: "no behavior at all", answer: policy.Decision{Behavior: 7}, says: []string{"the answer was invalid", "No person refused it"}},
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
			require.Equal(t, policy.Deny, out.Decision.Behavior)
			for _, s := range tc.says {
				require.Contains(t, out.Result.Text(), s)
			}
			if tc.not != "" {
				require.NotContains(t, out.Result.Text(), tc.not)
			}
		})
	}
}

// TestLateAnswerDoesNotCount: the call was cancelled while the person thought.
func TestLateAnswerDoesNotCount(t *testing.T) {
	t.Parallel()
	turn, cancel := context.WithCancel(t.Context())
	s := session(t, pegboard.SessionConfig{Ask: func(ctx, *pegboard.Question) (policy.Decision, error) {
		cancel()
		return policy.Decision{Behavior: policy.Allow}, nil
	}})
	ran := false
	a := actor{name: "T", call: func(ctx, *pegboard.Call) error { ran = true; return nil }}
	ex := executor(pegboard.Executor{})
	out := ex.Run(turn, a.pool(t, s), call("1", "T", ``))[0]
	require.False(t, ran)
	require.ErrorIs(t, out.Err, pegboard.ErrCancelled)
	require.Contains(t, out.Result.Text(), "was not run: the program stopped the turn. Nobody refused")
}

// TestInvariant3AnswerWithAnotherInput: an input that a person writes is decoded,
// validated and decided like one of the model's, and not asked about again.
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
				Permissions: rules(t, "", policy.RuleSet{Deny: []string{"Edit(fbad)"}, Ask: []string{"Edit(fask)"}}),
				Ask: func(ctx, *pegboard.Question) (policy.Decision, error) {
					questions++
					d := policy.Decision{Behavior: policy.Allow}
					if questions == 1 {
						d.Input = json.RawMessage(tc.input)
					}
					return d, nil
				},
				Hooks: pegboard.Hooks{Pre: func(_ ctx, h *pegboard.HookCall) (policy.Decision, error) {
					hooked = append(hooked, string(h.Call.Input))
					if string(h.Call.Input) == tc.input {
						return policy.Decision{Input: json.RawMessage(tc.hook)}, nil
					}
					return policy.Decision{}, nil
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

// TestRecordOfAnAnswerWithAnotherInput: the decided event holds the remembered updates
// and the reason.
func TestRecordOfAnAnswerWithAnotherInput(t *testing.T) {
	t.Parallel()
	updates := []policy.Update{allowRule(policy.SourceUser, "Edit", "/doc/**")}
	s := session(t, pegboard.SessionConfig{Dir: t.TempDir(), Ask: alwaysSays(policy.Decision{Behavior: policy.Allow, Reason: "there instead",
		Input: json.RawMessage(`{"path":"b"}`), Remember: updates})})
	var told []policy.Update
	ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) {
		if e.Kind == pegboard.EventDecided {
			told = append(told, e.Decision.Remember...)
		}
	}})
	o := ex.Run(t.Context(), toucherPool(t, s, nil), touching("1", "a"))[0]
	require.NoError(t, o.Err)
	require.Len(t, s.Permissions().Rules(), 1)
	require.Equal(t, updates, told, "the audit log is made of these events")
	require.Equal(t, "there instead", o.Decision.Reason)
}

// TestAnswerThatAlsoSetsAMode counts for its own call. With another input that the mode denies
// the answer is refused as a whole: the mode stays.
func TestAnswerThatAlsoSetsAMode(t *testing.T) {
	t.Parallel()
	for _, mode := range []policy.Mode{policy.ModeDontAsk, policy.ModeDeny, policy.ModePlan} {
		for input, denied := range map[string]bool{``: false, `{"path":"b"}`: true} {
			s := session(t, pegboard.SessionConfig{Dir: t.TempDir(), Ask: alwaysSays(policy.Decision{Behavior: policy.Allow, Input: json.RawMessage(input),
				Remember: []policy.Update{{Type: policy.SetMode, Mode: mode, Destination: policy.SourceSession}}})})
			ex := executor(pegboard.Executor{})
			o := ex.Run(t.Context(), toucherPool(t, s, nil), touching("1", "a"))[0]
			require.Equal(t, denied, o.Err != nil, "mode %s, input %q: %s", mode, input, o.Result.Text())
			if denied {
				mode = policy.ModeDefault
			}
			require.Equal(t, mode, s.Permissions().Mode(), "input %q", input)
		}
	}
}

// TestAnswerAtOnce: a listener may answer the question in the event that tells it.
func TestAnswerAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s *pegboard.Session
		shown := 0
		s = session(t, pegboard.SessionConfig{Dir: t.TempDir(),
			Ask: func(ctx ctx, q *pegboard.Question) (policy.Decision, error) {
				shown++
				return pegboard.AskLater(ctx, q)
			},
			OnRemember: func(ctx, []policy.Update) error { s.Questions(); return s.SetPermissions(s.Permissions()) }})
		ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) {
			if e.Kind == pegboard.EventAsked {
				require.NotEmpty(t, e.Question.Suggestions(policy.SourceSession))
				require.NoError(t, s.Answer(e.Question.ID, policy.Decision{Behavior: policy.Allow, Remember: e.Question.Suggestions(policy.SourceUser)[0]}))
			}
		}})
		for _, o := range ex.Run(t.Context(), toucherPool(t, s, nil), touching("1", "a"), touching("2", "b"), touching("3", "a")) {
			require.NoError(t, o.Err)
		}
		require.Len(t, s.Permissions().Rules(), 2)
	})
}

// TestAnswerIsRememberedAsAWholeOrNotAtAll: also if the parent has become stricter than
// the fork whose call was asked about.
func TestAnswerIsRememberedAsAWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	saved := false
	cfg := pegboard.SessionConfig{Dir: t.TempDir(), Permissions: rules(t, policy.ModeAcceptEdits, policy.RuleSet{})}
	cfg.Ask = alwaysSays(policy.Decision{Behavior: policy.Allow, Remember: []policy.Update{
		{Type: policy.AddDirectories, Directories: []string{outside}, Destination: policy.SourceSession}}})
	cfg.OnRemember = func(ctx, []policy.Update) error { saved = true; return nil }
	s := session(t, cfg)
	fork := forked(t, s, pegboard.SessionConfig{Permissions: rules(t, policy.ModeAcceptEdits, policy.RuleSet{})})
	require.NoError(t, s.UpdatePermissions(func(p policy.Permissions) (policy.Permissions, error) { return p.WithMode(policy.ModeDefault) }))
	a := actor{name: "T", traits: pegboard.Traits{ReadOnly: true, Targets: []policy.Target{{Kind: policy.Path, Access: policy.Read, Value: outside + "/x"}}}}
	ex := executor(pegboard.Executor{})
	o := ex.Run(t.Context(), a.pool(t, fork), call("1", "T", `{}`))[0]
	require.NoError(t, o.Err)
	require.True(t, saved)
	require.Len(t, s.Permissions().Directories(), 1)
	require.Len(t, fork.Permissions().Directories(), 1)
}

// TestRefusalThatCannotBeRemembered is a refusal all the same.
func TestRefusalThatCannotBeRemembered(t *testing.T) {
	t.Parallel()
	s := session(t, pegboard.SessionConfig{Ask: alwaysSays(policy.Decision{Behavior: policy.Deny, Reason: "never do that", StopTurn: true,
		Remember: []policy.Update{{Type: policy.AddRules, Behavior: policy.Deny, Rules: []policy.UpdateRule{{Tool: "Bash(x)"}}}}})})
	a := actor{name: "T"}
	ex := executor(pegboard.Executor{})
	o := ex.Run(t.Context(), a.pool(t, s), call("1", "T", `{}`))[0]
	require.ErrorIs(t, o.Err, pegboard.ErrDenied)
	require.Equal(t, policy.ByPerson, o.Decision.By, o.Result.Text())
	require.Contains(t, o.Result.Text(), "never do that")
	require.True(t, o.StopTurn)
}

// TestOnRememberHoldsUpNoAnswer: the answer counts whether it can be saved or not, so
// that a disk that hangs must not keep the call, its time-out or other answers.
func TestOnRememberHoldsUpNoAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s *pegboard.Session
		var again error
		begin := time.Now()
		s = session(t, pegboard.SessionConfig{Ask: pegboard.AskLater, AskTimeout: time.Minute, Dir: t.TempDir(),
			OnRemember: func(ctx, []policy.Update) error { time.Sleep(time.Hour); return nil }})
		outs := make(chan pegboard.Outcome, 1)
		pool := toucherPool(t, s, nil)
		go func() {
			ex := executor(pegboard.Executor{})
			outs <- ex.Run(t.Context(), pool, touching("1", "a"))[0]
		}()
		synctest.Wait()
		id := s.Questions()[0].ID
		var all sync.WaitGroup
		all.Go(func() {
			_ = s.Answer(id, policy.Decision{Behavior: policy.Allow, Remember: []policy.Update{allowRule(policy.SourceUser, "Edit", "/a")}})
		})
		synctest.Wait()
		late := time.Now()
		again = s.Answer(id, policy.Decision{Behavior: policy.Allow}) // as Save itself might, which then never ends
		waited := time.Since(late)
		require.ErrorIs(t, again, pegboard.ErrQuestionClosed)
		<-outs
		all.Wait()
		require.Zero(t, waited, "it is answered")
		require.LessOrEqual(t, time.Since(begin), time.Hour)
	})
}

// previewing is a tool whose preview is f.
func previewing(f func(ctx context.Context, in touch, c *pegboard.Call) ([]pegboard.Diff, error)) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[touch, string]{
		Info: pegboard.Info{Name: "Touch"}, Description: "For a test.", Preview: f,
		Validate: func(_ ctx, in touch, _ *pegboard.Call) error {
			if in.Path == "bad" {
				return errors.New("name another file")
			}
			return nil
		},
		Call: func(ctx, touch, *pegboard.Call) (string, error) { return "ok", nil },
	})
}

// ownPreview is a wrapper that says what it does.
type ownPreview struct{ pegboard.Tool }

func (ownPreview) Preview(context.Context, *pegboard.Call) ([]pegboard.Diff, error) {
	return []pegboard.Diff{{Path: "/own"}}, nil
}

func TestQuestionPreview(t *testing.T) {
	t.Parallel()
	shows := func(_ context.Context, in touch, c *pegboard.Call) ([]pegboard.Diff, error) {
		if c.ID != "1" {
			return nil, errors.New("another call")
		}
		return []pegboard.Diff{{Path: "/" + in.Path}}, nil
	}
	refuses := func(context.Context, touch, *pegboard.Call) ([]pegboard.Diff, error) {
		return nil, errors.New("read it first")
	}
	crashes := func(context.Context, touch, *pegboard.Call) ([]pegboard.Diff, error) { panic("x") }
	none := errors.New("none")
	tests := []struct {
		name  string
		tool  pegboard.Tool
		input string
		path  string
		is    error
		says  string
	}{
		{name: "a preview", tool: previewing(shows), path: "/p"},
		{name: "no preview", tool: previewing(nil), is: pegboard.ErrNoPreview, says: "Touch"},
		{name: "a wrapper", tool: struct{ pegboard.Tool }{previewing(shows)}, is: pegboard.ErrNoPreview, says: "Touch"},
		{name: "a wrapper with a preview", tool: ownPreview{previewing(shows)}, path: "/own"},
		{name: "it would fail", tool: previewing(refuses), says: "read it first"},
		{name: "it would be refused", tool: previewing(shows), input: `{"path":"bad"}`, says: "name another file"},
		{name: "wrong input", tool: previewing(shows), input: `{"bath":"p"}`, is: pegboard.ErrInvalidInput},
		{name: "a panic", tool: previewing(crashes), is: pegboard.ErrPanic},
		{name: "the tool says that there is none", tool: previewing(func(context.Context, touch, *pegboard.Call) ([]pegboard.Diff, error) {
			return nil, errors.Join(pegboard.ErrNoPreview, none)
		}), is: none},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var diffs []pegboard.Diff
			var err error
			s := session(t, pegboard.SessionConfig{Ask: func(ctx context.Context, q *pegboard.Question) (policy.Decision, error) {
				if tt.input != "" { // the user has changed it
					q.Call = &pegboard.Call{ID: "1", Name: "Touch", Input: []byte(tt.input)}
				}
				diffs, err = q.Preview(ctx)
				return policy.Decision{Behavior: policy.Deny}, nil
			}})
			out := run(t, registryOf(t, tt.tool), s, call("1", "Touch", `{"path":"p"}`))
			require.ErrorIs(t, out.Err, pegboard.ErrDenied)
			if tt.path != "" {
				require.NoError(t, err)
				require.Equal(t, []pegboard.Diff{{Path: tt.path}}, diffs)
				return
			}
			require.Error(t, err)
			require.Empty(t, diffs)
			require.ErrorContains(t, err, tt.says)
			if tt.is != nil {
				require.ErrorIs(t, err, tt.is)
			}
		})
	}
}

// TestQuestionNamesFirstWhatNeedsApproval: the part of a call that nobody has allowed stands
// first and in full, however much harmless there is before it.
func TestQuestionNamesFirstWhatNeedsApproval(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	var harmless []policy.Target
	for i := range 5 {
		harmless = append(harmless, pathTo(policy.Read, fmt.Sprint("r", i)))
	}
	long := "rm " + strings.Repeat("x ", 1000) + "y"
	risky := []policy.Target{
		{Kind: policy.Command, Access: policy.Run, Value: long},
		{Kind: policy.Command, Access: policy.Run, Value: "make a"}, {Kind: policy.Command, Access: policy.Run, Value: "make b"},
		pathTo(policy.Write, "w"),
	}
	rest := fmt.Sprintf("(what needs no approval: read %s, read %s, read %s, more)", at("r0"), at("r1"), at("r2"))
	for _, test := range []struct {
		name    string
		targets []policy.Target
		mode    policy.Mode
		allow   []string
		want    string
	}{
		{name: "after the harmless", targets: append(harmless, risky...), want: "T wants to run " + long + ", run make a, run make b, write " + at("w") + " " + rest},
		{name: "before the harmless", targets: append(risky[1:2:2], harmless...), want: "T wants to run make a " + rest},
		{name: "beside what rules allow", targets: risky[1:], allow: []string{"T(make a)", "Edit(/w)"}, want: fmt.Sprintf("T wants to run make b (what needs no approval: run make a, write %s)", at("w"))},
		{name: "beside what the mode allows", targets: risky[2:], mode: policy.ModeAcceptEdits, want: fmt.Sprintf("T wants to run make b (what needs no approval: write %s)", at("w"))},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var questions []*pegboard.Question
			p, err := policy.New(test.mode, policy.RuleSet{Allow: test.allow})
			require.NoError(t, err)
			s := session(t, pegboard.SessionConfig{Dir: dir, Permissions: p, Ask: answering(&questions, policy.Decision{Behavior: policy.Deny}, nil)})
			a := actor{name: "T", traits: pegboard.Traits{Targets: test.targets}}
			e := executor(pegboard.Executor{})
			e.Run(t.Context(), a.pool(t, s), call("1", "T", ``))
			require.Len(t, questions, 1)
			require.Equal(t, "no rule allows it: "+test.want, questions[0].Reason)
		})
	}
}

// TestQuestionNamesAtMostFifty of the targets that need approval, and counts the others.
func TestQuestionNamesAtMostFifty(t *testing.T) {
	t.Parallel()
	var targets []policy.Target
	for i := range 60 {
		targets = append(targets, policy.Target{Kind: policy.Command, Access: policy.Run, Value: fmt.Sprint("c", i)})
	}
	a := actor{name: "T", traits: pegboard.Traits{Targets: targets}}
	d := a.pool(t, session(t, pegboard.SessionConfig{})).Decide(t.Context(), call("1", "T", ``))
	require.Contains(t, d.Reason, "run c49, and 10 more")
	require.NotContains(t, d.Reason, "c50")
}

// TestQuestionShowsWhereALinkLeads, unless the link lies above a working directory.
func TestQuestionShowsWhereALinkLeads(t *testing.T) {
	t.Parallel()
	real, elsewhere := t.TempDir(), t.TempDir()
	dir := filepath.Join(t.TempDir(), "linked")
	require.NoError(t, os.Symlink(real, dir))
	require.NoError(t, os.Symlink(elsewhere, filepath.Join(real, "out")))
	d := func(name string) string {
		a := actor{name: "T", traits: pegboard.Traits{Targets: []policy.Target{pathTo(policy.Write, name)}}}
		return a.pool(t, session(t, pegboard.SessionConfig{Dir: dir})).Decide(t.Context(), call("1", "T", ``)).Reason
	}
	require.Contains(t, d("out/f"), "write "+filepath.Join(dir, "out", "f")+", which leads to "+filepath.Join(elsewhere, "f")+", outside the working directories")
	require.Equal(t, "no rule allows it: T wants to write "+filepath.Join(dir, "f"), d("f"))
	require.NotContains(t, d(filepath.Join(elsewhere, "f")), "leads to")
}

// TestRuleNamesTheTargetThatItMatches among several.
func TestRuleNamesTheTargetThatItMatches(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, behavior := range []policy.Behavior{policy.Ask, policy.Deny} {
		set := policy.RuleSet{Ask: []string{"Bash(git push *)"}}
		if behavior == policy.Deny {
			set = policy.RuleSet{Deny: set.Ask}
		}
		p, err := policy.New(policy.ModeDefault, set)
		require.NoError(t, err)
		a := actor{name: "T", traits: pegboard.Traits{Targets: []policy.Target{
			{Kind: policy.Command, Access: policy.Run, Value: "go test"},
			{Kind: policy.Command, Access: policy.Run, Value: "git push origin"},
		}}}
		d := a.pool(t, session(t, pegboard.SessionConfig{Dir: dir, Permissions: p})).Decide(t.Context(), call("1", "T", ``))
		require.Equal(t, behavior, d.Behavior)
		require.Equal(t, fmt.Sprintf("%v rule %q covers run git push origin", behavior, "Bash(git push *)"), d.Reason)
	}
}

// TestFirstRuleDecides among those that match, whichever target it is about.
func TestFirstRuleDecides(t *testing.T) {
	t.Parallel()
	a := reading(policy.Target{Value: "a"}, policy.Target{Value: "b"})
	for _, list := range [][]string{{"Read(b)", "Read(a)"}, {"Read(a)", "Read(b)"}, {"Read(b)", "T"}, {"T", "Read(b)"}} {
		pool := a.pool(t, session(t, pegboard.SessionConfig{}))
		for _, set := range []policy.RuleSet{{Ask: list}, {Deny: list}} {
			require.NoError(t, pool.Session().SetPermissions(rules(t, policy.ModeBypass, set)))
			require.Equal(t, list[0], pool.Decide(t.Context(), call("1", "T", ``)).Rule.String())
		}
	}
}

// TestPreviewReadsWhatTheCallWrites: a preview opens the file that the person is asked about, and
// asks nothing itself, since whoever is asked waits for it.
func TestPreviewReadsWhatTheCallWrites(t *testing.T) {
	t.Parallel()
	var read, other, write error
	tool := pegboard.Build(pegboard.Definition[touch, string]{
		Info: pegboard.Info{Name: "Touch"}, Description: "For a test.",
		Inspect: func(in touch, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{Targets: []policy.Target{policy.Writes(in.Path)}}
		},
		Preview: func(ctx context.Context, in touch, c *pegboard.Call) ([]pegboard.Diff, error) {
			var target policy.Target
			target, read = c.PathTarget(ctx, policy.Read, in.Path)
			_, other = c.PathTarget(ctx, policy.Read, "/elsewhere")
			write = c.Check(ctx, policy.Writes("/elsewhere"))
			return []pegboard.Diff{{Path: target.Real()}}, nil
		},
		Call: func(ctx, touch, *pegboard.Call) (string, error) { return "ok", nil },
	})
	var diffs []pegboard.Diff
	s := session(t, pegboard.SessionConfig{Dir: t.TempDir(), Ask: func(ctx context.Context, q *pegboard.Question) (d policy.Decision, err error) {
		diffs, err = q.Preview(ctx)
		return policy.Decision{Behavior: policy.Allow}, err
	}})
	out := run(t, registryOf(t, tool), s, call("1", "Touch", `{"path":"p"}`))
	require.NoError(t, out.Err)
	require.NoError(t, read)
	require.Equal(t, out.Call.Targets()[0].Real(), diffs[0].Path)
	for _, err := range []error{other, write} {
		require.ErrorIs(t, err, pegboard.ErrDenied)
		require.ErrorContains(t, err, "a preview asks nobody")
	}
}
