package pegboard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

func allowRule(to pegboard.RuleSource, tool, pattern string) pegboard.PermissionUpdate {
	return pegboard.PermissionUpdate{Type: pegboard.UpdateAddRules, Behavior: pegboard.Allow, Destination: to, Rules: []pegboard.PermissionUpdateRule{{Tool: tool, Pattern: pattern}}}
}

// TestAnswersThatAreRemembered: an answer changes the permissions of the whole
// conversation, is saved, and settles what it covers.
func TestAnswersThatAreRemembered(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	tests := []struct {
		name     string
		behavior pegboard.Behavior
		updates  []pegboard.PermissionUpdate
		paths    []string // touched one after the other
		asked    []string // of them
		denied   []string // of them
	}{
		{name: "nothing", behavior: pegboard.Allow, paths: []string{"a", "a"}, asked: []string{"a", "a"}},
		{name: "a rule", behavior: pegboard.Allow, updates: []pegboard.PermissionUpdate{allowRule(pegboard.SourceLocal, "Edit", "/a")},
			paths: []string{"a", "a", "b"}, asked: []string{"a", "b"}},
		{name: "a rule that denies", behavior: pegboard.Deny,
			updates: []pegboard.PermissionUpdate{{Type: pegboard.UpdateAddRules, Behavior: pegboard.Deny, Rules: []pegboard.PermissionUpdateRule{{Tool: "Edit", Pattern: "/a"}}, Destination: pegboard.SourceUser}},
			paths:   []string{"a", "a", "b"}, asked: []string{"a", "b"}, denied: []string{"a", "a", "b"}},
		{name: "a mode", behavior: pegboard.Allow, updates: []pegboard.PermissionUpdate{{Type: pegboard.UpdateSetMode, Mode: pegboard.ModeAcceptEdits, Destination: pegboard.SourceSession}},
			paths: []string{"a", "b", filepath.Join(outside, "c")}, asked: []string{"a", filepath.Join(outside, "c")}},
		{name: "a mode and a directory", behavior: pegboard.Allow, updates: []pegboard.PermissionUpdate{
			{Type: pegboard.UpdateSetMode, Mode: pegboard.ModeAcceptEdits, Destination: pegboard.SourceSession},
			{Type: pegboard.UpdateAddDirectories, Directories: []string{outside}, Destination: pegboard.SourceSession}},
			paths: []string{filepath.Join(outside, "c"), "b", filepath.Join(outside, "c")}, asked: []string{filepath.Join(outside, "c")}},
		{name: "bypass, which was not available", behavior: pegboard.Allow, updates: []pegboard.PermissionUpdate{{Type: pegboard.UpdateSetMode, Mode: pegboard.ModeBypass, Destination: pegboard.SourceSession}},
			paths: []string{"a", "a"}, asked: []string{"a", "a"}},
	}
	for _, tc := range tests {
		for _, agent := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/agent %v", tc.name, agent), func(t *testing.T) {
				t.Parallel()
				var asked []string
				var saved []pegboard.PermissionUpdate
				s := session(t, pegboard.SessionConfig{
					Dir: t.TempDir(),
					Ask: func(_ ctx, q *pegboard.Question) (pegboard.Decision, error) {
						var in touch
						require.NoError(t, json.Unmarshal(q.Call.Input, &in))
						asked = append(asked, in.Path)
						return pegboard.Decision{Behavior: tc.behavior, Remember: tc.updates}, nil
					},
					OnRemember: func(_ ctx, updates []pegboard.PermissionUpdate) error { saved = append(saved, updates...); return nil },
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
				var want []pegboard.PermissionUpdate
				for range asked {
					want = append(want, slices.DeleteFunc(slices.Clone(tc.updates), func(u pegboard.PermissionUpdate) bool { return u.Mode == pegboard.ModeBypass })...)
				}
				require.Equal(t, want, saved)
			})
		}
	}
}

// TestAnswerSettlesWhatItCovers: of 20 questions in line, the answer to one settles
// all that its rule is about, in every agent; nobody is shown them.
func TestAnswerSettlesWhatItCovers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		shown := 0
		s := session(t, pegboard.SessionConfig{Dir: t.TempDir(), Ask: func(ctx ctx, q *pegboard.Question) (pegboard.Decision, error) {
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
		require.NoError(t, s.Answer(one.ID, pegboard.Decision{Behavior: pegboard.Allow, Remember: []pegboard.PermissionUpdate{allowRule(pegboard.SourceSession, "Edit", "/src/**")}}))
		synctest.Wait()
		require.Len(t, s.Questions(), 10)
		for _, q := range s.Questions() {
			require.Equal(t, "doc", filepath.Base(filepath.Dir(q.Targets[0].Value)))
			require.NoError(t, s.Answer(q.ID, pegboard.Decision{Behavior: pegboard.Deny}))
		}
		all.Wait()
		for i, o := range outs {
			require.Equal(t, i/2%2 == 0, o.Err == nil, o.Result.Text())
		}
		require.LessOrEqual(t, shown, 1+10, "those that are settled are not shown")
	})
}

// TestAnswersThatCannotBe leave the question open, and change nothing.
func TestAnswersThatCannotBe(t *testing.T) {
	t.Parallel()
	yes := pegboard.Allow
	tests := []struct {
		name   string
		answer pegboard.Decision
		says   string
	}{
		{name: "none", says: "the answer was undecided"},
		{name: "asked back", answer: pegboard.Decision{Behavior: pegboard.Ask}, says: "the answer was ask"},
		{name: "an input that is no JSON", answer: pegboard.Decision{Behavior: yes, Input: json.RawMessage(`{`)}, says: "the changed input"},
		{name: "an input that the tool does not take", answer: pegboard.Decision{Behavior: yes, Input: json.RawMessage(`{"path":1}`)}, says: "the changed input"},
		{name: "a rule that is none", answer: pegboard.Decision{Behavior: yes, Remember: []pegboard.PermissionUpdate{allowRule(pegboard.SourceSession, "Edit", "/a"), allowRule(pegboard.SourceSession, "*", "")}}, says: `"*"`},
		{name: "the policy", answer: pegboard.Decision{Behavior: yes, Remember: []pegboard.PermissionUpdate{allowRule(pegboard.SourcePolicy, "Edit", "/a")}}, says: "policy"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := session(t, pegboard.SessionConfig{Dir: t.TempDir(), Ask: pegboard.AskLater,
					OnRemember: func(ctx, []pegboard.PermissionUpdate) error { panic("nothing is to be saved") }})
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
				require.NoError(t, s.Answer(q.ID, pegboard.Decision{Behavior: yes}))
				require.NoError(t, (<-outs).Err)
			})
		})
	}
}

// TestAnswerThatCannotBeSaved counts, and who answered learns of it.
func TestAnswerThatCannotBeSaved(t *testing.T) {
	t.Parallel()
	full := errors.New("the disk is full")
	for name, save := range map[string]func(ctx, []pegboard.PermissionUpdate) error{
		"error": func(ctx, []pegboard.PermissionUpdate) error { return full },
		"panic": func(ctx, []pegboard.PermissionUpdate) error { panic(full) },
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
				err := s.Answer(s.Questions()[0].ID, pegboard.Decision{Behavior: pegboard.Allow, Remember: []pegboard.PermissionUpdate{allowRule(pegboard.SourceUser, "Edit", "/a")}})
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
				s := session(t, pegboard.SessionConfig{Dir: t.TempDir(), Ask: func(_ ctx, q *pegboard.Question) (pegboard.Decision, error) {
					asked++
					return pegboard.Decision{Behavior: pegboard.Deny, Reason: "enough", StopTurn: true}, nil
				}})
				a := actor{name: "T", call: func(ctx ctx, c *pegboard.Call) error {
					return c.Check(ctx, pegboard.Target{Kind: pegboard.TargetPath, Value: "x"})
				}}
				if inside {
					require.NoError(t, s.SetPermissions(rules(t, "", pegboard.RuleSet{Allow: []string{"T"}, Ask: []string{"Edit(x)"}})))
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

// TestChecksComeFirst: they are heard in their order, and the person only if none
// of them decides.
func TestChecksComeFirst(t *testing.T) {
	t.Parallel()
	say := func(b pegboard.Behavior, reason string) pegboard.Asker {
		return func(ctx, *pegboard.Question) (pegboard.Decision, error) {
			return pegboard.Decision{Behavior: b, Reason: reason}, nil
		}
	}
	fails := func(ctx, *pegboard.Question) (pegboard.Decision, error) {
		return pegboard.Decision{Behavior: pegboard.Allow}, errors.New("down")
	}
	panics := func(ctx, *pegboard.Question) (pegboard.Decision, error) { panic("down") }
	tests := []struct {
		name         string
		checks, fork []pegboard.Asker
		user         bool
		by           pegboard.Decider
		reason       string
	}{
		{name: "none", by: pegboard.ByPerson, reason: "person"},
		{name: "allows", checks: []pegboard.Asker{say(pegboard.Allow, "one"), say(pegboard.Deny, "two")}, by: pegboard.ByApprover, reason: "one"},
		{name: "abstains, fails, panics", checks: []pegboard.Asker{say(pegboard.Undecided, ""), fails, panics, say(pegboard.Deny, "four")}, by: pegboard.ByApprover, reason: "four"},
		{name: "all abstain", checks: []pegboard.Asker{say(pegboard.Ask, ""), panics}, by: pegboard.ByPerson, reason: "person"},
		{name: "only a person may", user: true, checks: []pegboard.Asker{say(pegboard.Allow, "one")}, by: pegboard.ByPerson, reason: "person"},
		{name: "a fork's cannot allow", fork: []pegboard.Asker{say(pegboard.Allow, "fork")}, by: pegboard.ByPerson, reason: "person"},
		{name: "a fork's can deny", fork: []pegboard.Asker{say(pegboard.Deny, "fork")}, by: pegboard.ByApprover, reason: "fork"},
		{name: "a fork's come later", checks: []pegboard.Asker{say(pegboard.Allow, "parent")}, fork: []pegboard.Asker{say(pegboard.Deny, "fork")}, by: pegboard.ByApprover, reason: "parent"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := session(t, pegboard.SessionConfig{Approvers: tc.checks, Ask: say(pegboard.Allow, "person")})
			s = forked(t, s, pegboard.SessionConfig{Approvers: tc.fork})
			a := actor{name: "T", user: tc.user}
			ex := executor(pegboard.Executor{})
			d := ex.Run(t.Context(), a.pool(t, s), call("1", "T", ``))[0].Decision
			require.Equal(t, tc.by, d.By)
			require.Equal(t, tc.reason, d.Reason)
		})
	}
}

// TestNobodyToAsk tells apart why there was no answer.
func TestNobodyToAsk(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		cfg  pegboard.SessionConfig
		fork pegboard.SessionConfig
		is   error
		says string
	}{
		{name: "no asker", is: pegboard.ErrNoApprover, says: "nobody can be asked"},
		{name: "an agent that must not disturb", cfg: pegboard.SessionConfig{Ask: pegboard.AskLater}, fork: pegboard.SessionConfig{NoPrompts: true}, is: pegboard.ErrNoApprover, says: "nobody can be asked"},
		{name: "its parent must not", cfg: pegboard.SessionConfig{Ask: pegboard.AskLater, NoPrompts: true}, is: pegboard.ErrNoApprover, says: "nobody can be asked"},
		{name: "nobody at the other end", cfg: pegboard.SessionConfig{Ask: func(ctx, *pegboard.Question) (pegboard.Decision, error) { return pegboard.Decision{}, nil }}, is: pegboard.ErrNoApprover, says: "nobody can be asked"},
		{name: "no answer in time", cfg: pegboard.SessionConfig{Ask: pegboard.AskLater, AskTimeout: time.Minute}, is: pegboard.ErrExpired, says: "nobody answered in time: waited 1m0s"},
		{name: "a bridge that gave up", cfg: pegboard.SessionConfig{Ask: func(ctx, *pegboard.Question) (pegboard.Decision, error) {
			return pegboard.Decision{}, context.DeadlineExceeded
		}}, is: pegboard.ErrExpired, says: "nobody answered in time"},
		{name: "a fork of less patience", cfg: pegboard.SessionConfig{Ask: pegboard.AskLater, AskTimeout: time.Hour}, fork: pegboard.SessionConfig{AskTimeout: time.Second}, is: pegboard.ErrExpired, says: "waited 1s"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := forked(t, session(t, tc.cfg), tc.fork)
				a := actor{name: "T"}
				ex := executor(pegboard.Executor{})
				o := ex.Run(t.Context(), a.pool(t, s), call("1", "T", ``))[0]
				require.ErrorIs(t, o.Err, tc.is)
				require.ErrorIs(t, o.Err, pegboard.ErrDenied)
				require.NotErrorIs(t, o.Err, pegboard.ErrCancelled)
				require.Contains(t, o.Result.Text(), tc.says)
				require.Contains(t, o.Result.Text(), "No person refused it")
				require.Equal(t, pegboard.ByNobody, o.Decision.By)
			})
		})
	}
}
