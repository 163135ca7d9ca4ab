package background_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
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

func TestNewFile(t *testing.T) {
	t.Parallel()
	s := mainSession(t)
	dir, err := background.Of(s).Dir()
	require.NoError(t, err)
	path, err := background.Of(s).NewFile("../Shell")
	require.NoError(t, err)
	require.Equal(t, dir, filepath.Dir(path))
	require.Regexp(t, `^shell-[a-z2-7]+\.log$`, filepath.Base(path))
	gone(t, path)
	require.NoError(t, s.Close(t.Context()))
	_, err = background.Of(s).NewFile("shell")
	require.ErrorIs(t, err, pegboard.ErrClosed)
}

func TestOutput(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	long := strings.Repeat("0123456789\n", background.MaxOutput/10)
	tests := []struct {
		name string
		work background.Work
		want string
		fail string
	}{
		{name: "none"},
		{name: "its own", work: background.Work{Output: func() string { return "a\xffb" }, OutputFile: "/nowhere"}, want: "a\uFFFDb"},
		{name: "a panic", work: background.Work{Output: func() string { panic("at the disco") }}, fail: "at the disco"},
		{name: "a file", work: background.Work{OutputFile: file("short", "one\ntwo\n")}, want: "one\ntwo\n"},
		{name: "whole lines at the end of a long file", work: background.Work{OutputFile: file("long", long)}, want: strings.Repeat("0123456789\n", background.MaxOutput/11)},
		{name: "whole characters of a long line", work: background.Work{OutputFile: file("line", strings.Repeat("äß", background.MaxOutput)+"!")}, want: strings.Repeat("äß", background.MaxOutput/4)[2:] + "!"},
		{name: "no such file", work: background.Work{OutputFile: filepath.Join(dir, "none")}, fail: "none"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := mainSession(t)
			j := start(t, s, tt.work)
			got, err := background.Of(s).Output(j.ID())
			if tt.fail != "" {
				require.ErrorContains(t, err, tt.fail)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
			require.LessOrEqual(t, len(got), background.MaxOutput)
		})
	}
}

func TestOwnersEnd(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		role     pegboard.Role
		policy   background.Policy
		survives bool
	}{
		{name: "a sub-agent's tasks end with it", role: pegboard.RoleSubAgent},
		{name: "unless they are to go on", role: pegboard.RoleSubAgent, policy: background.Reparent, survives: true},
		{name: "an async agent's tasks go on", role: pegboard.RoleAsyncAgent, survives: true},
		{name: "unless they are to end", role: pegboard.RoleAsyncAgent, policy: background.Kill},
		{name: "a teammate's tasks go on", role: pegboard.RoleTeammate, survives: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := mainSession(t)
			background.Of(s)
			agent := fork(t, s, tt.role)
			work := background.Work{OwnerEnd: tt.policy}
			running, ended := start(t, agent, work), start(t, agent, work)
			ended.Done(background.Completed, nil, nil)
			require.NoError(t, agent.Close(t.Context()))
			require.Empty(t, texts(agent))
			if !tt.survives {
				require.ErrorIs(t, <-running.causes, background.ErrOwnerEnded)
				require.Equal(t, background.Killed, stateOf(t, s, running.ID()))
				require.Empty(t, texts(s))
				return
			}
			require.Equal(t, background.Running, stateOf(t, s, running.ID()))
			require.Len(t, texts(s), 1, "what the agent was not told")
			running.Done(background.Completed, nil, nil)
			require.Len(t, texts(s), 1)
		})
	}
}

// Nobody could end what such an agent leaves behind.
func TestAgentOfAMainSessionThatWasNeverSeen(t *testing.T) {
	t.Parallel()
	s := mainSession(t)
	agent := fork(t, s, pegboard.RoleAsyncAgent)
	dir, err := background.Of(agent).Dir()
	require.NoError(t, err)
	j := start(t, agent, background.Work{})
	require.NoError(t, agent.Close(t.Context()))
	require.ErrorIs(t, <-j.causes, background.ErrOwnerEnded)
	gone(t, dir)
	require.Len(t, texts(s), 1, "the main session may come yet")
}

func TestDirectoryOfAgentsOfAMainSessionThatWasNeverSeen(t *testing.T) {
	t.Parallel()
	s := mainSession(t)
	one, two := fork(t, s, pegboard.RoleAsyncAgent), fork(t, s, pegboard.RoleSubAgent)
	table := background.Of(one)
	dir, err := table.Dir()
	require.NoError(t, err)
	require.Same(t, table, background.Of(two))
	require.NoError(t, one.Close(t.Context()))
	require.DirExists(t, dir, "the other may use it")
	require.NoError(t, two.Close(t.Context()))
	gone(t, dir)
	_, err = table.Dir()
	require.ErrorIs(t, err, pegboard.ErrClosed)
	_, err = background.Of(s).Dir()
	require.NoError(t, err)
}

// What was pruned before it was told goes the way of what was not.
func TestOwnersEndAfterPruning(t *testing.T) {
	t.Parallel()
	s := mainSession(t)
	require.NoError(t, background.Configure(s, background.Options{MaxTasks: 1}))
	async, sub := fork(t, s, pegboard.RoleAsyncAgent), fork(t, s, pegboard.RoleSubAgent)
	told := start(t, async, background.Work{})
	told.Done(background.Completed, nil, nil)
	start(t, sub, background.Work{}).Done(background.Completed, nil, nil)
	for range 9 {
		start(t, s, background.Work{}).Done(background.Completed, nil, nil)
	}
	require.Len(t, texts(s), 9)
	_, ok := background.Of(s).Get(told.ID())
	require.False(t, ok)
	require.NoError(t, async.Close(t.Context()))
	require.NoError(t, sub.Close(t.Context()))
	got := texts(s)
	require.Len(t, got, 1)
	require.Contains(t, got[0], told.ID())
}

func TestClose(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := mainSession(t)
		dir, err := background.Of(s).Dir()
		require.NoError(t, err)
		private(t, dir)
		agent := fork(t, s, pegboard.RoleAsyncAgent)
		slow := func(j job) {
			time.Sleep(time.Second)
			j.Done(background.Failed, nil, nil)
		}
		jobs := []job{startStubborn(t, s, background.Work{}, slow), startStubborn(t, agent, background.Work{OwnerEnd: background.Kill}, slow)}
		began := time.Now()
		require.NoError(t, s.Close(t.Context()))
		require.LessOrEqual(t, time.Since(began), 2*time.Second)
		for _, j := range jobs {
			require.Error(t, <-j.causes)
			require.Equal(t, background.Killed, stateOf(t, s, j.ID()))
		}
		require.Empty(t, texts(s))
		gone(t, dir)
	})
}

func TestCloseNamesWhatDoesNotEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := mainSession(t)
		dir, err := background.Of(s).Dir()
		require.NoError(t, err)
		j := startStubborn(t, s, background.Work{}, func(j job) {
			time.Sleep(time.Hour)
			j.Done(background.Failed, nil, nil)
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorContains(t, s.Close(ctx), "background tasks")
		require.DirExists(t, dir, "it is in use")
		_, err = background.Of(s).Wait(t.Context(), j.ID())
		require.NoError(t, err)
		synctest.Wait()
		gone(t, dir)
	})
}

// TestCloseRemovesWhatIsStillMade: calls that are being ended make files in the
// directory while it is removed.
func TestCloseRemovesWhatIsStillMade(t *testing.T) {
	t.Parallel()
	for range 10 {
		s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: t.TempDir()})
		require.NoError(t, err)
		dir, err := background.Of(s).Dir()
		require.NoError(t, err)
		begun, made := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(made)
			for i := range 500 {
				if os.WriteFile(filepath.Join(dir, strconv.Itoa(i)), nil, 0o600) != nil {
					return
				}
				if i == 100 {
					close(begun)
				}
			}
		}()
		<-begun
		require.NoError(t, s.Close(t.Context()))
		<-made
		require.NoDirExists(t, dir)
	}
}

// TestPersonIsNotified of the ends that nobody has brought about.
func TestPersonIsNotified(t *testing.T) {
	t.Parallel()
	one := 1
	tests := []struct {
		name  string
		state background.State
		exit  *int
		err   error
		want  []pegboard.Notification // ID stands for the task's id
	}{
		{name: "completed", state: background.Completed, want: []pegboard.Notification{{Type: "task_completed", Message: "Background task ID (make) completed after 2s."}}},
		{name: "failed", state: background.Failed, exit: &one, err: errors.New("no\nrule"), want: []pegboard.Notification{
			{Type: "task_failed", Message: "Background task ID (make) failed after 2s with exit code 1: no rule."},
		}},
		{name: "stopped", state: background.Killed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := mainSession(t)
				var got []pegboard.Notification
				pegboard.KeyNotify.Set(s, func(_ context.Context, n pegboard.Notification) { got = append(got, n) })
				j := start(t, fork(t, s, pegboard.RoleAsyncAgent), background.Work{Kind: "shell", Command: "make\n"})
				time.Sleep(2 * time.Second)
				j.Done(tt.state, tt.exit, tt.err)
				j.Done(tt.state, tt.exit, tt.err)
				for i := range tt.want {
					tt.want[i].AgentID, tt.want[i].Title = pegboard.RoleAsyncAgent.String(), "make"
					tt.want[i].Message = strings.ReplaceAll(tt.want[i].Message, "ID", j.ID())
				}
				require.Equal(t, tt.want, got)
			})
		})
	}
}

// TestNotifyMayFailOrBeMissing: the task has ended all the same.
func TestNotifyMayFailOrBeMissing(t *testing.T) {
	t.Parallel()
	for name, notify := range map[string]func(context.Context, pegboard.Notification){
		"nil":   nil,
		"panic": func(context.Context, pegboard.Notification) { panic("no desktop") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := mainSession(t)
			pegboard.KeyNotify.Set(s, notify)
			j := start(t, s, background.Work{Command: "make"})
			j.Done(background.Completed, nil, nil)
			require.Len(t, background.Of(s).Notices(s), 1)
		})
	}
}

// TestNobodyIsNotifiedOfSilentTasks: those that end with their agent.
func TestNobodyIsNotifiedOfSilentTasks(t *testing.T) {
	t.Parallel()
	s := mainSession(t)
	pegboard.KeyNotify.Set(s, func(_ context.Context, n pegboard.Notification) { t.Errorf("%+v", n) })
	sub := fork(t, s, pegboard.RoleSubAgent)
	start(t, sub, background.Work{Command: "make"}) // it ends as Failed when it is stopped
	require.NoError(t, sub.Close(t.Context()))
}

func TestRecordsLastUntilTheEndIsTold(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := recordedSession(t, dir)
	background.Of(s)
	sub := fork(t, s, pegboard.RoleSubAgent)
	a, b := start(t, s, background.Work{}), start(t, sub, background.Work{})
	require.ElementsMatch(t, []string{a.ID() + ".task.json", b.ID() + ".task.json"}, records(t, dir))
	require.NoError(t, sub.Close(t.Context()))
	require.Equal(t, []string{a.ID() + ".task.json"}, records(t, dir), "nobody is to be told of the other")
	a.Done(background.Completed, nil, nil)
	require.Len(t, records(t, dir), 1)
	require.Len(t, texts(s), 1)
	require.Empty(t, records(t, dir))
	require.NoError(t, s.Close(t.Context()))
}

// The end may be told before it is on the disk.
func TestRecordIsNotWrittenAfterItsRemoval(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.task.json")
	require.NoError(t, background.RecordLate(path))
	gone(t, path)
}

func TestConversationThatWasClosedIsOpenedAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := recordedSession(t, dir)
	table := background.Of(first)
	out, err := table.NewFile("shell")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(out, []byte("half of it\n"), 0o600))
	running, ended, told := start(t, first, background.Work{OutputFile: out}), start(t, first, background.Work{}), start(t, first, background.Work{})
	told.Done(background.Completed, nil, nil)
	require.Len(t, texts(first), 1)
	ended.Done(background.Failed, code(7), nil)
	require.NoError(t, first.Close(t.Context()))

	second := recordedSession(t, dir)
	require.Equal(t, background.Killed, stateOf(t, second, running.ID()))
	require.Equal(t, background.Failed, stateOf(t, second, ended.ID()))
	require.Len(t, background.Of(second).List(), 2)
	news := strings.Join(texts(second), "\n")
	require.Contains(t, news, running.ID()+" was stopped")
	require.Contains(t, news, "    half of it")
	require.Contains(t, news, "with exit code 7")
	text, err := background.Of(second).Output(running.ID())
	require.NoError(t, err)
	require.Equal(t, "half of it\n", text)
	require.NoError(t, second.Close(t.Context()))

	third := recordedSession(t, dir)
	require.Empty(t, background.Of(third).List(), "all was told")
}

func TestRecordsOfOtherHosts(t *testing.T) {
	t.Parallel()
	began, running := background.StartOf(os.Getppid())
	require.True(t, running)
	tests := []struct {
		name string
		host map[string]any
		lost bool
	}{
		{name: "it runs", host: map[string]any{"pid": os.Getppid(), "start": began}},
		{name: "another process has its id", host: map[string]any{"pid": os.Getppid(), "start": began + "0"}, lost: true},
		{name: "it has ended", host: map[string]any{"pid": ended(t), "start": began}, lost: true},
		{name: "it said good-bye", host: map[string]any{}, lost: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			writeRecord(t, dir, "shell_1", map[string]any{"type": "shell", "status": "running", "description": "build", "started": time.Now()}, tt.host)
			s := recordedSession(t, dir)
			if !tt.lost {
				require.Empty(t, background.Of(s).List())
				require.Empty(t, texts(s))
				require.Len(t, records(t, dir), 1)
				_, err := background.Of(s).Output("shell_1")
				require.ErrorIs(t, err, background.ErrUnknownTask)
				require.NotContains(t, err.Error(), "ended long ago")
				return
			}
			require.Equal(t, background.Lost, stateOf(t, s, "shell_1"))
			other := recordedSession(t, dir)
			require.Empty(t, background.Of(other).List(), "they are one conversation's")
			require.Equal(t, []string{"Background task shell_1 (build) was running when the program that ran it ended, and how it ended is not known. Check what it has done, and start it again if it is still needed."}, texts(s))
			require.Empty(t, records(t, dir))
			_, err := background.Of(s).Stop(t.Context(), "shell_1")
			require.ErrorIs(t, err, background.ErrEnded)
		})
	}
}

func TestManyRecords(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	began := time.Now()
	for i := range 12 { // the last in the order of names is the first of times
		writeRecord(t, dir, fmt.Sprintf("shell_%02d", 12-i), map[string]any{"status": "completed", "started": began.Add(time.Duration(i) * time.Second), "ended": began.Add(time.Duration(i) * time.Minute)}, nil)
	}
	s := mainSession(t)
	require.NoError(t, background.Configure(s, background.Options{Dir: dir, MaxTasks: 1}))
	var ids []string
	for _, task := range background.Of(s).List() {
		ids = append(ids, task.ID)
	}
	require.Equal(t, []string{"shell_08", "shell_07", "shell_06", "shell_05", "shell_04", "shell_03", "shell_02", "shell_01"}, ids)
	_, err := background.Of(s).Output("shell_12")
	require.ErrorContains(t, err, "was forgotten")
	got := texts(s)
	require.Len(t, got, 12)
	require.Contains(t, got[0], "shell_12")
	require.Contains(t, got[11], "shell_01")
	require.Empty(t, records(t, dir))
}

// Of several programs that open one conversation at once, each task goes to one.
func TestOpenedByManyAtOnce(t *testing.T) {
	t.Parallel()
	for range effort.Of(t, 10) {
		dir := t.TempDir()
		for i := range 4 {
			writeRecord(t, dir, fmt.Sprint(i), map[string]any{"status": "running"}, nil)
		}
		var sessions []*pegboard.Session
		for range 8 {
			sessions = append(sessions, mainSession(t))
		}
		errs := make([]error, len(sessions))
		var together sync.WaitGroup
		for i, s := range sessions {
			together.Go(func() { errs[i] = background.Configure(s, background.Options{Dir: dir}) })
		}
		together.Wait()
		found := 0
		for i, s := range sessions {
			require.NoError(t, errs[i])
			found += len(background.Of(s).List())
		}
		require.Equal(t, 4, found)
	}
}

// ended returns the id of a process that has ended.
func ended(t *testing.T) int {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^$")
	require.NoError(t, child.Run())
	return child.Process.Pid
}

func TestOnlyOutputInTheDirectoryIsReadOfALostTask(t *testing.T) {
	t.Parallel()
	secret := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(secret, []byte("secret"), 0o600))
	dir := t.TempDir()
	if err := os.Symlink(secret, filepath.Join(dir, "link")); err != nil {
		t.Skip(err) // as on Windows, for many users
	}
	for id, path := range map[string]string{"a": secret, "b": filepath.Join(dir, "..", filepath.Base(filepath.Dir(secret)), "secret"), "c": filepath.Join(dir, "link")} {
		writeRecord(t, dir, id, map[string]any{"status": "running", "output_file": path}, nil)
	}
	s := recordedSession(t, dir)
	for _, id := range []string{"a", "b", "c"} {
		text, err := background.Of(s).Output(id)
		require.NotContains(t, text, "secret", "%s: %v", id, err)
	}
}

func TestCorruptRecordsAreSetAside(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, content string }{
		{name: "empty"},
		{name: "half", content: `{"version":1,"task":{"id":"x"`},
		{name: "another id", content: `{"version":1,"task":{"id":"y","status":"running"}}`},
		{name: "no state", content: `{"version":1,"task":{"id":"x"}}`},
		{name: "another version", content: `{"version":2,"task":{"id":"x","status":"running"}}`},
		{name: "huge", content: strings.Repeat(" ", 2<<20)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "x.task.json"), []byte(tt.content), 0o600))
			writeRecord(t, dir, "good", map[string]any{"status": "running"}, nil)
			s := mainSession(t)
			err := background.Configure(s, background.Options{Dir: dir})
			require.ErrorIs(t, err, background.ErrCorrupt)
			require.Equal(t, background.Lost, stateOf(t, s, "good"))
			aside, err := filepath.Glob(filepath.Join(dir, "x.task.json.*.corrupt"))
			require.NoError(t, err)
			require.Len(t, aside, 1)
			kept, err := os.ReadFile(aside[0])
			require.NoError(t, err)
			require.Equal(t, tt.content, string(kept))
			require.NoError(t, background.Configure(s, background.Options{Dir: dir}), "it was configured")
		})
	}
}

func TestRecordThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "d")
	s := recordedSession(t, dir)
	require.NoError(t, os.RemoveAll(dir))
	require.NoError(t, os.WriteFile(dir, nil, 0o600))
	j := start(t, s, background.Work{})
	j.Done(background.Completed, nil, nil)
	require.Len(t, texts(s), 1, "the work goes on, and its end is told")
	require.ErrorContains(t, s.Close(t.Context()), "the record of task "+j.ID())
}

const crashDir = "PEGBOARD_TEST_CRASH_DIR"

// TestCrashingHost is the other process of TestCrash.
func TestCrashingHost(t *testing.T) {
	dir := os.Getenv(crashDir)
	if dir == "" {
		t.Skip("run by TestCrash")
	}
	s := recordedSession(t, dir)
	out, err := background.Of(s).NewFile("shell")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(out, []byte("so far\n"), 0o600))
	fmt.Println("started", start(t, s, background.Work{Kind: "shell", OutputFile: out}).ID())
	_, _ = io.Copy(io.Discard, os.Stdin) // until it is killed
}

func TestCrash(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	child := exec.Command(os.Args[0], "-test.run=^TestCrashingHost$", "-test.v")
	scratch := t.TempDir() // for what it cannot remove
	child.Env = append(os.Environ(), crashDir+"="+dir, "TMPDIR="+scratch, "TMP="+scratch)
	stdin, err := child.StdinPipe()
	require.NoError(t, err)
	defer func() { _ = stdin.Close() }() // which Wait has done, if it came to that
	stdout, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	id := ""
	for lines := bufio.NewScanner(stdout); id == "" && lines.Scan(); {
		_, id, _ = strings.Cut(lines.Text(), "started ")
	}
	beside := recordedSession(t, dir)
	require.Empty(t, background.Of(beside).List(), "the other program runs")
	require.NoError(t, child.Process.Kill())
	var killed *exec.ExitError
	require.ErrorAs(t, child.Wait(), &killed)

	s := recordedSession(t, dir)
	require.Equal(t, background.Lost, stateOf(t, s, id))
	text, err := background.Of(s).Output(id)
	require.NoError(t, err)
	require.Equal(t, "so far\n", text)
	require.Len(t, texts(s), 1)
}
