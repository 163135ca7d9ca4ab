package agents_test

import (
	"context"
	"encoding/json"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/agents"
	"github.com/seed49eaa51d/pegboard/tools/background"
	"github.com/seed49eaa51d/pegboard/tools/shell"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

type valueKey struct{}

// steps returns a loop that writes a message for each step and waits for the next.
func steps(next <-chan string) agents.Loop {
	return func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
		if _, err := a.Next(ctx, agents.Usage{}); err != nil {
			return agents.Reply{}, err
		}
		last := ""
		for {
			select {
			case text, more := <-next:
				if !more {
					return agents.Reply{Text: last}, nil
				}
				last = text
				if err := a.Append(modelMessage(tooltest.Turn{Text: text})); err != nil {
					return agents.Reply{}, err
				}
			case <-ctx.Done():
				return agents.Reply{}, context.Cause(ctx)
			}
		}
	}
}

// news returns the texts of the session's news.
func news(s *pegboard.Session) (texts []string) {
	for _, p := range s.Notifications() {
		texts = append(texts, p.Text)
	}
	return texts
}

// TestBackgroundRun: the call answers at once, the agent outlives it with the values of its
// context, its output file grows, and its end is told once, with the report.
func TestBackgroundRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		next := make(chan string)
		var value any
		var role pegboard.Role
		loop := steps(next)
		h := newHouse(t, pegboard.SessionConfig{}, func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
			value, role = ctx.Value(valueKey{}), a.Session.Role()
			return loop(ctx, a)
		}, nil, look(), readTool(), shell.TaskStop())
		ctx, cancel := context.WithCancel(context.WithValue(t.Context(), valueKey{}, "the caller's"))
		out := h.run(ctx, agentCall(t, map[string]any{"run_in_background": true, "name": "anna"}))[0]
		require.NoError(t, out.Err)
		cancel()
		data, ok := out.Result.Data.(agents.Result)
		require.True(t, ok)
		require.Equal(t, agents.StatusLaunched, data.Status)
		require.True(t, data.CanReadOutput)
		require.Regexp(t, `^Agent anna \(agent-[a-z2-7]{8}\) of the type general-purpose works in the background.\nTask id: agent_\w+\nOutput file: /.*\nYou are told of its end with its report; .* TaskStop ends it.$`, out.Result.Text())
		synctest.Wait()
		require.Equal(t, "the caller's", value)
		require.Equal(t, pegboard.RoleAsyncAgent, role)
		require.Empty(t, news(h.session))
		for i, text := range []string{"First.", "Second."} {
			next <- text
			synctest.Wait()
			file, err := os.ReadFile(data.OutputFile)
			require.NoError(t, err)
			require.Equal(t, []string{"First.\n", "First.\nSecond.\n"}[i], string(file))
		}
		require.Equal(t, data.TaskID, h.agents.List(h.session)[0].TaskID)
		close(next)
		synctest.Wait()
		told := news(h.session)
		require.Len(t, told, 1)
		require.Contains(t, told[0], "completed")
		require.Regexp(t, `reports:\n\(Agent anna \(agent-.*\)\n\nSecond.$`, told[0])
		require.Empty(t, news(h.session))
	})
}

// TestEndsOfBackgroundRun: TaskStop, Stop and the end of the conversation end an agent.
func TestEndsOfBackgroundRun(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		end  func(ctx context.Context, h *house, r agents.Result) error
		told string // "" for nothing
	}{
		{name: "TaskStop by id", told: "was stopped", end: func(ctx context.Context, h *house, r agents.Result) error {
			_, err := background.Of(h.session).Stop(ctx, r.TaskID)
			return err
		}},
		{name: "Stop by id", told: "stopped on request", end: func(_ context.Context, h *house, r agents.Result) error {
			return h.agents.Stop(h.session, r.AgentID)
		}},
		{name: "Stop by name", told: "stopped on request", end: func(_ context.Context, h *house, _ agents.Result) error {
			return h.agents.Stop(h.session, "anna")
		}},
		{name: "the end of the conversation", end: func(ctx context.Context, h *house, _ agents.Result) error {
			return h.session.Close(ctx)
		}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				next := make(chan string)
				h := newHouse(t, pegboard.SessionConfig{}, steps(next), nil, look())
				result, err := h.agents.Start(t.Context(), h.session, agents.Request{Prompt: "p", Background: true, Name: "anna"})
				require.NoError(t, err)
				next <- "Half of it."
				synctest.Wait()
				require.NoError(t, tc.end(t.Context(), h, result))
				time.Sleep(time.Minute)
				synctest.Wait()
				told := news(h.session)
				if tc.told == "" {
					require.Empty(t, told)
				} else {
					require.Len(t, told, 1)
					require.Contains(t, told[0], tc.told)
					require.Contains(t, told[0], "Half of it.")
					require.Equal(t, agents.Stopped, h.agents.List(h.session)[0].State)
					require.ErrorIs(t, h.agents.Stop(h.session, "anna"), agents.ErrEnded)
				}
				require.ErrorIs(t, h.agents.Stop(h.session, "berta"), agents.ErrUnknownAgent)
			})
		})
	}
}

// TestToBackground: the call answers at once, and the agent goes on, with what it has written in
// its output file.
func TestToBackground(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		next := make(chan string)
		h := newHouse(t, pegboard.SessionConfig{}, steps(next), nil, look())
		require.Zero(t, h.agents.ToBackground(h.session))
		answers := make(chan []pegboard.Outcome)
		ctx, cancel := context.WithCancel(t.Context())
		one, two := agentCall(t, nil), agentCall(t, nil)
		two.ID = "2"
		go func() { answers <- h.run(ctx, one, two) }()
		synctest.Wait()
		require.Len(t, h.agents.List(h.session), 2)
		next <- "First."
		next <- "Second."
		synctest.Wait()
		require.Equal(t, 2, h.agents.ToBackground(h.session))
		require.Zero(t, h.agents.ToBackground(h.session))
		outcomes := <-answers
		cancel() // the message is over
		for _, out := range outcomes {
			require.NoError(t, out.Err)
			require.Equal(t, agents.StatusLaunched, resultOf(t, out).Status)
			require.FileExists(t, resultOf(t, out).OutputFile)
		}
		synctest.Wait()
		require.Equal(t, agents.Running, h.agents.List(h.session)[0].State)
		next <- "Third."
		close(next)
		synctest.Wait()
		require.Len(t, news(h.session), 2)
	})
}

// TestToBackgroundMovesCallsOnly: what Go code waits for, and what a conversation without
// a background has, stays.
func TestToBackgroundMovesCallsOnly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		next := make(chan string)
		h := newHouse(t, pegboard.SessionConfig{}, steps(next), nil, look())
		done := make(chan agents.Result)
		go func() {
			r, _ := h.agents.Start(t.Context(), h.session, agents.Request{Prompt: "p"})
			done <- r
		}()
		synctest.Wait()
		require.Zero(t, h.agents.ToBackground(h.session))
		next <- "x"
		close(next)
		require.Equal(t, agents.StatusCompleted, (<-done).Status)
	})
	synctest.Test(t, func(t *testing.T) {
		next := make(chan string)
		h := newHouse(t, pegboard.SessionConfig{}, steps(next), func(o *agents.Options) { o.NoBackground = true }, look())
		done := make(chan pegboard.Outcome)
		c := agentCall(t, nil)
		go func() { done <- h.run(t.Context(), c)[0] }()
		synctest.Wait()
		require.Zero(t, h.agents.ToBackground(h.session))
		next <- "x"
		close(next)
		require.NoError(t, (<-done).Err)
	})
}

// TestDefaultsOfBackground says who waits for its agents.
func TestDefaultsOfBackground(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	tests := []struct {
		name                 string
		role                 pegboard.Role
		background, disabled bool // options
		definition           bool
		call                 *bool
		want                 bool
	}{
		{name: "the caller waits"},
		{name: "the host prefers the background", background: true, want: true},
		{name: "the call says wait", background: true, call: &no},
		{name: "the call says background", call: &yes, want: true},
		{name: "the definition says background", definition: true, call: &no, want: true},
		{name: "a coordinator", role: pegboard.RoleCoordinator, want: true},
		{name: "a coordinator that waits", role: pegboard.RoleCoordinator, call: &no},
		{name: "a coordinator without a background", role: pegboard.RoleCoordinator, disabled: true},
		{name: "a definition without a background", definition: true, disabled: true},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, pegboard.SessionConfig{Role: tc.role}, says("done"), func(o *agents.Options) {
				o.Background, o.NoBackground = tc.background, tc.disabled
				o.Definitions = func(*pegboard.Session) []agents.Definition {
					return []agents.Definition{{Name: "general-purpose", Description: "x", Background: tc.definition}}
				}
			}, look())
			in := map[string]any{}
			if tc.call != nil {
				in["run_in_background"] = *tc.call
			}
			out := h.call(t, in)
			require.NoError(t, out.Err)
			b, err := json.Marshal(out.Result.Data)
			require.NoError(t, err)
			require.Equal(t, tc.want, resultOf(t, out).Status == agents.StatusLaunched, string(b))
		})
	}
}

// TestAgentsBelow: the background agents of an agent that is waited for end with it, silently;
// the session of a background agent stays open until those below it have ended, and what they
// report goes to the main agent then.
func TestAgentsBelow(t *testing.T) {
	t.Parallel()
	for _, background := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var upper *agents.Agent
			h := newHouse(t, pegboard.SessionConfig{}, func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
				if len(a.Session.AgentPath()) == 2 {
					select {
					case <-time.After(time.Hour):
						return agents.Reply{Text: "the lower one"}, nil
					case <-ctx.Done():
						return agents.Reply{}, context.Cause(ctx)
					}
				}
				upper = a
				p, err := a.Pool()
				if err != nil {
					return agents.Reply{}, err
				}
				out := (&pegboard.Executor{}).Run(ctx, p, agentCall(t, map[string]any{"run_in_background": true}))[0]
				return agents.Reply{Text: "the upper one"}, out.Err
			}, nil, look())
			_, err := h.agents.Start(t.Context(), h.session, agents.Request{Prompt: "p", Background: background, Foreground: !background})
			require.NoError(t, err)
			time.Sleep(time.Minute)
			list := h.agents.List(h.session)
			require.Len(t, list, 2)
			require.Equal(t, list[0].ID, list[1].ParentID)
			require.Equal(t, agents.Completed, list[0].State)
			if !background {
				require.Equal(t, agents.Stopped, list[1].State)
				require.Empty(t, news(h.session))
				return
			}
			require.Len(t, news(h.session), 1, "the upper one")
			require.Equal(t, agents.Running, list[1].State)
			_, err = upper.Session.Fork(pegboard.SessionConfig{AgentID: "x"})
			require.NoError(t, err, "the session is open")
			time.Sleep(2 * time.Hour)
			told := news(h.session)
			require.Len(t, told, 1)
			require.Contains(t, told[0], "the lower one")
			_, err = upper.Session.Fork(pegboard.SessionConfig{AgentID: "x"})
			require.ErrorIs(t, err, pegboard.ErrClosed)
		})
	}
}

// readTool returns a stand-in for Read, which texts name.
func readTool() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Read"}, Description: "Reads.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { return "", nil },
	})
}
