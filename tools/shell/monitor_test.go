package shell_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/background"
	"github.com/seed49eaa51d/pegboard/tools/shell"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// startMonitor starts a monitor with everything allowed.
func startMonitor(t *testing.T, s *pegboard.Session, command, extra string) shell.MonitorResult {
	t.Helper()
	needBash(t)
	out := taskCall(t.Context(), t, s, "Monitor", fmt.Sprintf(`{"description":"a watch","command":%q%s}`, command, extra))
	require.NoError(t, out.Err)
	got, ok := out.Result.Data.(shell.MonitorResult)
	require.True(t, ok)
	require.Contains(t, out.Result.Text(), "Monitor "+got.TaskID+" watches")
	return got
}

// monitorEnd waits for the end of a task.
func monitorEnd(t *testing.T, s *pegboard.Session, id string) background.Task {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	task, err := background.Of(s).Wait(ctx, id)
	require.NoError(t, err)
	return task
}

// awaitNews returns what s is told until one of it holds want.
func awaitNews(t *testing.T, s *pegboard.Session, want string) (all []string) {
	t.Helper()
	changed := make(chan struct{}, 1)
	defer background.Of(s).Watch(func([]background.Task) {
		select {
		case changed <- struct{}{}:
		default:
		}
	})()
	late := time.After(30 * time.Second)
	for {
		all = append(all, taskNews(s)...)
		if strings.Contains(strings.Join(all, "\n"), want) {
			return all
		}
		select {
		case <-changed:
		case <-late:
			require.FailNow(t, "not told", "%q is not in %q", want, all)
		}
	}
}

func TestMonitorTellsHowItsCommandEnds(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, command, extra string
		state                background.State
		code                 int // -1: none
		events               []string
		end                  string // of the news of its end
		file                 string // if set
	}{
		{name: "lines", command: "echo one; echo two", state: background.Completed, events: []string{"a watch: 2 events:\n    one\n    two"}, end: "(a watch) completed after "},
		{name: "no lines", command: "true", state: background.Completed, end: "completed"},
		{name: "an exit code", command: "echo one; exit 3", state: background.Failed, code: 3, events: []string{"a watch: 1 event:\n    one"}, end: "with exit code 3"},
		{name: "stderr is no event", command: "echo one; echo two >&2; echo three; printf four", state: background.Completed, events: []string{"a watch: 3 events:\n    one\n    three\n    four"}, end: "completed"},
		{name: "unless it is asked for", command: "echo two >&2; { echo three >&2; } 2>&1", state: background.Completed, events: []string{"a watch: 1 event:\n    three"}, end: "    two"},
		{name: "stderr is in the file", command: "echo two >&2", state: background.Completed, end: "It ends with:\n    two", file: "two\n"},
		{name: "no such program", command: "no-such-command-here", state: background.Failed, code: 127, end: "not found"},
		{name: "its time is over", command: "echo one; sleep 60", extra: `,"timeout_ms":1500`, state: background.Killed, code: -1, events: []string{"a watch: 1 event:\n    one"}, end: "its time of 1.5s is over; start it again"},
		{name: "a signal", command: "kill -KILL $$", state: background.Failed, code: -1, end: "ended by a signal: killed"},
		{name: "an option of the shell's", command: "-c 'echo a'", state: background.Failed, code: 127, end: "not found"},
		{name: "quotes and dollars stay", command: `x='a "$b"'; echo "$x" '2>>' "$0" | sed s/bash$/ok/`, state: background.Completed, events: []string{`a watch: 1 event:` + "\n" + `    a "$b" 2>> ok`}, end: "completed"},
		{name: "binary", command: `printf 'a\xff\x00b\n'`, state: background.Completed, events: []string{"a watch: 1 event:\n    a\ufffd b"}, end: "completed"},
		{name: "no input to read", command: "cat; echo end", state: background.Completed, events: []string{"a watch: 1 event:\n    end"}, end: "completed"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := session(t, t.TempDir(), "Monitor")
			m := startMonitor(t, s, tc.command, tc.extra)
			task := monitorEnd(t, s, m.TaskID)
			require.Equal(t, "monitor", task.Kind)
			require.Equal(t, tc.command, task.Command)
			require.Equal(t, tc.state, task.State, task.Err)
			if tc.code < 0 {
				require.Nil(t, task.ExitCode)
			} else {
				require.Equal(t, tc.code, *task.ExitCode)
			}
			news := taskNews(s)
			require.NotEmpty(t, news)
			last := len(news) - 1
			require.ElementsMatch(t, tc.events, news[:last])
			require.Contains(t, news[last], tc.end)
			require.Empty(t, taskNews(s), "the end is told once")
			if tc.file != "" {
				b, err := os.ReadFile(task.OutputFile)
				require.NoError(t, err)
				require.Equal(t, tc.file, string(b))
			}
		})
	}
}

// TestMonitorTellsWhileItRuns, and TaskStop ends it with all it has started.
func TestMonitorTellsWhileItRuns(t *testing.T) {
	t.Parallel()
	s := session(t, t.TempDir(), "Monitor")
	m := startMonitor(t, s, `echo one; until test -e go; do sleep 0.01; done; sleep 600 & echo $! > pid; echo two; wait`, `,"persistent":true,"timeout_ms":1`)
	require.Equal(t, shell.MonitorResult{TaskID: m.TaskID, Persistent: true}, asJSON(t, m))
	awaitNews(t, s, "one")
	require.NoError(t, os.WriteFile(filepath.Join(s.Dir(), "go"), nil, 0o600))
	awaitNews(t, s, "two")
	look := taskCall(t.Context(), t, s, "TaskOutput", fmt.Sprintf(`{"task_id":%q,"block":false}`, m.TaskID))
	require.True(t, strings.HasSuffix(look.Result.Text(), "\none\ntwo"), look.Result.Text())

	stop := taskCall(t.Context(), t, s, "TaskStop", fmt.Sprintf(`{"task_id":%q}`, m.TaskID))
	require.NoError(t, stop.Err)
	require.Contains(t, stop.Result.Text(), "was stopped")
	require.Empty(t, taskNews(s))
	requireGone(t, filepath.Join(s.Dir(), "pid"))
}

// asJSON returns what another program would read of m.
func asJSON(t *testing.T, m shell.MonitorResult) (read shell.MonitorResult) {
	t.Helper()
	b, err := json.Marshal(m)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(b, &read))
	return read
}

// requireGone waits for the end of the process whose number stands in a file: one
// that was killed is there as a zombie until whoever inherits it looks.
func requireGone(t *testing.T, file string) {
	t.Helper()
	pid, err := os.ReadFile(file)
	require.NoError(t, err)
	p := strings.TrimSpace(string(pid))
	require.Eventually(t, func() bool {
		return exec.Command("bash", "-c", "kill -0 "+p+" && ! grep -q '^State:.Z' /proc/"+p+"/status").Run() != nil
	}, 5*time.Second, 10*time.Millisecond, "process %s lives", p)
}

// TestMonitorIsEndedWhenItPrintsTooMuch: what was told until then is bounded.
func TestMonitorIsEndedWhenItPrintsTooMuch(t *testing.T) {
	t.Parallel()
	s := session(t, t.TempDir(), "Monitor")
	m := startMonitor(t, s, `while seq 100; do sleep 0.05; done`, `,"persistent":true`)
	task := monitorEnd(t, s, m.TaskID)
	require.Equal(t, background.Killed, task.State)
	require.Contains(t, task.Err, "it printed more events than can be told")
	news := taskNews(s)
	require.Len(t, news, 6, "5 messages and the end")
	require.Less(t, len(strings.Join(news, "")), 5_000)
	require.Contains(t, news[5], "grep --line-buffered")
}

// TestMonitorIsEndedWhenItsFileIsTooLarge: stderr counts, though it is not told.
func TestMonitorIsEndedWhenItsFileIsTooLarge(t *testing.T) {
	t.Parallel()
	needBash(t)
	s := session(t, t.TempDir(), "Monitor")
	out := monitorCall(t, s, shell.Options{MaxOutput: 1000}, `{"description":"d","command":"seq 1000 >&2; sleep 60","persistent":true}`)
	require.NoError(t, out.Err)
	m, ok := out.Result.Data.(shell.MonitorResult)
	require.True(t, ok)
	task := monitorEnd(t, s, m.TaskID)
	require.Equal(t, background.Killed, task.State)
	require.Equal(t, "its output file has become too large", task.Err)
	require.Len(t, taskNews(s), 1)
}

// TestMonitorThatFloodsItsErrorsDoesNotFillTheDisk: with the default options.
func TestMonitorThatFloodsItsErrorsDoesNotFillTheDisk(t *testing.T) {
	t.Parallel()
	needBash(t)
	s := session(t, t.TempDir(), "Monitor")
	out := monitorCall(t, s, shell.Options{}, `{"description":"d","command":"head -c 1000000000 /dev/zero >&2; sleep 60","persistent":true}`)
	require.NoError(t, out.Err)
	m, ok := out.Result.Data.(shell.MonitorResult)
	require.True(t, ok)
	task := monitorEnd(t, s, m.TaskID)
	require.Equal(t, "its output file has become too large", task.Err)
	info, err := os.Stat(task.OutputFile)
	require.NoError(t, err)
	require.EqualValues(t, shell.MaxStored, info.Size())
}

// monitorCall runs one call of a monitor of other options than taskCall's.
func monitorCall(t *testing.T, s *pegboard.Session, o shell.Options, input string) pegboard.Outcome {
	t.Helper()
	var reg pegboard.Registry
	require.NoError(t, reg.Add(shell.Monitor(o)))
	var ex pegboard.Executor
	return ex.Run(t.Context(), reg.AssemblePool(s, pegboard.PoolConfig{Gates: monitors()}), pegboard.Call{ID: "1", Name: "Monitor", Input: []byte(input)})[0]
}

// TestMonitorStartsWhereBashWould, and looks there for what it may read.
func TestMonitorStartsWhereBashWould(t *testing.T) {
	t.Parallel()
	needBash(t)
	s := session(t, t.TempDir())
	require.NoError(t, os.Mkdir(filepath.Join(s.Dir(), "sub"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(s.Dir(), "sub", "log"), []byte("here\n"), 0o600))
	var reg pegboard.Registry
	require.NoError(t, reg.Add(shell.Bash(shell.Options{})))
	var ex pegboard.Executor
	out := ex.Run(t.Context(), reg.AssemblePool(s, pegboard.PoolConfig{}), pegboard.Call{ID: "1", Name: "Bash", Input: []byte(`{"command":"cd sub && pwd"}`)})[0]
	require.NoError(t, out.Err)
	m := startMonitor(t, s, "cat log", "")
	require.Equal(t, background.Completed, monitorEnd(t, s, m.TaskID).State)
	require.Equal(t, "a watch: 1 event:\n    here", taskNews(s)[0])
}

// TestMonitorWithoutBackground does not exist.
func TestMonitorWithoutBackground(t *testing.T) {
	t.Parallel()
	s := session(t, t.TempDir(), "Monitor")
	out := monitorCall(t, s, shell.Options{NoBackground: true}, `{"description":"d","command":"true"}`)
	require.ErrorIs(t, out.Err, pegboard.ErrUnknownTool)
}

// TestMonitorEndsWithItsSession, with all its processes and its file.
func TestMonitorEndsWithItsSession(t *testing.T) {
	t.Parallel()
	s := session(t, t.TempDir(), "Monitor")
	m := startMonitor(t, s, `trap '' TERM; (trap '' TERM; echo $BASHPID > pid; echo begun; sleep 60; sleep 60) & wait`, `,"persistent":true`)
	awaitNews(t, s, "begun")
	task, _ := background.Of(s).Get(m.TaskID)
	require.FileExists(t, task.OutputFile)
	require.NoError(t, s.Close(t.Context()))
	requireGone(t, filepath.Join(s.Dir(), "pid"))
	require.NoFileExists(t, task.OutputFile)
	require.NoDirExists(t, filepath.Dir(task.OutputFile))
	out := taskCall(t.Context(), t, s, "Monitor", `{"description":"d","command":"true"}`)
	require.Error(t, out.Err)
}

// TestMonitorBelongsToItsAgent: that of an agent somebody waits for ends with it.
func TestMonitorBelongsToItsAgent(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		role pegboard.Role
		want background.State
	}{
		{name: "sub-agent", role: pegboard.RoleSubAgent, want: background.Killed},
		{name: "async agent", role: pegboard.RoleAsyncAgent, want: background.Running},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := session(t, t.TempDir(), "Monitor")
			_ = background.Of(s)
			agent, err := s.Fork(pegboard.SessionConfig{Role: tc.role, AgentID: "a1"})
			require.NoError(t, err)
			m := startMonitor(t, agent, "sleep 60", "")
			require.NoError(t, agent.Close(t.Context()))
			task, _ := background.Of(s).Get(m.TaskID)
			require.Equal(t, tc.want, task.State)
		})
	}
}

// TestMonitorIsDecidedLikeBash: by rules for Bash, and by its own.
func TestMonitorIsDecidedLikeBash(t *testing.T) {
	t.Parallel()
	needBash(t)
	tests := []struct {
		name, command string
		set           policy.RuleSet
		runs          bool
	}{
		{name: "no rule", command: "touch a"},
		{name: "it only reads", command: "echo a | head -3", runs: true},
		{name: "a rule for Bash", command: "touch a", set: policy.RuleSet{Allow: []string{"Bash(touch:*)"}}, runs: true},
		{name: "a rule of its own", command: "touch a", set: policy.RuleSet{Allow: []string{"Monitor(touch:*)"}}, runs: true},
		{name: "one of two commands", command: "touch a; rm a", set: policy.RuleSet{Allow: []string{"Bash(touch:*)"}}},
		{name: "what Bash may not run", command: "touch a; rm a", set: policy.RuleSet{Allow: []string{"Monitor"}, Deny: []string{"Bash(rm:*)"}}},
		{name: "a write elsewhere", command: "echo a > ../b", set: policy.RuleSet{Allow: []string{"Bash(echo:*)"}}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := session(t, t.TempDir())
			perms, err := policy.New("", tc.set)
			require.NoError(t, err)
			require.NoError(t, s.SetPermissions(perms))
			out := taskCall(t.Context(), t, s, "Monitor", fmt.Sprintf(`{"description":"d","command":%q}`, tc.command))
			if tc.runs {
				require.NoError(t, out.Err)
			} else {
				require.ErrorIs(t, out.Err, pegboard.ErrDenied)
				require.Empty(t, background.Of(s).List())
			}
		})
	}
}

func TestMonitorRefuses(t *testing.T) {
	t.Parallel()
	s := session(t, t.TempDir(), "Monitor")
	tests := []struct{ name, input, says string }{
		{name: "no command", input: `{"description":"d"}`, says: "command"},
		{name: "a blank command", input: `{"description":"d","command":" "}`, says: "blank"},
		{name: "no description", input: `{"command":"true"}`, says: "description"},
		{name: "a WebSocket", input: `{"description":"d","ws":{"url":"wss://example.com"}}`, says: "ws"},
		{name: "less than no time", input: `{"description":"d","command":"true","timeout_ms":-1}`, says: "timeout_ms"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			out := taskCall(t.Context(), t, s, "Monitor", tc.input)
			require.ErrorIs(t, out.Err, pegboard.ErrInvalidInput)
			require.Contains(t, out.Result.Text(), tc.says)
		})
	}
}

func TestMonitorCutsItsTime(t *testing.T) {
	t.Parallel()
	s := session(t, t.TempDir(), "Monitor")
	require.EqualValues(t, 300_000, startMonitor(t, s, "true", "").TimeoutMS)
	require.EqualValues(t, 2000, startMonitor(t, s, "true", `,"timeout_ms":2000`).TimeoutMS)
	require.EqualValues(t, 3_600_000, startMonitor(t, s, "true", `,"timeout_ms":9000000000000000`).TimeoutMS)
}

// TestMonitorThatCannotStart leaves nothing behind.
func TestMonitorThatCannotStart(t *testing.T) {
	t.Parallel()
	needBash(t)
	const input = `{"description":"d","command":"sleep 60"}`
	none := session(t, t.TempDir(), "Monitor")
	out := monitorCall(t, none, shell.Options{Shell: []string{"/no/such/shell", "-c"}}, input)
	require.ErrorContains(t, out.Err, "the shell could not be started")

	many := session(t, t.TempDir(), "Monitor")
	require.NoError(t, background.Configure(many, background.Options{MaxTasks: 1}))
	require.NoError(t, monitorCall(t, many, shell.Options{}, input).Err)
	out = monitorCall(t, many, shell.Options{}, input)
	require.ErrorIs(t, out.Err, background.ErrTooMany)

	for s, want := range map[*pegboard.Session]int{none: 0, many: 1} {
		dir, err := background.Of(s).Dir()
		require.NoError(t, err)
		files, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Len(t, files, want)
	}
}

func TestMonitorKeepsTheContract(t *testing.T) {
	t.Parallel()
	needBash(t)
	require.NoError(t, tooltest.Check(shell.Monitor(shell.Options{}), `{"description":"d","command":"true"}`, `{"description":"d","command":"sleep 9","timeout_ms":1000,"persistent":true}`))
}
