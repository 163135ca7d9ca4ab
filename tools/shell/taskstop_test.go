package shell_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/background"
	"github.com/seed49eaa51d/pegboard/tools/shell"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

func TestTaskStop(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, tool, key string
		takes           time.Duration // to end when it is asked to
		well            bool          // it ends as Completed
		after           time.Duration
		want            background.State
		says            string
	}{
		{name: "at once", tool: "TaskStop", key: "task_id", want: background.Killed, says: "(a watch) was stopped on request after 0s."},
		{name: "a little later", tool: "TaskStop", key: "task_id", takes: time.Second, after: time.Second, want: background.Killed, says: "was stopped on request after 1s"},
		{name: "it ends well", tool: "TaskStop", key: "task_id", well: true, want: background.Completed, says: "completed after 0s."},
		{name: "too late", tool: "TaskStop", key: "task_id", takes: time.Minute, after: 5 * time.Second, want: background.Running, says: "was asked to end and still runs after 5s. You are told"},
		{name: "the former key", tool: "TaskStop", key: "shell_id", want: background.Killed, says: "was stopped"},
		{name: "a former name", tool: "KillShell", key: "shell_id", want: background.Killed, says: "was stopped"},
		{name: "an older name", tool: "KillBash", key: "shell_id", want: background.Killed, says: "was stopped"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := session(t, t.TempDir())
				added := make(chan *background.Handle, 1)
				h := fakeTask(t, s, background.Work{Kind: "monitor", Description: "a watch", Command: "tail -f log", Stop: func(error) {
					time.Sleep(tc.takes)
					state := background.Failed
					if tc.well {
						state = background.Completed
					}
					(<-added).Done(state, nil, nil)
				}})
				added <- h
				begin := time.Now()
				out := taskCall(t.Context(), t, s, tc.tool, fmt.Sprintf(`{%q:%q}`, tc.key, h.ID()))
				require.NoError(t, out.Err)
				require.False(t, out.Result.IsError)
				require.Equal(t, tc.after, time.Since(begin))
				require.Contains(t, out.Result.Text(), "Task "+h.ID())
				require.Contains(t, out.Result.Text(), tc.says)
				require.Equal(t, shell.TaskStopResult{
					Message: out.Result.Text(), TaskID: h.ID(), TaskType: "monitor", Command: "tail -f log", State: tc.want,
				}, out.Result.Data)
				require.Empty(t, taskNews(s), "the result has told it")
				_, err := background.Of(s).Wait(t.Context(), h.ID())
				require.NoError(t, err)
			})
		})
	}
}

func TestTaskStopRefuses(t *testing.T) {
	t.Parallel()
	s := session(t, t.TempDir())
	h := fakeTask(t, s, background.Work{Kind: "shell"})
	ended := fakeTask(t, s, background.Work{Kind: "shell"})
	ended.Done(background.Completed, nil, nil)
	tests := []struct{ name, input, says string }{
		{name: "an unknown id", input: fmt.Sprintf(`{"task_id":%q}`, h.ID()+"x"), says: "did you mean " + h.ID()},
		{name: "one that has ended", input: fmt.Sprintf(`{"task_id":%q}`, ended.ID()), says: "ended already (completed)"},
		{name: "no id", input: `{}`, says: "send its id as task_id"},
		{name: "two ids", input: `{"task_id":"a","shell_id":"b"}`, says: "different tasks"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			out := taskCall(t.Context(), t, s, "TaskStop", tc.input)
			require.Error(t, out.Err)
			require.Contains(t, out.Result.Text(), tc.says)
		})
	}
}

// TestTaskStopIsDecidedByWhoseTaskItIs, by rules, and by the mode.
func TestTaskStopIsDecidedByWhoseTaskItIs(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name        string
		mode        policy.Mode
		set         policy.RuleSet
		byAgent, of bool // a sub-agent stops it; it is the sub-agent's
		runs        bool
	}{
		{name: "the main agent, its own", runs: true},
		{name: "the main agent, another's", of: true, runs: true},
		{name: "an agent, its own", byAgent: true, of: true, runs: true},
		{name: "an agent, another's", byAgent: true},
		{name: "an agent, another's, by a rule", set: policy.RuleSet{Allow: []string{"TaskStop"}}, byAgent: true, runs: true},
		{name: "a deny rule", set: policy.RuleSet{Deny: []string{"TaskStop(task_id:shell_*)"}}},
		{name: "a deny rule for others", set: policy.RuleSet{Deny: []string{"TaskStop(task_id:monitor_*)"}}, runs: true},
		{name: "nobody is asked", mode: policy.ModeDontAsk, runs: true},
		{name: "plan mode", mode: policy.ModePlan},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := session(t, t.TempDir())
			perms, err := policy.New(tc.mode, tc.set)
			require.NoError(t, err)
			require.NoError(t, s.SetPermissions(perms))
			agent, err := s.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent, AgentID: "a1"})
			require.NoError(t, err)
			owner, caller := s, s
			if tc.of {
				owner = agent
			}
			if tc.byAgent {
				caller = agent
			}
			h := fakeTask(t, owner, background.Work{Kind: "shell"})
			out := taskCall(t.Context(), t, caller, "TaskStop", fmt.Sprintf(`{"task_id":%q}`, h.ID()))
			task, _ := background.Of(s).Get(h.ID())
			if tc.runs {
				require.NoError(t, out.Err)
				require.Equal(t, background.Killed, task.State)
			} else {
				require.ErrorIs(t, out.Err, pegboard.ErrDenied)
				require.Equal(t, background.Running, task.State)
			}
		})
	}
}

// TestTasksAreFoundByAnAgentsName: the newest one that has it is looked at and stopped, and is the
// one that was decided.
func TestTasksAreFoundByAnAgentsName(t *testing.T) {
	t.Parallel()
	s := session(t, t.TempDir())
	agent, err := s.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent, AgentID: "a1"})
	require.NoError(t, err)
	old := fakeTask(t, s, background.Work{Kind: "agent", Names: []string{"agent-1", "scout"}})
	old.Done(background.Completed, nil, nil)
	h := fakeTask(t, s, background.Work{Kind: "agent", Names: []string{"agent-1", "scout"}, Output: func() string { return "looking" }})
	for name, set := range map[string]policy.RuleSet{
		"another's":                 {},
		"another's, denied by name": {Allow: []string{"TaskStop"}, Deny: []string{"TaskStop(task_id:scout)"}},
	} {
		perms, err := policy.New(policy.ModeDefault, set)
		require.NoError(t, err)
		require.NoError(t, s.SetPermissions(perms))
		out := taskCall(t.Context(), t, agent, "TaskStop", `{"task_id":"scout"}`)
		require.ErrorIs(t, out.Err, pegboard.ErrDenied, name)
	}
	perms, err := policy.New(policy.ModeDefault, policy.RuleSet{})
	require.NoError(t, err)
	require.NoError(t, s.SetPermissions(perms))
	out := taskCall(t.Context(), t, s, "TaskOutput", `{"task_id":"agent-1","block":false}`)
	require.NoError(t, out.Err)
	require.Contains(t, out.Result.Text(), "Task "+h.ID()+" has been running")
	require.Contains(t, out.Result.Text(), "looking")
	require.Equal(t, h.ID(), out.Call.Targets()[0].Value)
	out = taskCall(t.Context(), t, s, "TaskStop", `{"task_id":"scout"}`)
	require.NoError(t, out.Err)
	require.Contains(t, out.Result.Text(), "Task "+h.ID()+" was stopped on request")
	require.Len(t, taskNews(s), 1, "the end of the first; the results have told the other")
}

// TestTaskStopStopsNoneThatWasNotDecided: a name that meant no task when the call was decided, and
// means another agent's when it runs.
func TestTaskStopStopsNoneThatWasNotDecided(t *testing.T) {
	t.Parallel()
	s := session(t, t.TempDir())
	agent, err := s.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent, AgentID: "a1"})
	require.NoError(t, err)
	var h *background.Handle
	ex := pegboard.Executor{Invoke: func(ctx context.Context, tool pegboard.Tool, c *pegboard.Call) (*pegboard.Result, error) {
		h = fakeTask(t, s, background.Work{Names: []string{"scout"}})
		return tool.Call(ctx, c)
	}}
	var reg pegboard.Registry
	require.NoError(t, reg.Add(shell.TaskStop()))
	pool := reg.AssemblePool(agent, pegboard.PoolConfig{Roles: &pegboard.RoleTables{}})
	out := ex.Run(t.Context(), pool, pegboard.Call{ID: "1", Name: "TaskStop", Input: []byte(`{"task_id":"scout"}`)})[0]
	require.Error(t, out.Err)
	require.Contains(t, out.Result.Text(), `now means task `+h.ID()+` of another agent`)
	task, _ := background.Of(s).Get(h.ID())
	require.Equal(t, background.Running, task.State)
}

// TestTaskCallsKeepTheirOrder where they are about one task: a look before the stop
// sees it run, and one behind it does not.
func TestTaskCallsKeepTheirOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := session(t, t.TempDir())
		added := make(chan *background.Handle, 1)
		h := fakeTask(t, s, background.Work{Stop: func(error) {
			time.Sleep(time.Second)
			(<-added).Done(background.Failed, nil, nil)
		}})
		added <- h
		var reg pegboard.Registry
		require.NoError(t, reg.Add(shell.TaskOutput(shell.TaskOutputOptions{}), shell.TaskStop()))
		var ex pegboard.Executor
		look := pegboard.Call{Name: "TaskOutput", Input: fmt.Appendf(nil, `{"task_id":%q,"block":false}`, h.ID())}
		stop := pegboard.Call{ID: "2", Name: "TaskStop", Input: fmt.Appendf(nil, `{"task_id":%q}`, h.ID())}
		before, after := look, look
		before.ID, after.ID = "1", "3"
		outs := ex.Run(t.Context(), reg.AssemblePool(s, pegboard.PoolConfig{}), before, stop, after)
		for i, want := range []string{"running", "stopped", "stopped"} {
			require.Contains(t, outs[i].Result.Text(), want)
		}
	})
}

// TestTaskStopWaitsForNoLook of another message, which may wait for the end of the task: it stops
// what that waits for.
func TestTaskStopWaitsForNoLook(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := session(t, t.TempDir())
		h := fakeTask(t, s, background.Work{})
		looked := make(chan pegboard.Outcome)
		pool := taskPool(t, s)
		go func() {
			var ex pegboard.Executor
			looked <- ex.Run(t.Context(), pool, pegboard.Call{Name: "TaskOutput", Input: fmt.Appendf(nil, `{"task_id":%q}`, h.ID())})[0]
		}()
		synctest.Wait()
		begin := time.Now()
		require.NoError(t, taskCall(t.Context(), t, s, "TaskStop", fmt.Sprintf(`{"task_id":%q}`, h.ID())).Err)
		require.Contains(t, (<-looked).Result.Text(), "stopped")
		require.Zero(t, time.Since(begin))
	})
}

func TestTaskStopKeepsTheContract(t *testing.T) {
	t.Parallel()
	require.NoError(t, tooltest.Check(shell.TaskStop(), `{"task_id":"a"}`, `{"shell_id":"a"}`))
}
