package shell_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/background"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// TestEndedChildrenAreTold: a line that leaves something running is told that it ended,
// what it was, and how to keep it.
func TestEndedChildrenAreTold(t *testing.T) {
	t.Parallel()
	needBash(t)
	if runtime.GOOS != "linux" {
		t.Skip("the texts name the arguments, which only Linux tells")
	}
	for _, tc := range []struct {
		name, command, extra string
		options              shell.Options
		want                 string
	}{
		{name: "nothing", command: "echo a & wait", want: "a"},
		{
			name: "a server", command: "nohup sleep 1000 & echo started",
			want: "It had left a process running, which was ended with it: sleep 1000. To keep one running, start it with run_in_background and without &.\nstarted",
		},
		{
			name: "two, of which nothing holds the output", command: "sleep 1000 >/dev/null 2>&1 & sleep 2000 >/dev/null 2>&1 & sleep 0.2; echo a; false",
			want: "Exit code 1.\nIt had left 2 processes running, which were ended with it: sleep 1000; sleep 2000. To keep one running, start it with run_in_background and without &.\na",
		},
		{
			name: "many", command: "for i in 1 2 3 4 5 6 7; do sleep 100$i >/dev/null 2>&1 & done; sleep 0.3",
			want: "It had left 7 processes running, which were ended with it: sleep 1001; sleep 1002; sleep 1003; sleep 1004; sleep 1005; …. To keep one running, start it with run_in_background and without &.",
		},
		{
			name: "a subshell", command: "(while :; do read x </dev/null; done) >/dev/null 2>&1 & sleep 0.2",
			want: "It had left a process running, which was ended with it: a subshell of the line. To keep one running, start it with run_in_background and without &.",
		},
		{
			name: "no background", command: "sleep 1000 & echo a", options: shell.Options{NoBackground: true},
			want: "It had left a process running, which was ended with it: sleep 1000. Nothing goes on after a command here.\na",
		},
		{
			name: "in the background", command: "sleep 1000 >/dev/null 2>&1 & sleep 0.1", extra: `,"run_in_background":true`,
			want: "The command ended at once, so that there is no background task.\nIt had left a process running, which was ended with it: sleep 1000. What is to go on must not be put into the background with &: the task ends with its shell.",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var out pegboard.Outcome
			for range 100 { // on a busy machine, what ends at once may be a task first
				s := session(t, tempDir(t), "Bash")
				out = bash(t, s, tc.options, fmt.Sprintf(`{"command":%s%s}`, jsonOf(t, tc.command), tc.extra))
				id := outputOf(t, out).BackgroundTaskID
				if id == "" {
					break
				}
				waited(t, s, id)
			}
			require.Equal(t, tc.want, out.Result.Text())
		})
	}
}

// TestABackgroundTaskTellsWhatEndedWithIt, and so does a monitor.
func TestABackgroundTaskTellsWhatEndedWithIt(t *testing.T) {
	t.Parallel()
	needBash(t)
	if runtime.GOOS != "linux" {
		t.Skip("the texts name the arguments, which only Linux tells")
	}
	s := session(t, tempDir(t), "Bash", "Monitor")
	started := outputOf(t, bash(t, s, shell.Options{}, `{"command":"sleep 1; sleep 1000 & true","run_in_background":true}`))
	waited(t, s, started.BackgroundTaskID)
	require.Contains(t, noticesOf(s), "It had left a process running, which was ended with it: sleep 1000. What is to go on")

	var ex pegboard.Executor
	out := ex.Run(t.Context(), poolOf(t, s, shell.Monitor(shell.Options{})), pegboard.Call{Name: "Monitor", Input: []byte(`{"command":"sleep 3000 &","description":"nothing"}`)})[0]
	require.NoError(t, out.Err)
	monitor, ok := out.Result.Data.(shell.MonitorResult)
	require.True(t, ok)
	waited(t, s, monitor.TaskID)
	require.Contains(t, noticesOf(s), "which was ended with it: sleep 3000. What is to go on")
}

func noticesOf(s *pegboard.Session) string {
	var b strings.Builder
	for _, part := range background.Of(s).Notices(s) {
		b.WriteString(part.Text + "\n")
	}
	return b.String()
}

// TestWhatIsAdvisedKeepsAServer: it runs on after the call that started it.
func TestWhatIsAdvisedKeepsAServer(t *testing.T) {
	t.Parallel()
	needBash(t)
	s := session(t, tempDir(t), "Bash")
	out := outputOf(t, bash(t, s, shell.Options{}, `{"command":"sleep 1000","run_in_background":true}`))
	require.NotEmpty(t, out.BackgroundTaskID)
	task, ok := background.Of(s).Get(out.BackgroundTaskID)
	require.True(t, ok)
	require.Equal(t, background.Running, task.State)
	require.WithinDuration(t, time.Now(), task.Started, soon)
}
