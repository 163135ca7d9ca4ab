package agents_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/agents"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// readsTask returns a loop that writes down what the agent reads, and answers.
func readsTask(s *story) agents.Loop {
	return func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
		parts, err := a.Next(ctx, agents.Usage{})
		for _, p := range parts {
			if !strings.HasPrefix(p.Text, "(With SendMessage") { // which every agent is told
				s.add(p.Text)
			}
		}
		return agents.Reply{Text: fmt.Sprintf("Answer after %d messages.", len(a.History()))}, errors.Join(err, a.Append(modelMessage(tooltest.Turn{Text: "An answer."})))
	}
}

// TestHooks: words of Start come before the task, and a text of Stop keeps the agent going, eight
// times at most.
func TestHooks(t *testing.T) {
	t.Parallel()
	var s story
	var endings []agents.Ending
	h := newHouse(t, pegboard.SessionConfig{}, readsTask(&s), func(o *agents.Options) {
		o.Hooks.Start = func(_ context.Context, a *agents.Agent) (string, error) { return "You are " + a.Type + ".", nil }
		o.Hooks.Stop = func(_ context.Context, e agents.Ending) (string, error) {
			endings = append(endings, e)
			return "Check it again.", nil
		}
	}, look())
	out := h.call(t, nil)
	require.NoError(t, out.Err)
	require.Contains(t, out.Result.Text(), "Answer after 8 messages.")
	lines := s.all()
	require.Equal(t, []string{"You are general-purpose.", "Do it.", "Check it again."}, lines[:3])
	require.Len(t, lines, 2+agents.MaxStopTexts)
	require.Len(t, endings, agents.MaxStopTexts)
	require.Equal(t, 7, endings[7].Kept)
	require.Equal(t, "Answer after 0 messages.", endings[0].Text)
}

// TestHooksFail: a hook that fails is logged and changes nothing.
func TestHooksFail(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func() (string, error){
		"an error": func() (string, error) { return "not told", errors.New("boom") },
		"a panic":  func() (string, error) { panic("boom") },
	} {
		var s story
		var logged bytes.Buffer
		h := newHouse(t, pegboard.SessionConfig{}, readsTask(&s), func(o *agents.Options) {
			o.Logger = slog.New(slog.NewTextHandler(&logged, nil))
			o.Hooks.Start = func(context.Context, *agents.Agent) (string, error) { return fail() }
			o.Hooks.Stop = func(context.Context, agents.Ending) (string, error) { return fail() }
		}, look())
		require.NoError(t, h.call(t, nil).Err, name)
		require.Equal(t, []string{"Do it."}, s.all(), name)
		require.Equal(t, 2, bytes.Count(logged.Bytes(), []byte("boom")), logged.String())
	}
}

// TestHookStopsItsAgent: before the first request no model is asked.
func TestHookStopsItsAgent(t *testing.T) {
	t.Parallel()
	var s story
	h := newHouse(t, pegboard.SessionConfig{}, readsTask(&s), func(o *agents.Options) {
		o.Hooks.Start = func(context.Context, *agents.Agent) (string, error) {
			return "not told", fmt.Errorf("%w: enough for today", agents.ErrStopped)
		}
	}, look())
	out := h.call(t, nil)
	require.ErrorIs(t, out.Err, agents.ErrStopped)
	require.Contains(t, out.Result.Text(), "enough for today")
	require.Empty(t, s.all())
}

// TestHookIgnoresStop: a hook that does not return holds up no call that is stopped.
func TestHookIgnoresStop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hold, begun := make(chan struct{}), make(chan struct{})
		var s story
		h := newHouse(t, pegboard.SessionConfig{}, readsTask(&s), func(o *agents.Options) {
			o.Hooks.Stop = func(context.Context, agents.Ending) (string, error) { close(begun); <-hold; return "", nil }
		}, look())
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-begun; cancel() }()
		out := h.run(ctx, agentCall(t, nil))[0]
		require.ErrorIs(t, out.Err, pegboard.ErrCancelled)
		require.Contains(t, out.Result.Text(), "An answer.")
		close(hold)
		require.Eventually(t, func() bool { return h.agents.List(h.session)[0].State == agents.Stopped }, time.Minute, time.Millisecond)
	})
}

// TestSkillsOfDefinition: an agent is told the skills of its definition, and its caller which of
// them could not be told.
func TestSkillsOfDefinition(t *testing.T) {
	t.Parallel()
	definitions := func(*pegboard.Session) []agents.Definition {
		return []agents.Definition{{Name: "general-purpose", Description: "x", Skills: []string{"pdf", "gone", "odd"}}}
	}
	var s story
	h := newHouse(t, pegboard.SessionConfig{}, readsTask(&s), func(o *agents.Options) {
		o.Definitions = definitions
		o.Skill = func(_ context.Context, _ *pegboard.Session, name string) (string, error) {
			switch name {
			case "pdf":
				return "How to read a PDF.", nil
			case "odd":
				panic("boom")
			}
			return "", errors.New("there is no such skill")
		}
	}, look())
	out := h.call(t, nil)
	require.NoError(t, out.Err)
	require.Equal(t, []string{"How to read a PDF.", "Do it."}, s.all())
	require.Contains(t, out.Result.Text(), "(The skill gone of its definition was not told: there is no such skill.)")
	require.Contains(t, out.Result.Text(), "(The skill odd of its definition was not told: panic: boom.)")
	h = newHouse(t, pegboard.SessionConfig{}, readsTask(&s), func(o *agents.Options) { o.Definitions = definitions }, look())
	require.Contains(t, h.call(t, nil).Result.Text(), "The skill pdf of its definition was not told")
}

// TestFork: an agent of the type fork has its caller's pool and prompt, and starts no further one.
func TestFork(t *testing.T) {
	t.Parallel()
	tables := pegboard.DefaultRoleTables()
	tools, _ := everything(t, pegboard.Gates{})
	var forked []*agents.Agent
	var has []string
	h := newHouse(t, pegboard.SessionConfig{}, func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
		forked = append(forked, a)
		p, err := a.Pool()
		if err != nil {
			return agents.Reply{}, err
		}
		for d := range p.Declarations(pegboard.Builtin) {
			has = append(has, d.Name)
		}
		out := (&pegboard.Executor{}).Run(ctx, p, agentCall(t, map[string]any{"subagent_type": "fork"}))[0]
		return agents.Reply{Text: out.Result.Text()}, nil
	}, func(o *agents.Options) { o.Forks, o.Pool = true, pegboard.PoolConfig{Roles: &tables} }, tools...)
	pegboard.KeySystemPrompt.Set(h.session, pegboard.SystemPrompt{Rendered: "The whole prompt."})
	require.Contains(t, h.description(t), "\n- fork: ")
	out := h.call(t, map[string]any{"subagent_type": "fork"})
	require.NoError(t, out.Err)
	require.Len(t, forked, 1)
	require.True(t, forked[0].Forked)
	require.Same(t, h.session, forked[0].Caller)
	require.Empty(t, forked[0].History())
	prompt, _ := pegboard.KeySystemPrompt.Get(forked[0].Session)
	require.Equal(t, "The whole prompt.", prompt.Rendered)
	var want []string
	for d := range h.pool().Declarations(pegboard.Builtin) {
		want = append(want, d.Name)
	}
	require.Equal(t, want, has, "as the caller, in spite of the role")
	require.Contains(t, out.Result.Text(), "starts no further one")

	narrow := h.pool().Restrict(pegboard.Restriction{Only: []string{"Agent", "Read"}})
	has = nil
	require.NoError(t, h.executor.Run(t.Context(), narrow, agentCall(t, map[string]any{"subagent_type": "fork"}))[0].Err)
	require.Equal(t, []string{"Agent", "Read"}, has)

	h = newHouse(t, pegboard.SessionConfig{}, says("x"), nil, look())
	require.ErrorIs(t, h.call(t, map[string]any{"subagent_type": "fork"}).Err, agents.ErrUnknownType)
}

// TestModelAndEffort: the call wins over the definition, and that over the caller.
func TestModelAndEffort(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, call, definition, caller, want string }{
		{name: "the caller's", caller: "opus", want: "opus"},
		{name: "the definition's", caller: "opus", definition: "haiku", want: "haiku"},
		{name: "the call's", caller: "opus", definition: "haiku", call: "sonnet", want: "sonnet"},
		{name: "inherit", caller: "opus", definition: "inherit", want: "opus"},
		{name: "none"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var got, key, effort, below string
			h := newHouse(t, pegboard.SessionConfig{}, func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
				if len(a.Session.AgentPath()) == 2 {
					below = a.Effort
					return agents.Reply{Text: "x"}, nil
				}
				got, effort = a.Model, a.Effort
				key, _ = pegboard.KeyModel.Get(a.Session)
				p, err := a.Pool()
				if err != nil {
					return agents.Reply{}, err
				}
				out := (&pegboard.Executor{}).Run(ctx, p, agentCall(t, map[string]any{"subagent_type": "looker"}))[0]
				return agents.Reply{Text: "x"}, out.Err
			}, func(o *agents.Options) {
				o.Definitions = func(*pegboard.Session) []agents.Definition {
					return []agents.Definition{{Name: "general-purpose", Description: "x", Model: tc.definition, Effort: "high"}, {Name: "looker", Description: "x"}}
				}
			}, look())
			if tc.caller != "" {
				pegboard.KeyModel.Set(h.session, tc.caller)
			}
			result, err := h.agents.Start(t.Context(), h.session, agents.Request{Prompt: "p", Model: tc.call})
			require.NoError(t, err)
			require.Equal(t, []string{tc.want, tc.want, tc.want}, []string{got, key, result.ResolvedModel})
			require.Equal(t, []string{"high", "high"}, []string{effort, below})
		})
	}
}

// TestDefinitionOfRequest: Go code may give the definition itself, and a schema for the value.
func TestDefinitionOfRequest(t *testing.T) {
	t.Parallel()
	var got *agents.Agent
	h := newHouse(t, pegboard.SessionConfig{}, func(_ context.Context, a *agents.Agent) (agents.Reply, error) {
		got = a
		return agents.Reply{Structured: []byte(`{"n":3}`)}, nil
	}, nil, look())
	result, err := h.agents.Start(t.Context(), h.session, agents.Request{
		Prompt: "Count.", Schema: []byte(`{"type":"object"}`), Definition: &agents.Definition{Name: "skill:count", Prompt: "You count.", Tools: []string{"Look"}},
	})
	require.NoError(t, err)
	require.JSONEq(t, `{"n":3}`, string(result.Structured))
	require.JSONEq(t, `{"type":"object"}`, string(got.Schema))
	require.Equal(t, []string{"skill:count", "You count."}, []string{got.Type, got.System})
}
