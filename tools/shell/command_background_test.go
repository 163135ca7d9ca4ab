package shell_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/background"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// TestRunInBackground: the call returns, the command goes on, and its end is told.
func TestRunInBackground(t *testing.T) {
	t.Parallel()
	needBash(t)
	for _, tc := range []struct {
		name    string
		command string // waits for the file "go"
		state   background.State
		code    int
	}{
		{name: "all is well", command: "echo one; until [ -e go ]; do sleep 0.01; done; echo two", state: background.Completed},
		{name: "a failure", command: "echo one; until [ -e go ]; do sleep 0.01; done; echo two; exit 3", state: background.Failed, code: 3},
		{name: "an answer", command: "echo one; until [ -e go ]; do sleep 0.01; done; echo two | tee /dev/stderr 2>&1 | grep three", state: background.Completed, code: 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := session(t, t.TempDir(), "Bash", "Edit(//dev/stderr)")
			res := bash(t, s, shell.Options{}, fmt.Sprintf(`{"command":%q,"description":"Try it","run_in_background":true}`, tc.command))
			out := outputOf(t, res)
			require.NotEmpty(t, out.BackgroundTaskID, res.Result.Text())
			require.Contains(t, res.Result.Text(), "Task id: "+out.BackgroundTaskID+"\nOutput file: "+out.RawOutputPath+"\n")
			task, ok := background.Of(s).Get(out.BackgroundTaskID)
			require.True(t, ok)
			require.Equal(t, background.Running, task.State)
			require.Equal(t, "shell", task.Kind)
			require.Equal(t, "one", written(t, out.RawOutputPath))
			require.NoError(t, os.WriteFile(filepath.Join(s.Dir(), "go"), nil, 0o600))
			task = waited(t, s, out.BackgroundTaskID)
			require.Equal(t, tc.state, task.State, task.Err)
			require.Equal(t, tc.code, *task.ExitCode)
			printed, err := os.ReadFile(task.OutputFile)
			require.NoError(t, err)
			require.True(t, strings.HasPrefix(string(printed), "one\n"))
			require.Len(t, background.Of(s).Notices(s), 1)
		})
	}
}

// TestWhatEndsAtOnceIsNoTask: its result is there already.
func TestWhatEndsAtOnceIsNoTask(t *testing.T) {
	t.Parallel()
	needBash(t)
	for range 100 { // on a busy machine, at once may take its time
		s := session(t, t.TempDir(), "Bash")
		res := bash(t, s, shell.Options{}, `{"command":"no-such-command-here","run_in_background":true}`)
		if id := outputOf(t, res).BackgroundTaskID; id != "" {
			waited(t, s, id)
			continue
		}
		require.True(t, res.Result.IsError)
		require.Contains(t, res.Result.Text(), "ended at once")
		require.Contains(t, res.Result.Text(), "command not found")
		require.Empty(t, background.Of(s).List())
		return
	}
	t.Fatal("it never ended at once")
}

// TestCancelledBeforeItIsATask: it did not end at once by itself.
func TestCancelledBeforeItIsATask(t *testing.T) {
	t.Parallel()
	needBash(t)
	for range 100 { // on a busy machine it may be a task before it is cancelled
		s := session(t, t.TempDir(), "Bash")
		ctx, cancel := context.WithCancel(t.Context())
		begun := filepath.Join(s.Dir(), "begun")
		ended := starting(ctx, poolOf(t, s, shell.Bash(shell.Options{})), "Bash", fmt.Sprintf(`{"command":"echo >%s; exec tail -f /dev/null","run_in_background":true}`, begun))
		written(t, begun)
		cancel()
		outcome := <-ended
		out, ok := outcome.Result.Data.(shell.Output)
		require.True(t, ok)
		if out.BackgroundTaskID != "" {
			continue
		}
		require.ErrorIs(t, outcome.Err, pegboard.ErrCancelled)
		require.Contains(t, outcome.Result.Text(), "Bash was stopped while it ran: the user interrupted the turn")
		require.True(t, out.Interrupted)
		require.Contains(t, out.Stderr, "the call was cancelled")
		require.NotContains(t, out.Stderr, "ended at once")
		require.Empty(t, background.Of(s).List())
		return
	}
	t.Fatal("it was never cancelled in time")
}

// TestBackgroundOutputThatIsNotStored: its beginning and end are kept, and what the
// file lacks is told.
func TestBackgroundOutputThatIsNotStored(t *testing.T) {
	t.Parallel()
	needBash(t)
	t.Run("no file", func(t *testing.T) {
		t.Parallel()
		s := session(t, t.TempDir(), "Bash")
		require.NoError(t, background.Configure(s, background.Options{Dir: filepath.Join(t.TempDir(), "tasks")}))
		dir, err := background.Of(s).Dir()
		require.NoError(t, err)
		require.NoError(t, os.Remove(dir))
		out := bash(t, s, shell.Options{}, `{"command":"echo one; until [ -e go ]; do sleep 0.01; done; echo two","run_in_background":true}`)
		require.NoError(t, os.MkdirAll(dir, 0o700)) // for the record of the task
		require.NoError(t, os.WriteFile(filepath.Join(s.Dir(), "go"), nil, 0o600))
		data := outputOf(t, out)
		require.Empty(t, data.RawOutputPath)
		require.Contains(t, out.Result.Text(), "kept in memory")
		waited(t, s, data.BackgroundTaskID)
		printed, err := background.Of(s).Output(data.BackgroundTaskID)
		require.NoError(t, err)
		require.Equal(t, "one\ntwo\n", printed)
	})
	t.Run("more than is stored", func(t *testing.T) {
		t.Parallel()
		s := session(t, t.TempDir(), "Bash")
		data := outputOf(t, bash(t, s, shell.Options{MaxOutput: shell.MaxStored + 1}, `{"command":"until [ -e go ]; do sleep 0.01; done; yes","run_in_background":true}`))
		require.NoError(t, os.WriteFile(filepath.Join(s.Dir(), "go"), nil, 0o600))
		task := waited(t, s, data.BackgroundTaskID)
		require.Equal(t, background.Failed, task.State)
		require.Contains(t, task.Err, "printed more than 67108865 bytes")
		notices := background.Of(s).Notices(s)
		require.Len(t, notices, 2)
		require.Contains(t, notices[0].Text, "the first 67108864 of")
	})
}

// TestATimeOutMovesACommand to the background, where that is safe.
func TestATimeOutMovesACommand(t *testing.T) {
	t.Parallel()
	needBash(t)
	const patient = "; while :; do sleep 0.01; done"
	for _, tc := range []struct {
		name, command string
		options       shell.Options
		stays         string // why
		hint          bool
	}{
		{name: "moved", command: "echo begun" + patient},
		{name: "with a change of directory", command: "cd sub && echo begun" + patient, hint: true},
		{name: "sleep", command: "sleep 0.01; echo begun" + patient, stays: "begin with sleep"},
		{name: "sleep by its path", command: "/bin/sleep 0.01; echo begun" + patient, stays: "begin with sleep"},
		{name: "git", command: "echo begun; git --version" + patient, stays: "use git"},
		{name: "git in another's hands", command: "echo begun; env A=1 /usr/bin/git --version" + patient, stays: "use git"},
		{name: "git in a script", command: "echo begun; sh -c 'cd .; git --version'" + patient, stays: "use git"},
		{name: "not understood", command: "echo begun; x=$(echo sleep); while :; do $x 0.01; done", stays: "not fully understood"},
		{name: "turned off", command: "echo begun" + patient, options: shell.Options{NoBackground: true}, stays: "nothing runs in the background"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := session(t, carryDir(t), "Bash")
			res := bash(t, s, tc.options, fmt.Sprintf(`{"command":%q,"timeout":1000}`, tc.command))
			out := outputOf(t, res)
			require.EqualValues(t, 1000, out.TimedOutAfterMS)
			require.Equal(t, tc.hint, out.BackgroundCwdHint != "")
			if tc.stays != "" {
				require.True(t, res.Result.IsError)
				require.Contains(t, res.Result.Text(), tc.stays)
				require.Contains(t, out.Stdout, "begun")
				require.Empty(t, background.Of(s).List())
				return
			}
			require.False(t, res.Result.IsError)
			require.Contains(t, res.Result.Text(), "Command did not complete within its 1s timeout and was moved to the background")
			require.Contains(t, res.Result.Text(), "Task id: "+out.BackgroundTaskID+"\nOutput file: "+out.RawOutputPath)
			require.Equal(t, "begun", written(t, out.RawOutputPath))
			task, err := background.Of(s).Stop(t.Context(), out.BackgroundTaskID)
			require.NoError(t, err)
			require.Equal(t, background.Killed, task.State)
		})
	}
}

// TestBackgroundHasALimitOfItsOwn: what moved there has it from then on.
func TestBackgroundHasALimitOfItsOwn(t *testing.T) {
	t.Parallel()
	needBash(t)
	for _, input := range []string{
		`{"command":"make() { sleep 1000; }; make","run_in_background":true}`,
		`{"command":"make() { sleep 1000; }; make","run_in_background":true,"timeout":9999999}`,
	} {
		s := session(t, t.TempDir(), "Bash")
		o := shell.Options{BackgroundTimeout: 50 * time.Millisecond, MaxBackgroundTimeout: 60 * time.Millisecond}
		task := waited(t, s, outputOf(t, bash(t, s, o, input)).BackgroundTaskID)
		require.Equal(t, background.Failed, task.State)
		require.Contains(t, task.Err, "took longer than")
	}
	s := session(t, t.TempDir(), "Bash")
	require.ErrorIs(t, bash(t, s, shell.Options{NoBackground: true}, `{"command":"make","run_in_background":true}`).Err, pegboard.ErrInvalidInput)
}

// TestNoMoreTasksThanThereMayBe: the command is ended, and nothing of it left.
func TestNoMoreTasksThanThereMayBe(t *testing.T) {
	t.Parallel()
	needBash(t)
	s := session(t, t.TempDir(), "Bash")
	require.NoError(t, background.Configure(s, background.Options{MaxTasks: 1}))
	first := outputOf(t, bash(t, s, shell.Options{}, `{"command":"cat <(sleep 1000)","run_in_background":true}`))
	require.NotEmpty(t, first.BackgroundTaskID)
	second := bash(t, s, shell.Options{}, `{"command":"cat <(sleep 1000)","run_in_background":true}`)
	require.ErrorIs(t, second.Err, background.ErrTooMany)
	third := bash(t, s, shell.Options{}, `{"command":"echo begun; make() { sleep 1000; }; make","timeout":100}`)
	require.True(t, third.Result.IsError)
	require.Contains(t, third.Result.Text(), "too many background tasks")
	dir, err := background.Of(s).Dir()
	require.NoError(t, err)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 1)
}

// TestTheStubbornEnd: a grandchild that ignores the request to end and holds the
// output, in every way in which a command is ended.
func TestTheStubbornEnd(t *testing.T) {
	t.Parallel()
	needBash(t)
	const stubborn = `trap '' TERM HUP INT; (trap '' TERM HUP INT; echo $BASHPID > pid; while :; do sleep 1000; done) & while :; do wait; done`
	for _, tc := range []struct {
		name string
		end  func(t *testing.T, s *pegboard.Session, cancel func())
	}{
		{name: "cancel", end: func(_ *testing.T, _ *pegboard.Session, cancel func()) { cancel() }},
		{name: "close", end: func(t *testing.T, s *pegboard.Session, _ func()) {
			t.Helper()
			require.NoError(t, s.Close(t.Context()))
		}},
		{name: "time-out"},
		{name: "background and stop", end: func(t *testing.T, s *pegboard.Session, _ func()) {
			t.Helper()
			var id string
			require.Eventually(t, func() bool {
				for _, task := range background.Of(s).List() {
					id = task.ID
				}
				return id != ""
			}, soon, 5*time.Millisecond)
			_, err := background.Of(s).Stop(t.Context(), id)
			require.NoError(t, err)
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := session(t, t.TempDir(), "Bash")
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			input := map[string]any{"command": stubborn, "run_in_background": tc.name == "background and stop"}
			options := shell.Options{NoBackground: tc.name == "time-out"}
			if options.NoBackground {
				input = map[string]any{"command": stubborn, "timeout": 1500}
			}
			ended := starting(ctx, poolOf(t, s, shell.Bash(options)), "Bash", jsonOf(t, input))
			pid := written(t, filepath.Join(s.Dir(), "pid"))
			if tc.end != nil {
				tc.end(t, s, func() { cancel(errors.New("enough")) })
			}
			out := <-ended
			require.NotErrorIs(t, out.Err, pegboard.ErrDetached)
			require.Eventually(t, func() bool { return dead(pid) }, soon, 5*time.Millisecond)
		})
	}
}

// dead reports whether a process is no more, or a zombie that whoever inherited it
// has yet to look at.
func dead(pid string) bool {
	status, err := os.ReadFile("/proc/" + pid + "/status")
	return err != nil || strings.Contains(string(status), "\nState:\tZ")
}

// TestAgentsTasksEndWithThem, and not with their calls.
func TestAgentsTasksEndWithThem(t *testing.T) {
	t.Parallel()
	needBash(t)
	s := session(t, t.TempDir(), "Bash")
	for _, tc := range []struct {
		role  pegboard.Role
		state background.State
	}{{pegboard.RoleSubAgent, background.Killed}, {pegboard.RoleAsyncAgent, background.Running}} {
		fork, err := s.Fork(pegboard.SessionConfig{Role: tc.role, AgentID: tc.role.String()})
		require.NoError(t, err)
		var ex pegboard.Executor
		out := ex.Run(t.Context(), poolOf(t, fork, shell.Bash(shell.Options{})), pegboard.Call{Name: "Bash", Input: []byte(`{"command":"cat <(sleep 1000)","run_in_background":true}`)})[0]
		id := outputOf(t, out).BackgroundTaskID
		require.NoError(t, fork.Close(t.Context()))
		task, ok := background.Of(s).Get(id)
		require.True(t, ok)
		require.Equal(t, tc.state, task.State)
	}
}
