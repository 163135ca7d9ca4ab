package background_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/tools/background"
)

func TestOneTablePerConversation(t *testing.T) {
	t.Parallel()
	for range effort.Of(t, 50) {
		s := mainSession(t)
		async := fork(t, s, pegboard.RoleAsyncAgent)
		all := []*pegboard.Session{s, async, fork(t, s, pegboard.RoleSubAgent), fork(t, s, pegboard.RoleTeammate), fork(t, async, pegboard.RoleSubAgent)}
		tables := make([]*background.Tasks, len(all))
		var together sync.WaitGroup
		for i, user := range all {
			together.Go(func() { tables[i] = background.Of(user) })
		}
		together.Wait()
		for _, table := range tables {
			require.Same(t, tables[0], table)
		}
	}
	one, other := mainSession(t), mainSession(t)
	require.NotSame(t, background.Of(one), background.Of(other))
}

func TestAddRefuses(t *testing.T) {
	t.Parallel()
	s := mainSession(t)
	closed := fork(t, s, pegboard.RoleSubAgent)
	require.NoError(t, closed.Close(t.Context()))
	over := mainSession(t)
	require.NoError(t, over.Close(t.Context()))
	stop := func(error) {}
	tests := []struct {
		name string
		on   *pegboard.Session
		work background.Work
		want error
		text string
	}{
		{name: "no way to stop it", on: s, text: "without Stop"},
		{name: "another conversation", on: mainSession(t), work: background.Work{Stop: stop}, text: "another conversation"},
		{name: "an agent that has ended", on: closed, work: background.Work{Stop: stop}, want: pegboard.ErrClosed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := background.Of(s).Add(tt.on, tt.work)
			require.Error(t, err)
			require.ErrorContains(t, err, tt.text)
			if tt.want != nil {
				require.ErrorIs(t, err, tt.want)
			}
		})
	}
	t.Run("a conversation that has ended", func(t *testing.T) {
		t.Parallel()
		_, err := background.Of(over).Add(over, background.Work{Stop: stop})
		require.ErrorIs(t, err, pegboard.ErrClosed)
		_, err = background.Of(over).Dir()
		require.ErrorIs(t, err, pegboard.ErrClosed)
		require.Empty(t, background.Of(over).List())
	})
}

func TestTaskIsWhatWasAdded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := mainSession(t)
		began := time.Now()
		time.Sleep(time.Minute)
		agent, err := s.Fork(pegboard.SessionConfig{Role: pegboard.RoleAsyncAgent, AgentID: "a1", AgentType: "reviewer"})
		require.NoError(t, err)
		j := start(t, agent, background.Work{Kind: "Shell!", Description: "build", Command: "make", Started: began})
		require.Regexp(t, `^shell_[a-z2-7]{6}$`, j.ID())
		got, ok := background.Of(s).Get(j.ID())
		require.True(t, ok)
		want := background.Task{ID: j.ID(), Kind: "Shell!", State: background.Running, Description: "build", Command: "make", AgentID: "a1", AgentType: "reviewer", Started: began}
		require.Equal(t, want, got)

		time.Sleep(time.Minute)
		exit := code(3)
		j.Done(background.Failed, exit, errors.New("no rule"))
		*exit = 4
		j.Done(background.Completed, nil, nil) // too late
		want.State, want.ExitCode, want.Err, want.Ended = background.Failed, code(3), "no rule", began.Add(2*time.Minute)
		got, err = background.Of(s).Wait(t.Context(), j.ID())
		require.NoError(t, err)
		require.Equal(t, want, got)
		*got.ExitCode = 5 // of a copy
		require.Equal(t, []background.Task{want}, background.Of(agent).List())
	})
}

func TestJSONIsWhatHooksSee(t *testing.T) {
	t.Parallel()
	s := mainSession(t)
	j := start(t, s, background.Work{Kind: "shell", Description: "d", Command: "c"})
	task, _ := background.Of(s).Get(j.ID())
	b, err := json.Marshal(task)
	require.NoError(t, err)
	var fields map[string]any
	require.NoError(t, json.Unmarshal(b, &fields))
	delete(fields, "started")
	require.Equal(t, map[string]any{"id": j.ID(), "type": "shell", "status": "running", "description": "d", "command": "c"}, fields)
}

func TestUnknownIDsNameWhatMayBeMeant(t *testing.T) {
	t.Parallel()
	s := mainSession(t)
	table := background.Of(s)
	_, err := table.Wait(t.Context(), "x")
	require.ErrorIs(t, err, background.ErrUnknownTask)
	require.ErrorContains(t, err, "nothing was started")

	j := start(t, s, background.Work{Kind: "shell"})
	_, err = table.Stop(t.Context(), strings.ToUpper(j.ID()))
	require.ErrorIs(t, err, background.ErrUnknownTask)
	require.ErrorContains(t, err, "did you mean "+j.ID()+"?")
	_, err = table.Output("0")
	require.ErrorIs(t, err, background.ErrUnknownTask)
	require.ErrorContains(t, err, "the latest ids are "+j.ID())
	_, ok := table.Get("0")
	require.False(t, ok)
}

func TestWaitEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := mainSession(t)
		j := start(t, s, background.Work{})
		late := errors.New("late")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Hour, late)
		defer cancel()
		task, err := background.Of(s).Wait(ctx, j.ID())
		require.ErrorIs(t, err, late)
		require.Equal(t, background.Running, task.State)
	})
}

func TestLimits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := mainSession(t)
		require.NoError(t, background.Configure(s, background.Options{MaxTasks: 10}))
		table := background.Of(s)
		var jobs []job
		for range 10 {
			jobs = append(jobs, start(t, s, background.Work{Kind: "shell"}))
		}
		_, err := table.Add(s, background.Work{Stop: func(error) {}})
		require.ErrorIs(t, err, background.ErrTooMany)
		require.ErrorContains(t, err, "stop one with TaskStop")
		require.ErrorContains(t, err, jobs[0].ID())

		for i := range 9 { // in the order opposite to that of their starts
			jobs[8-i].Done(background.Completed, nil, nil)
			time.Sleep(time.Second)
		}
		for range 9 {
			start(t, s, background.Work{Kind: "monitor"})
		}
		require.Len(t, table.List(), 18, "10 run, and 8 that ended are kept")
		_, ok := table.Get(jobs[8].ID())
		require.False(t, ok, "the one that ended first")
		require.Equal(t, background.Completed, stateOf(t, s, jobs[0].ID()))
		require.Equal(t, background.Running, stateOf(t, s, jobs[9].ID()))
		_, err = table.Output(jobs[8].ID())
		require.ErrorIs(t, err, background.ErrUnknownTask)
		require.ErrorContains(t, err, "was forgotten")
		require.Len(t, texts(s), 9, "what is forgotten was told all the same")
	})
}

// TestNames: an agent's id and name stand for its newest task.
func TestNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := recordedSession(t, dir)
	table := background.Of(s)
	names := []string{"agent-7", "scout"}
	first := start(t, s, background.Work{Kind: "agent", Names: names, Output: func() string { return "old" }})
	names[1] = "changed by the caller"
	other := start(t, s, background.Work{Kind: "agent", Names: []string{"agent-8", first.ID()}})
	for _, name := range []string{first.ID(), "agent-7", "scout"} {
		task, ok := table.Get(name)
		require.True(t, ok, name)
		require.Equal(t, first.ID(), task.ID, name)
	}
	first.Done(background.Completed, nil, nil)
	second := start(t, s, background.Work{Kind: "agent", Names: []string{"agent-7", "scout"}, Output: func() string { return "new" }})
	text, err := table.Output("scout")
	require.NoError(t, err)
	require.Equal(t, "new", text)
	task, err := table.Stop(t.Context(), "agent-7")
	require.NoError(t, err)
	require.Equal(t, second.ID(), task.ID)
	require.True(t, table.Acknowledge(s, "agent-7"))
	require.Len(t, texts(s), 1, "the end of the first")
	task, err = table.Wait(t.Context(), "scout")
	require.NoError(t, err)
	require.Equal(t, second.ID(), task.ID)
	_, err = table.Wait(t.Context(), "scuot")
	require.ErrorIs(t, err, background.ErrUnknownTask)
	require.ErrorContains(t, err, "did you mean scout?")

	other.Done(background.Completed, nil, nil)
	require.NoError(t, s.Close(t.Context()))
	task, ok := background.Of(recordedSession(t, dir)).Get("agent-8")
	require.True(t, ok, "the record has the names")
	require.Equal(t, other.ID(), task.ID)
}
