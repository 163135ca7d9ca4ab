package shell_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/background"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// Files are gone after a call that was cancelled with much output.
func TestCancelledCommandLeavesNoFiles(t *testing.T) {
	t.Parallel()
	needBash(t)
	s := session(t, t.TempDir(), "Bash")
	c, cancel := context.WithCancel(t.Context())
	ended := starting(c, poolOf(t, s, shell.Bash(shell.Options{})), "Bash", `{"command":"seq 1 1000000; sleep 60"}`)
	time.Sleep(time.Second)
	cancel()
	out := <-ended
	require.LessOrEqual(t, len(out.Result.Text()), shell.MaxShownFailed+1000)
	dir, err := background.Of(s).Dir()
	require.NoError(t, err)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}

// TestToolsTellAClassifierWhatTheyRun: a classifier that is told nothing is not asked.
func TestToolsTellAClassifierWhatTheyRun(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		tool        pegboard.Tool
		input, text string
	}{
		{shell.Bash(shell.Options{}), `{"command":"make all"}`, "make all"},
		{shell.PowerShell(shell.Options{}), `{"command":"Get-Item x"}`, "Get-Item x"},
		{shell.Monitor(shell.Options{}), `{"description":"d","command":"tail -f x"}`, "tail -f x"},
		{shell.REPL(shell.REPLOptions{}), `{"code":"1+1","language":"javascript"}`, "javascript\n1+1"},
		{shell.TaskStop(), `{"task_id":"b1"}`, "end task b1"},
		{shell.TaskOutput(shell.TaskOutputOptions{}), `{"task_id":"b1"}`, ""}, // it is always allowed
	} {
		require.Equal(t, tc.text, tc.tool.ClassifierInput(&pegboard.Call{Input: json.RawMessage(tc.input)}), tc.tool.Info().Name)
	}
}

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
		require.Contains(t, outcome.Result.Text(), "Bash was stopped while it ran: the program stopped the turn")
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
			res := bash(t, s, tc.options, fmt.Sprintf(`{"command":%q,"timeout":3000}`, tc.command))
			out := outputOf(t, res)
			require.EqualValues(t, 3000, out.TimedOutAfterMS)
			require.Equal(t, tc.hint, out.BackgroundCwdHint != "")
			if tc.stays != "" {
				require.True(t, res.Result.IsError)
				require.Contains(t, res.Result.Text(), tc.stays)
				require.Contains(t, out.Stdout, "begun")
				require.Empty(t, background.Of(s).List())
				return
			}
			require.False(t, res.Result.IsError)
			require.Contains(t, res.Result.Text(), "Command did not complete within its 3s timeout and was moved to the background")
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

// TestExitCodesThatAreAnswers: 1 of some programs, if they are the last of the line.
func TestExitCodesThatAreAnswers(t *testing.T) {
	t.Parallel()
	needBash(t)
	for _, tc := range []struct {
		command string
		meaning string
		code    int
	}{
		{command: "echo a | grep b", meaning: "nothing matched", code: 1},
		{command: "echo a | egrep b 2>/dev/null", meaning: "nothing matched", code: 1},
		{command: "echo a | timeout 5 fgrep b 2>/dev/null", meaning: "nothing matched", code: 1},
		{command: "x=$(echo a | grep b)", code: 1},
		{command: "echo a; test -f none", meaning: "the condition is false", code: 1},
		{command: "[ 1 = 2 ]", meaning: "the condition is false", code: 1},
		{command: "diff <(echo 1) <(echo 2) > c", meaning: "the files differ", code: 1},
		{command: "git diff --no-index --no-ext-diff /dev/null empty", code: 1, meaning: "there are differences"},
		{command: "git -C . --no-pager grep --no-index nothinglikethis", code: 1, meaning: "nothing matched"},
		{command: "grep b none", code: 2},
		{command: "diff --no-such-option", code: 2},
		{command: "echo a | grep b || false", code: 1},
		{command: "set -o pipefail; echo a | grep b | cat", code: 1},
		{command: "false", code: 1},
		{command: "cd . && echo a | grep b", meaning: "nothing matched", code: 1},
		{command: "test -f none && grep x empty", meaning: "nothing matched", code: 1},
		{command: "false; echo a | grep b", meaning: "nothing matched", code: 1},
		{command: "false || grep b empty", meaning: "nothing matched", code: 1},
		{command: "find . ! -name empty | grep b", meaning: "nothing matched", code: 1},
		{command: "false && grep b empty", code: 1},
		{command: "! grep x empty", code: 1},
		{command: "if ! grep b empty; then ! grep x empty; fi", code: 1},
		{command: "set -e; false; grep b empty", code: 1},
		{command: "set -o pipefail; false | grep -c x empty", code: 1},
		{command: "test -f empty && exit 1; grep b empty", code: 1},
		{command: "git log 2>/dev/null", code: 128},
	} {
		t.Run(tc.command, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath("git"); err != nil {
				t.Skip("git is not installed")
			}
			s := session(t, t.TempDir(), "Bash", "Read(//dev/null)", "Edit")
			out := bash(t, s, shell.Options{}, fmt.Sprintf(`{"command":%s}`, jsonOf(t, "echo x > empty; "+tc.command)))
			got := outputOf(t, out)
			require.Equal(t, tc.code, got.ExitCode, out.Result.Text())
			require.Equal(t, tc.meaning, got.ReturnCodeInterpretation)
			require.Equal(t, tc.meaning == "", out.Result.IsError)
		})
	}
}

// TestFailureStopsSiblings: the calls beside a command that failed are not run, if the
// executor is told so, and an exit code that is an answer is no failure.
func TestFailureStopsSiblings(t *testing.T) {
	t.Parallel()
	needBash(t)
	for _, tc := range []struct {
		name, command  string
		cancelSiblings bool
		want           error
	}{
		{name: "by default they are apart", command: "false"},
		{name: "a failure", command: "false", cancelSiblings: true, want: pegboard.ErrSiblingFailed},
		{name: "an answer", command: "echo a | grep b", cancelSiblings: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			pool := poolOf(t, session(t, t.TempDir(), "Bash", "Edit"), shell.Bash(shell.Options{}))
			ex := pegboard.Executor{CancelSiblings: tc.cancelSiblings}
			outs := ex.Run(t.Context(), pool,
				pegboard.Call{ID: "1", Name: "Bash", Input: fmt.Appendf(nil, `{"command":%s}`, jsonOf(t, tc.command))},
				pegboard.Call{ID: "2", Name: "Bash", Input: []byte(`{"command":"touch after"}`)})
			require.ErrorIs(t, outs[1].Err, tc.want)
		})
	}
}

// TestBoundsAreExact: one byte decides.
func TestBoundsAreExact(t *testing.T) {
	t.Parallel()
	needBash(t)
	s := session(t, t.TempDir(), "Bash")
	for _, tc := range []struct {
		name   string
		size   int
		exit   int
		whole  bool
		stored bool
		shown  int
	}{
		{name: "valid", size: shell.DefaultMaxShown, whole: true},
		{name: "valid, with another limit", shown: 128_000, size: 128_000, whole: true},
		{name: "valid and more, with another limit", shown: 4000, size: 4001, stored: true},
		{name: "failing, with a higher limit", shown: 128_000, size: shell.MaxShownFailed + 1, exit: 1, stored: true},
		{name: "failing, with a lower limit", shown: 4000, size: 4001, exit: 1, stored: true},
		{name: "valid and more", size: shell.DefaultMaxShown + 1, stored: true},
		{name: "failing", size: shell.MaxShownFailed, exit: 1, whole: true},
		{name: "failing and more", size: shell.MaxShownFailed + 1, exit: 1, stored: true},
	} {
		out := outputOf(t, bash(t, s, shell.Options{MaxShown: tc.shown}, fmt.Sprintf(`{"command":"printf %%%ds x; exit %d"}`, tc.size, tc.exit)))
		require.Equal(t, tc.whole, out.Omitted == 0, tc.name)
		require.Equal(t, tc.stored, out.PersistedOutputPath != "", tc.name)
	}
}

// TestALongFailureShowsBothEnds, with nothing between them that is not output.
func TestALongFailureShowsBothEnds(t *testing.T) {
	t.Parallel()
	needBash(t)
	s := session(t, t.TempDir(), "Bash")
	failed := bash(t, s, shell.Options{}, `{"command":"seq 1 1000000; exit 1"}`).Result
	out, ok := failed.Data.(shell.Output)
	require.True(t, ok)
	require.True(t, failed.IsError)
	stored, err := os.ReadFile(out.PersistedOutputPath)
	require.NoError(t, err)
	require.Len(t, stored, 6888896)
	require.Contains(t, out.Stderr, "All of it is in "+out.PersistedOutputPath)
	require.LessOrEqual(t, len(out.Stdout), shell.MaxShownFailed)
	lines := strings.Split(out.Stdout, "\n")
	require.Equal(t, "1", lines[0])
	require.Equal(t, "1000000", lines[len(lines)-1])
	var seam int
	for i, line := range lines[1:] {
		var before, n int
		_, err := fmt.Sscan(lines[i]+" "+line, &before, &n)
		require.NoError(t, err)
		if n != before+1 {
			require.Zero(t, seam)
			seam = before
			require.Contains(t, out.Stderr, fmt.Sprintf("(lines 1 to %d)", before))
			require.Contains(t, out.Stderr, fmt.Sprintf("(from line %d)", n))
		}
	}
	require.NotZero(t, seam)
	require.True(t, strings.HasPrefix(failed.Text(), "Exit code 1.\n[Output cut: 6888896 bytes, 1000000 lines."))

	one := outputOf(t, bash(t, s, shell.Options{}, `{"command":"printf %20000s; exit 1"}`))
	require.Contains(t, one.Stderr, "20000 bytes, 1 line. Below are the first 5000 bytes and, right after them, the last 5000 bytes.")
}

// TestNoCharacterIsCut at any place where output is.
func TestNoCharacterIsCut(t *testing.T) {
	t.Parallel()
	needBash(t)
	s := session(t, t.TempDir(), "Bash")
	for _, start := range []string{"", "x", "xx"} {
		for _, exit := range []int{0, 1} {
			out := outputOf(t, bash(t, s, shell.Options{}, fmt.Sprintf(`{"command":"printf %%s %s; printf '漢%%.0s' {1..20000}; exit %d"}`, start, exit)))
			require.NotContains(t, out.Stdout, "\ufffd")
			require.True(t, strings.HasPrefix(out.Stdout, start+"漢"))
			require.True(t, strings.HasSuffix(out.Stdout, "漢"))
		}
	}
}

// TestTooMuchOutputEndsTheCommand, whatever it would like.
func TestTooMuchOutputEndsTheCommand(t *testing.T) {
	t.Parallel()
	needBash(t)
	s := session(t, t.TempDir(), "Bash")
	out := bash(t, s, shell.Options{MaxOutput: 1_000_000}, `{"command":"trap '' TERM PIPE; yes"}`)
	require.True(t, out.Result.IsError)
	require.Contains(t, out.Result.Text(), "printed more than 1000000 bytes")
	require.Less(t, len(out.Result.Text()), shell.MaxShownFailed+1000)
}

// TestBinaryOutput is not shown, and no line of it reported.
func TestBinaryOutput(t *testing.T) {
	t.Parallel()
	needBash(t)
	s := session(t, t.TempDir(), "Bash")
	for _, exit := range []int{0, 1} {
		out := outputOf(t, bash(t, s, shell.Options{}, fmt.Sprintf(`{"command":"echo text; printf 'a\\0b\\nc'; exit %d"}`, exit)))
		require.Empty(t, out.Stdout)
		require.Contains(t, out.Stderr, "[Output is binary: 10 bytes")
		raw, err := os.ReadFile(out.RawOutputPath)
		require.NoError(t, err)
		require.Equal(t, "text\na\x00b\nc", string(raw))
	}
}

// bar prints a progress bar of 30,000 bytes, in colour.
const bar = `for i in $(seq 1000 2999); do printf '\r\033[32m%d%%\033[0m' $i; done; printf '\n\033[1mdone\033[0m\n'`

// TestWhatATerminalNeedsIsNotShown: a progress bar is a line, and what was printed is
// stored as it was.
func TestWhatATerminalNeedsIsNotShown(t *testing.T) {
	t.Parallel()
	needBash(t)
	printed := func() string {
		var b strings.Builder
		for i := 1000; i < 3000; i++ {
			fmt.Fprintf(&b, "\r\x1b[32m%d%%\x1b[0m", i)
		}
		return b.String() + "\n\x1b[1mdone\x1b[0m\n"
	}()
	for _, tc := range []struct {
		name, command string
		text          string // without the notes
		notes         string // with PATH for the file
		stored        string
	}{
		{
			name: "a bar", command: bar, text: "2999%\ndone", stored: printed,
			notes: fmt.Sprintf("[Text that the command has overwritten in its line, as progress bars do, is left out. All %d bytes that it printed are in PATH.]", len(printed)),
		},
		{
			name: "a bar of a failure", command: bar + "; false", text: "2999%\ndone", stored: printed,
			notes: fmt.Sprintf("Exit code 1.\n[Text that the command has overwritten in its line, as progress bars do, is left out. All %d bytes that it printed are in PATH.]", len(printed)),
		},
		{name: "colours", command: `printf '\033[31mred\033[0m\n\033]0;title\a'`, text: "red"},
		{name: "colours only, many", command: `for i in $(seq 100 3100); do printf '\033[31m%d\033[0m\n' $i; done | tail -n 2000`, text: numbers(1101, 3100)},
		{name: "line ends of another system", command: `printf 'one\r\ntwo\r\n'`, text: "one\ntwo"},
		{name: "no line end", command: `printf '1%%\r2%%'`, text: "2%", stored: "1%\r2%", notes: "[Text that the command has overwritten in its line, as progress bars do, is left out. All 5 bytes that it printed are in PATH.]"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			out := outputOf(t, bash(t, session(t, tempDir(t), "Bash"), shell.Options{}, fmt.Sprintf(`{"command":%s}`, jsonOf(t, tc.command))))
			require.Equal(t, tc.text, out.Stdout)
			if tc.stored == "" {
				require.Empty(t, out.Stderr)
				require.Empty(t, out.RawOutputPath)
				return
			}
			require.Equal(t, strings.ReplaceAll(tc.notes, "PATH", out.RawOutputPath), out.Stderr)
			stored, err := os.ReadFile(out.RawOutputPath)
			require.NoError(t, err)
			require.Equal(t, tc.stored, string(stored))
		})
	}
}

func numbers(from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintln(&b, i)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// TestALongOutputWithColoursIsStoredAsPrinted, and its size is that of the file.
func TestALongOutputWithColoursIsStoredAsPrinted(t *testing.T) {
	t.Parallel()
	needBash(t)
	for _, exit := range []int{0, 1} {
		out := outputOf(t, bash(t, session(t, tempDir(t), "Bash"), shell.Options{}, fmt.Sprintf(`{"command":%s}`, jsonOf(t, fmt.Sprintf(`for i in $(seq 10000 19999); do printf '\033[31m%%d\033[0m\n' $i; done; exit %d`, exit)))))
		require.EqualValues(t, 10_000*15, out.PersistedOutputSize)
		require.Contains(t, out.Stderr, "150000 bytes, 10000 lines.")
		require.Contains(t, out.Stderr, "All of it is in "+out.PersistedOutputPath)
		require.True(t, strings.HasPrefix(out.Stdout, "10000\n10001\n"))
		require.NotContains(t, out.Stdout, "\x1b")
		require.Positive(t, out.Omitted)
		stored, err := os.ReadFile(out.PersistedOutputPath)
		require.NoError(t, err)
		require.True(t, strings.HasPrefix(string(stored), "\x1b[31m10000\x1b[0m\n"))
	}
}

// TestBackgroundOutputIsClean in the result of the call and of TaskOutput; its file is not.
func TestBackgroundOutputIsClean(t *testing.T) {
	t.Parallel()
	needBash(t)
	s := session(t, tempDir(t), "Bash")
	out := outputOf(t, bash(t, s, shell.Options{}, `{"command":"printf '1%%\\r\\033[31m2%%\\033[0m'; sleep 1","run_in_background":true}`))
	require.Equal(t, "2%", out.Stdout)
	waited(t, s, out.BackgroundTaskID)
	var ex pegboard.Executor
	shown := ex.Run(t.Context(), poolOf(t, s, shell.TaskOutput(shell.TaskOutputOptions{})), pegboard.Call{Name: "TaskOutput", Input: []byte(`{"task_id":"` + out.BackgroundTaskID + `"}`)})[0]
	require.True(t, strings.HasSuffix(shown.Result.Text(), "\n2%"), shown.Result.Text())
	stored, err := os.ReadFile(out.RawOutputPath)
	require.NoError(t, err)
	require.Equal(t, "1%\r\x1b[31m2%\x1b[0m", string(stored))

	out = outputOf(t, bash(t, s, shell.Options{}, `{"command":"sleep 0.5; printf '1%%\\r\\033[31m2%%\\033[0m'","run_in_background":true}`))
	waited(t, s, out.BackgroundTaskID)
	require.Contains(t, noticesOf(s), "It ends with:\n    2%\n")
}

// A command that reads the store and prints more than that is stored: it may not be repeatable.
func TestOutputBesideStoredOutputIsStored(t *testing.T) {
	t.Parallel()
	needBash(t)
	s := session(t, t.TempDir(), "Bash")
	first := outputOf(t, bash(t, s, shell.Options{}, `{"command":"seq 1 100000"}`))
	path := first.PersistedOutputPath
	for _, command := range []string{"head -1 %s; seq 1 200000", "seq 1 200000 && tail -1 %s", "head -1 %s; ps -ef; seq 1 200000"} {
		out := outputOf(t, bash(t, s, shell.Options{}, fmt.Sprintf(`{"command":%q}`, fmt.Sprintf(command, path))))
		require.NotEmpty(t, out.PersistedOutputPath, "%s: %s", command, out.Stderr)
	}
}

// Only what comes from the store is not stored again.
func TestStoredOutputIsNotStoredAgain(t *testing.T) {
	t.Parallel()
	needBash(t)
	s := session(t, t.TempDir(), "Bash")
	first := outputOf(t, bash(t, s, shell.Options{}, `{"command":"seq 1 100000"}`))
	out := outputOf(t, bash(t, s, shell.Options{}, fmt.Sprintf(`{"command":"cat %s"}`, first.PersistedOutputPath)))
	require.Empty(t, out.PersistedOutputPath)
	require.Contains(t, out.Stderr, "ask for less at once")
}

// From another directory a page of the store is no new result either.
func TestStoredOutputIsNotStoredAgainFromAnotherDirectory(t *testing.T) {
	t.Parallel()
	needBash(t)
	s := session(t, carryDir(t), "Bash")
	first := outputOf(t, bash(t, s, shell.Options{}, `{"command":"seq 1 100000"}`))
	outputOf(t, bash(t, s, shell.Options{}, `{"command":"cd sub"}`))
	out := outputOf(t, bash(t, s, shell.Options{}, fmt.Sprintf(`{"command":"cat %s"}`, first.PersistedOutputPath)))
	require.Empty(t, out.PersistedOutputPath)
}

// A pipe that begins in the store brings nothing but the store.
func TestStoredOutputIsNotStoredAgainThroughAPipe(t *testing.T) {
	t.Parallel()
	needBash(t)
	s := session(t, t.TempDir(), "Bash")
	first := outputOf(t, bash(t, s, shell.Options{}, `{"command":"seq 1 100000"}`))
	for _, command := range []string{"cat %s | grep 1", "grep 1 %s | sort | head -c 100000", "cat < %s", "tail -n +5 %s; head -c 90000 %[1]s"} {
		out := outputOf(t, bash(t, s, shell.Options{}, fmt.Sprintf(`{"command":%q}`, fmt.Sprintf(command, first.PersistedOutputPath))))
		require.Empty(t, out.PersistedOutputPath, command)
	}
}

// TestStoredOutputCanBeReadOn without a rule, by the tools that the result names.
func TestStoredOutputCanBeReadOn(t *testing.T) {
	t.Parallel()
	needBash(t)
	s := session(t, tempDir(t))
	var reg pegboard.Registry
	require.NoError(t, reg.Add(shell.Bash(shell.Options{})))
	require.NoError(t, reg.Add(files.Tools()...))
	pool := reg.AssemblePool(s, pegboard.PoolConfig{})
	var ex pegboard.Executor
	do := func(tool string, input map[string]any) pegboard.Outcome {
		raw, err := json.Marshal(input)
		require.NoError(t, err)
		return ex.Run(t.Context(), pool, pegboard.Call{Name: tool, Input: raw})[0]
	}
	out := do("Bash", map[string]any{"command": "seq 1 50000"})
	require.NoError(t, out.Err)
	data, ok := out.Result.Data.(shell.Output)
	require.True(t, ok)
	require.NotEmpty(t, data.PersistedOutputPath)
	require.Contains(t, out.Result.Text(), data.PersistedOutputPath)

	read := do("Read", map[string]any{"file_path": data.PersistedOutputPath, "offset": 40_000, "limit": 1})
	require.NoError(t, read.Err, read.Result.Text())
	require.Contains(t, read.Result.Text(), "\t40000")
	grep := do("Grep", map[string]any{"path": data.PersistedOutputPath, "pattern": "^31415$", "output_mode": "content"})
	require.NoError(t, grep.Err, grep.Result.Text())
	require.Contains(t, grep.Result.Text(), "31415")
	forge := do("Edit", map[string]any{"file_path": data.PersistedOutputPath, "old_string": "40000", "new_string": "forged"})
	require.ErrorIs(t, forge.Err, pegboard.ErrDenied)
}

// TestLongOutputIsStored, and its beginning shown behind a notice.
func TestLongOutputIsStored(t *testing.T) {
	t.Parallel()
	needBash(t)
	s := session(t, t.TempDir(), "Bash")
	out := outputOf(t, bash(t, s, shell.Options{}, `{"command":"seq 1 1000000"}`))
	stored, err := os.ReadFile(out.PersistedOutputPath)
	require.NoError(t, err)
	require.Len(t, stored, 6888896)
	require.EqualValues(t, len(stored), out.PersistedOutputSize)
	require.True(t, strings.HasPrefix(string(stored), out.Stdout+"\n"), "nothing but the output stands in it")
	require.LessOrEqual(t, len(out.Stdout), shell.PreviewSize)
	require.Greater(t, len(out.Stdout), shell.PreviewSize/2)
	require.EqualValues(t, len(stored)-len(out.Stdout)-1, out.Omitted)
	require.Contains(t, out.Stderr, "6888896 bytes, 1000000 lines. All of it is in "+out.PersistedOutputPath)
	require.NotContains(t, out.Stderr, "\n")
}

// TestShortOutputLeavesNoFile behind.
func TestShortOutputLeavesNoFile(t *testing.T) {
	t.Parallel()
	needBash(t)
	s := session(t, carryDir(t), "Bash")
	for _, command := range []string{"echo a", "false", "head -c 30000 /dev/zero | tr '\\\\0' x", "seq 1 100000; exit 1", "cd sub", "sleep 0.01"} {
		outputOf(t, bash(t, s, shell.Options{}, fmt.Sprintf(`{"command":"%s"}`, command)))
	}
	dir, err := background.Of(s).Dir()
	require.NoError(t, err)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}

// TestStoredOutputIsCut: the file has a limit, the command has none.
func TestStoredOutputIsCut(t *testing.T) {
	t.Parallel()
	needBash(t)
	s := session(t, t.TempDir(), "Bash")
	out := outputOf(t, bash(t, s, shell.Options{}, `{"command":"yes | head -c 70000000"}`))
	require.EqualValues(t, shell.MaxStored, out.PersistedOutputSize)
	fi, err := os.Stat(out.PersistedOutputPath)
	require.NoError(t, err)
	require.EqualValues(t, shell.MaxStored, fi.Size())
	require.Contains(t, out.Stderr, "70000000 bytes, 35000000 lines. Its first 67108864 bytes are in ")
}

// TestAFullDiskFailsNoCommand: the output is cut, and it says why.
func TestAFullDiskFailsNoCommand(t *testing.T) {
	t.Parallel()
	needBash(t)
	if runtime.GOOS == "windows" || os.Getuid() == 0 && runtime.GOOS != "linux" {
		t.Skip("no way to make a directory that cannot be written")
	}
	s := session(t, t.TempDir(), "Bash")
	require.NoError(t, background.Configure(s, background.Options{Dir: filepath.Join(t.TempDir(), "tasks")}))
	dir, err := background.Of(s).Dir()
	require.NoError(t, err)
	require.NoError(t, os.Remove(dir)) // files can be made there as little as on a full disk
	require.Equal(t, "fine", bash(t, s, shell.Options{}, `{"command":"echo fine"}`).Result.Text())
	res := bash(t, s, shell.Options{}, `{"command":"seq 1 1000000"}`).Result
	require.False(t, res.IsError)
	require.Contains(t, res.Text(), "The rest was not kept; it could not be stored (")
	require.True(t, strings.HasSuffix(res.Text(), "\n1000000"))
	require.NotContains(t, res.Text(), "All of it")
	require.NoError(t, os.Mkdir(dir, 0o700))
}
