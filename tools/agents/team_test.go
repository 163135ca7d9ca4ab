package agents_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/agents"
	"github.com/seed49eaa51d/pegboard/tools/background"
)

// team runs a call of one of the tools for teams.
func (h *house) team(t *testing.T, name, input string) pegboard.Outcome {
	t.Helper()
	return h.run(t.Context(), pegboard.Call{ID: "team", Name: name, Input: []byte(input)})[0]
}

// once returns a loop that makes one request, in which the agent does what act does, and ends.
func once(l *story, act func(a *agents.Agent, read string)) agents.Loop {
	return func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
		parts, err := a.Next(ctx, agents.Usage{})
		if err != nil {
			return agents.Reply{}, err
		}
		text := parts[len(parts)-1].Text
		l.add(a.Name + " asks a model: " + text)
		if act != nil {
			act(a, text)
		}
		if err := a.Append(userMessage(parts)); err != nil {
			return agents.Reply{}, err
		}
		return agents.Reply{Text: "Done with it."}, nil
	}
}

var requestID = regexp.MustCompile(`"request_id": "([a-z0-9-]+)"`)

// TestTeammate: it waits for messages without a request, says once that it is idle, and ends when
// it agrees to.
func TestTeammate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		var l story
		var h *house
		agree := false
		h = newHouse(t, pegboard.SessionConfig{}, once(&l, func(a *agents.Agent, read string) {
			if m := requestID.FindStringSubmatch(read); m != nil {
				answer := map[string]any{"type": "shutdown_response", "request_id": m[1], "approve": agree, "reason": "I am busy."}
				require.NoError(t, h.sendAs(t, a, "main", answer).Err)
				require.ErrorIs(t, h.sendAs(t, a, "main", answer).Err, agents.ErrInvalidMessage, "it is answered")
			}
		}), func(o *agents.Options) { o.Dir = dir }, look())
		file := filepath.Join(dir, "teams", "red.json")
		out := h.team(t, "TeamCreate", `{"team_name":"red","description":"finds it"}`)
		require.NoError(t, out.Err)
		made, ok := out.Result.Data.(agents.TeamResult)
		require.True(t, ok)
		require.Equal(t, file, made.File)
		id := h.launch(t, map[string]any{"name": "ann", "team_name": "red", "prompt": "Begin."})
		time.Sleep(time.Hour)
		synctest.Wait()
		idle := "The teammate ann (" + id + ") is idle and waits for messages.\nIts last words:\nDone with it." + notTheUser
		require.Equal(t, []string{idle}, h.news())
		require.Len(t, l.all(), 1)
		var team agents.Team
		require.NoError(t, json.Unmarshal([]byte(readFile(t, file)), &team))
		require.Equal(t, agents.Team{Name: "red", Description: "finds it", Lead: "main", Members: []agents.TeamMember{{ID: id, Name: "ann", Type: "general-purpose"}}}, team)

		require.Equal(t, "Sent to ann ("+id+"). It reads the message before its next request.", h.send(t, "ann", "More.").Result.Text())
		time.Sleep(time.Hour)
		synctest.Wait()
		require.Equal(t, []string{idle}, h.news())
		require.Len(t, l.all(), 2)
		require.ErrorIs(t, h.team(t, "TeamDelete", `{}`).Err, agents.ErrTeamBusy)

		for _, agree = range []bool{false, true} {
			require.NoError(t, h.send(t, "ann", map[string]any{"type": "shutdown_request", "reason": "All is found."}).Err)
			time.Sleep(time.Second)
			synctest.Wait()
			news := h.news()
			require.Len(t, news, 2)
			for i, text := range news {
				if regexp.MustCompile(`^Answer from the agent ann`).MatchString(text) {
					require.Contains(t, text, map[bool]string{true: "it ends.", false: "it does not end yet."}[agree])
				} else if agree {
					require.Contains(t, text, "Background task ", i)
					require.Contains(t, text, "completed")
				}
			}
		}
		lines := l.all()
		require.Len(t, lines, 4)
		require.Contains(t, lines[3], "Shutdown request from the main agent (main): you are asked to end.")
		require.Contains(t, lines[3], "The reason:\nAll is found.")
		require.NoError(t, h.team(t, "TeamDelete", `{}`).Err)
		_, err := os.Stat(file)
		require.ErrorIs(t, err, os.ErrNotExist)
		require.Equal(t, agents.Completed, h.agents.List(h.session)[0].State)
	})
}

// TestTeammatesEndWithTheConversation although they wait.
func TestTeammatesEndWithTheConversation(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var l story
		h := newHouse(t, pegboard.SessionConfig{}, once(&l, nil), nil, look())
		require.NoError(t, h.team(t, "TeamCreate", `{"team_name":"red"}`).Err)
		for _, name := range []string{"ann", "bob"} {
			h.launch(t, map[string]any{"name": name, "team_name": "red"})
		}
		synctest.Wait()
		require.NoError(t, h.session.Close(t.Context()))
		require.Len(t, l.all(), 2)
	})
}

// TestTeammateWakesForItsTasks: the end of a task in its background is news for it.
func TestTeammateWakesForItsTasks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var l story
		var task *background.Handle
		h := newHouse(t, pegboard.SessionConfig{}, once(&l, func(a *agents.Agent, _ string) {
			if task == nil {
				var err error
				task, err = background.Of(a.Session).Add(a.Session, background.Work{Kind: "build", Stop: func(error) {}})
				require.NoError(t, err)
			}
		}), nil, look())
		require.NoError(t, h.team(t, "TeamCreate", `{"team_name":"red"}`).Err)
		h.launch(t, map[string]any{"name": "ann", "team_name": "red"})
		time.Sleep(time.Hour)
		synctest.Wait()
		task.Done(background.Completed, nil, nil)
		time.Sleep(time.Hour)
		synctest.Wait()
		lines := l.all()
		require.Len(t, lines, 2)
		require.Contains(t, lines[1], "Background task "+task.ID()+" completed")
		require.Len(t, h.news(), 2, "it was idle twice")
	})
}

// TestIdleHook keeps a teammate going, eight times at most.
func TestIdleHook(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var l story
		asked := 0
		h := newHouse(t, pegboard.SessionConfig{}, once(&l, nil), func(o *agents.Options) {
			o.Hooks.Idle = func(context.Context, agents.Ending) (string, error) { asked++; return "Is that all?", nil }
		}, look())
		require.NoError(t, h.team(t, "TeamCreate", `{"team_name":"red"}`).Err)
		h.launch(t, map[string]any{"name": "ann", "team_name": "red"})
		time.Sleep(time.Hour)
		synctest.Wait()
		require.Len(t, l.all(), 1+agents.MaxStopTexts)
		require.Equal(t, agents.MaxStopTexts, asked)
		require.Len(t, h.news(), 1)
	})
}

// TestPlan: a teammate in plan mode sends its plan to its lead, whose yes gives it the mode that
// the lead has. The answer of another, or to another request, does nothing.
func TestPlan(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name           string
		mode           policy.Mode // of the lead
		definition     bool        // the plan mode is of the definition
		approve, plain bool        // the answer; the default tables
		want           policy.Mode
	}{
		{name: "approved", mode: policy.ModeDefault, approve: true, want: policy.ModeDefault},
		{name: "approved, of a definition", mode: policy.ModeAcceptEdits, definition: true, approve: true, want: policy.ModeAcceptEdits},
		{name: "not approved", mode: policy.ModeDefault, want: policy.ModePlan},
		{name: "a lead that plans, too", mode: policy.ModePlan, approve: true, want: policy.ModePlan},
		{name: "the default tables", mode: policy.ModeDefault, plain: true, want: policy.ModePlan},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				perms, err := policy.New(tc.mode)
				require.NoError(t, err)
				var l story
				var mate *agents.Agent
				var h *house
				h = newHouse(t, pegboard.SessionConfig{Permissions: perms}, once(&l, func(a *agents.Agent, read string) {
					if a.Name == "ann" && mate == nil {
						mate = a
						err := h.sendAs(t, a, "main", map[string]any{"type": "plan_approval_request", "plan": "First this."}).Err
						require.Equal(t, tc.plain, err != nil, "%v", err)
					}
				}), func(o *agents.Options) {
					o.Definitions = func(*pegboard.Session) []agents.Definition {
						d := agents.Definition{Name: "general-purpose", Description: "x"}
						if tc.definition {
							d.Mode = policy.ModePlan
						}
						return []agents.Definition{d}
					}
					if tc.plain {
						o.Pool.Roles = nil
					}
				}, look())
				require.NoError(t, h.team(t, "TeamCreate", `{"team_name":"red"}`).Err)
				h.launch(t, map[string]any{"name": "ann", "team_name": "red", "mode": "plan"})
				h.launch(t, map[string]any{"name": "bob", "team_name": "red"})
				synctest.Wait()
				require.Equal(t, policy.ModePlan, mate.Session.Permissions().Mode())
				var request string
				for _, text := range h.news() {
					if m := requestID.FindStringSubmatch(text); m != nil {
						require.Contains(t, text, "\nFirst this.\n")
						request = m[1]
					}
				}
				if tc.plain {
					require.Empty(t, request)
					return
				}
				answer := map[string]any{"type": "plan_approval_response", "request_id": request, "approve": tc.approve, "feedback": "Mind the tests."}
				other := map[string]any{"type": "plan_approval_response", "request_id": "plan-other", "approve": true}
				require.ErrorIs(t, h.send(t, "bob", answer).Err, agents.ErrInvalidMessage)
				require.ErrorIs(t, h.send(t, "ann", other).Err, agents.ErrInvalidMessage)
				require.Equal(t, policy.ModePlan, mate.Session.Permissions().Mode())
				require.NoError(t, h.send(t, "ann", answer).Err)
				require.Equal(t, tc.want, mate.Session.Permissions().Mode())
				require.ErrorIs(t, h.send(t, "ann", answer).Err, agents.ErrInvalidMessage, "it is answered")
				synctest.Wait()
				lines := l.all()
				require.Contains(t, lines[len(lines)-1], map[bool]string{true: "it is approved.", false: "it is not approved"}[tc.approve])
				require.Contains(t, lines[len(lines)-1], "Mind the tests.")
			})
		})
	}
}

// TestTeamRefuses what cannot be a team or a teammate.
func TestTeamRefuses(t *testing.T) {
	t.Parallel()
	var l story
	h := newHouse(t, pegboard.SessionConfig{}, once(&l, nil), nil, look())
	for _, name := range []string{"../red", "Red", ".", "con"} {
		input, err := json.Marshal(map[string]string{"team_name": name})
		require.NoError(t, err)
		out := h.team(t, "TeamCreate", string(input))
		require.ErrorIs(t, out.Err, agents.ErrTeamNotCreated, name)
		require.Regexp(t, `^the team was not created: .* is no name for a team`, out.Result.Text())
	}
	require.Equal(t, "no team was deleted: you lead none", h.team(t, "TeamDelete", `{}`).Result.Text())
	require.NoError(t, h.team(t, "TeamCreate", `{"team_name":"red"}`).Err)
	require.Equal(t, "the team was not created: you lead the team red; delete it first", h.team(t, "TeamCreate", `{"team_name":"blue"}`).Result.Text())
	require.Equal(t, "the team was not created: there is a team red; choose another name", h.team(t, "TeamCreate", `{"team_name":"red"}`).Result.Text())
	for says, input := range map[string]map[string]any{
		`there is no team "blue"`: {"name": "ann", "team_name": "blue"},
		"a teammate needs a name": {"team_name": "red"},
		"runs in the background":  {"name": "ann", "team_name": "red", "run_in_background": false},
	} {
		out := h.call(t, input)
		require.ErrorIs(t, out.Err, agents.ErrInvalidRequest)
		require.Contains(t, out.Result.Text(), says)
	}
	require.Empty(t, l.all())
	require.Empty(t, h.agents.List(h.session))
	h = newHouse(t, pegboard.SessionConfig{}, once(&l, nil), func(o *agents.Options) {
		o.Pool.Gates.Features = []pegboard.Feature{pegboard.FeatureCron}
	}, look())
	require.ErrorIs(t, h.team(t, "TeamCreate", `{"team_name":"red"}`).Err, pegboard.ErrUnknownTool)
	require.ErrorContains(t, h.call(t, map[string]any{"name": "ann", "team_name": "red"}).Err, "there are no teams here")
}

// TestShutdownReadsWhatWaits: a teammate that has agreed to end reads the messages that wait, ends,
// and is not started again by them.
func TestShutdownReadsWhatWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var l story
		var h *house
		h = newHouse(t, pegboard.SessionConfig{}, once(&l, func(a *agents.Agent, read string) {
			if m := requestID.FindStringSubmatch(read); m != nil {
				require.NoError(t, h.send(t, "ann", "Thanks.").Err)
				require.NoError(t, h.sendAs(t, a, "main", map[string]any{"type": "shutdown_response", "request_id": m[1], "approve": true}).Err)
			}
		}), nil, look())
		require.NoError(t, h.team(t, "TeamCreate", `{"team_name":"red"}`).Err)
		h.launch(t, map[string]any{"name": "ann", "team_name": "red"})
		synctest.Wait()
		require.NoError(t, h.send(t, "ann", map[string]any{"type": "shutdown_request"}).Err)
		synctest.Wait()
		lines := l.all()
		require.Len(t, lines, 3)
		require.Contains(t, lines[2], "Thanks.")
		require.Equal(t, agents.Completed, h.agents.List(h.session)[0].State)
		require.Len(t, h.news(), 3, "it was idle once, its answer, and its end")
		require.NoError(t, h.team(t, "TeamDelete", `{}`).Err)
	})
}

// TestApprovalHoldsWhenItIsRead: a teammate that reads that its plan is approved has the mode of
// its lead already, and a lead that reads a plan can answer it already. Messages in a directory
// can be read before the call that has sent them returns.
func TestApprovalHoldsWhenItIsRead(t *testing.T) {
	t.Parallel()
	var h *house
	modes := make(chan policy.Mode, 1)
	h = newHouse(t, pegboard.SessionConfig{}, func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
		sent := make(chan error, 1)
		goroutine.Go(func() {
			sent <- h.sendAs(t, a, "main", map[string]any{"type": "plan_approval_request", "plan": "First this."}).Err
		})
		for {
			parts, err := a.Next(ctx, agents.Usage{})
			if err != nil {
				return agents.Reply{}, err
			}
			for _, p := range parts {
				if strings.Contains(p.Text, "it is approved") {
					modes <- a.Session.Permissions().Mode()
					return agents.Reply{Text: "done"}, <-sent
				}
			}
		}
	}, func(o *agents.Options) { o.Dir = t.TempDir() }, look())
	require.NoError(t, h.team(t, "TeamCreate", `{"team_name":"red"}`).Err)
	h.launch(t, map[string]any{"name": "ann", "team_name": "red", "mode": "plan"})
	var request []string
	for request == nil {
		request = requestID.FindStringSubmatch(strings.Join(h.news(), ""))
	}
	require.NoError(t, h.send(t, "ann", map[string]any{"type": "plan_approval_response", "request_id": request[1], "approve": true}).Err)
	require.Equal(t, policy.ModeDefault, <-modes)
}

// TestAnswerThatCannotBeSent changes nothing.
func TestAnswerThatCannotBeSent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var h *house
		var mate *agents.Agent
		h = newHouse(t, pegboard.SessionConfig{}, func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
			_, err := a.Next(ctx, agents.Usage{})
			if mate == nil {
				mate = a
				require.NoError(t, h.sendAs(t, a, "main", map[string]any{"type": "plan_approval_request", "plan": "First this."}).Err)
				long := strings.Repeat("m", 1<<20+1)
				require.Error(t, h.sendAs(t, a, "main", map[string]any{"type": "plan_approval_request", "plan": long}).Err)
			}
			return agents.Reply{Text: "done"}, err
		}, nil, look())
		require.NoError(t, h.team(t, "TeamCreate", `{"team_name":"red"}`).Err)
		h.launch(t, map[string]any{"name": "ann", "team_name": "red", "mode": "plan"})
		synctest.Wait()
		answer := map[string]any{"type": "plan_approval_response", "approve": true, "feedback": strings.Repeat("m", 1<<20+1)}
		answer["request_id"] = requestID.FindStringSubmatch(strings.Join(h.news(), ""))[1]
		require.Error(t, h.send(t, "ann", answer).Err)
		require.Equal(t, policy.ModePlan, mate.Session.Permissions().Mode())
		answer["feedback"] = "Mind the tests."
		require.NoError(t, h.send(t, "ann", answer).Err)
		require.Equal(t, policy.ModeDefault, mate.Session.Permissions().Mode())
	})
}

// TestLeadThatEndsInTheBackground: the main agent is told of the teammates that it leaves behind, and
// can end them.
func TestLeadThatEndsInTheBackground(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var l story
		var h *house
		h = newHouse(t, pegboard.SessionConfig{}, once(&l, func(a *agents.Agent, read string) {
			if a.Name == "boss" && len(a.History()) == 0 {
				pool, err := a.Pool()
				require.NoError(t, err)
				require.NoError(t, h.executor.Run(t.Context(), pool, pegboard.Call{ID: "1", Name: "TeamCreate", Input: []byte(`{"team_name":"red"}`)})[0].Err)
				require.NoError(t, h.executor.Run(t.Context(), pool, agentCall(t, map[string]any{"name": "ann", "team_name": "red"}))[0].Err)
			} else if m := requestID.FindStringSubmatch(read); m != nil {
				require.NoError(t, h.sendAs(t, a, "main", map[string]any{"type": "shutdown_response", "request_id": m[1], "approve": true}).Err)
			} else if a.Name == "ann" {
				time.Sleep(5 * time.Second)
			}
		}), func(o *agents.Options) { o.Pool.Roles.Async = append(o.Pool.Roles.Async, "TeamCreate") }, look())
		h.launch(t, map[string]any{"name": "boss"})
		time.Sleep(time.Second)
		news := h.news()
		require.Len(t, news, 1)
		ann := h.agents.List(h.session)[1].ID
		require.Contains(t, news[0], "Its teammates go on without it: ann ("+ann+").")
		time.Sleep(time.Minute)
		require.Equal(t, []string{"The teammate ann (" + ann + ") is idle and waits for messages.\nIts last words:\nDone with it." + notTheUser}, h.news())
		require.NoError(t, h.send(t, "ann", map[string]any{"type": "shutdown_request"}).Err)
		time.Sleep(time.Minute)
		require.Contains(t, strings.Join(h.news(), "\n"), "it ends.")
		require.Equal(t, agents.Completed, h.agents.List(h.session)[1].State)
	})
}
