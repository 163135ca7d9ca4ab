package shell_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/background"
	"github.com/seed49eaa51d/pegboard/tools/shell"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// taskCall runs one call of the tools for background tasks, which sub-agents have
// here as well.
func taskCall(ctx context.Context, t *testing.T, s *pegboard.Session, name, input string) pegboard.Outcome {
	t.Helper()
	var ex pegboard.Executor
	return ex.Run(ctx, taskPool(t, s), pegboard.Call{ID: "1", Name: name, Input: []byte(input)})[0]
}

func taskPool(t *testing.T, s *pegboard.Session) *pegboard.Pool {
	t.Helper()
	var reg pegboard.Registry
	require.NoError(t, reg.Add(shell.TaskOutput(shell.TaskOutputOptions{}), shell.TaskStop(), shell.Monitor(shell.Options{})))
	return reg.AssemblePool(s, pegboard.PoolConfig{Roles: &pegboard.RoleTables{Async: []string{"Monitor"}}, Gates: monitors()})
}

// monitors turns the feature on that Monitor belongs to.
func monitors() pegboard.Gates {
	return pegboard.Gates{Features: []pegboard.Feature{pegboard.FeatureMonitors}}
}

// fakeTask adds work that ends as Failed when it is stopped.
func fakeTask(t *testing.T, s *pegboard.Session, w background.Work) *background.Handle {
	t.Helper()
	added := make(chan *background.Handle, 1)
	if w.Stop == nil {
		w.Stop = func(error) { (<-added).Done(background.Failed, nil, nil) }
	}
	h, err := background.Of(s).Add(s, w)
	require.NoError(t, err)
	added <- h
	return h
}

// taskNews returns what s is told, without the ids.
func taskNews(s *pegboard.Session) (all []string) {
	for _, p := range background.Of(s).Notices(s) {
		_, text, _ := strings.Cut(strings.TrimPrefix(p.Text, "Background task "), " ")
		all = append(all, text)
	}
	return all
}

func TestTaskOutputWaits(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, extra string
		lasts       time.Duration // how long the task runs
		want        shell.Retrieval
		after       time.Duration
		says        string
	}{
		{name: "ended before", want: shell.Retrieved, says: "completed after 0s with exit code 0."},
		{name: "ends meanwhile", lasts: 10 * time.Second, want: shell.Retrieved, after: 10 * time.Second, says: "completed after 10s"},
		{name: "not in time", lasts: time.Hour, want: shell.WaitedLong, after: 30 * time.Second, says: "has been running for 30s.\nIt has not ended within 30s."},
		{name: "a time of its own", extra: `,"timeout":1500`, lasts: time.Hour, want: shell.WaitedLong, after: 1500 * time.Millisecond, says: "within 1.5s"},
		{name: "no time", extra: `,"timeout":0`, lasts: time.Hour, want: shell.WaitedLong},
		{name: "more than the most", extra: `,"timeout":9000000000000000`, lasts: time.Hour, want: shell.WaitedLong, after: 10 * time.Minute, says: "within 10m0s"},
		{name: "does not wait", extra: `,"block":false`, lasts: time.Hour, want: shell.NotReadyYet, says: "It has printed nothing so far."},
		{name: "does not wait, ended", extra: `,"block":false,"timeout":5`, want: shell.Retrieved, says: "It has printed nothing."},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := session(t, t.TempDir())
				h := fakeTask(t, s, background.Work{Kind: "shell", Description: "a task"})
				zero := 0
				end := func() { h.Done(background.Completed, &zero, nil) }
				if tc.lasts == 0 {
					end()
				} else {
					defer time.AfterFunc(tc.lasts, end).Stop()
				}
				begin := time.Now()
				out := taskCall(t.Context(), t, s, "TaskOutput", fmt.Sprintf(`{"task_id":%q%s}`, h.ID(), tc.extra))
				require.NoError(t, out.Err)
				require.False(t, out.Result.IsError)
				require.Equal(t, tc.after, time.Since(begin))
				require.Contains(t, out.Result.Text(), "Task "+h.ID()+" (a task) ")
				require.Contains(t, out.Result.Text(), tc.says)
				got, ok := out.Result.Data.(shell.TaskOutputResult)
				require.True(t, ok)
				require.Equal(t, tc.want, got.Retrieval)
				require.Equal(t, h.ID(), got.Task.ID)
				require.Empty(t, taskNews(s), "the result has told it")
			})
		})
	}
}

// TestTaskOutputByItsFormerNames shows what there is, and waits only if the call says so.
func TestTaskOutputByItsFormerNames(t *testing.T) {
	t.Parallel()
	for extra, want := range map[string]shell.Retrieval{"": shell.NotReadyYet, `,"block":true`: shell.WaitedLong} {
		synctest.Test(t, func(t *testing.T) {
			s := session(t, t.TempDir())
			h := fakeTask(t, s, background.Work{Kind: "shell", Output: func() string { return "so far" }})
			begin := time.Now()
			out := taskCall(t.Context(), t, s, "BashOutput", fmt.Sprintf(`{"bash_id":%q%s}`, h.ID(), extra))
			require.NoError(t, out.Err)
			got, ok := out.Result.Data.(shell.TaskOutputResult)
			require.True(t, ok)
			require.Equal(t, []any{want, h.ID(), "so far"}, []any{got.Retrieval, got.Task.ID, got.Task.Output})
			require.Equal(t, want == shell.WaitedLong, time.Since(begin) > 0)
		})
	}
}

// TestTaskOutputIsCancelled while it waits; the task goes on.
func TestTaskOutputIsCancelled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := session(t, t.TempDir())
		h := fakeTask(t, s, background.Work{})
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(pegboard.ErrNewMessage) })
		begin := time.Now()
		out := taskCall(ctx, t, s, "TaskOutput", fmt.Sprintf(`{"task_id":%q}`, h.ID()))
		require.ErrorIs(t, out.Err, pegboard.ErrCancelled)
		require.Equal(t, time.Second, time.Since(begin))
		task, _ := background.Of(s).Get(h.ID())
		require.Equal(t, background.Running, task.State)
	})
}

// TestTaskOutputShowsTheEnd of what was printed, whatever that is.
func TestTaskOutputShowsTheEnd(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("x", 99) + "\n"
	tests := []struct {
		name     string
		printed  string
		gone     bool
		memory   func() string // shown by the work itself
		noFile   bool
		notShell bool
		want     string // the output, if set
		says     string
	}{
		{name: "short", printed: "one\ntwo\n", want: "one\ntwo"},
		{name: "as much as is shown", printed: strings.Repeat(line, 320), want: strings.TrimSuffix(strings.Repeat(line, 320), "\n")},
		{
			name: "more, by whole lines", printed: "first\n" + strings.Repeat(line, 320) + "last\n",
			want: strings.Repeat(line, 319) + "last", says: "Only the end of its output follows, bytes 107 to 32011 of ",
		},
		{name: "one long line", printed: strings.Repeat("ü", 20_000), want: strings.Repeat("ü", 16_000), says: "bytes 8001 to 40000 of "},
		{name: "one long line, cut within a character", printed: strings.Repeat("漢", 20_000), want: strings.Repeat("漢", 10_666), says: "bytes 28003 to 60000 of "},
		{name: "invalid UTF-8", printed: "a\xff\xfeb\xe6\xbc", want: "a\ufffdb\ufffd"},
		{name: "binary", printed: strings.Repeat("a\xff", 20_000), want: strings.Repeat("a\ufffd", 8_000), says: "bytes 24001 to 40000 of "},
		{name: "bytes that begin no character", printed: strings.Repeat("\x80", 40_000), want: "\ufffd", says: "bytes 8003 to 40000 of "},
		{name: "nothing", says: "It has printed nothing."},
		{name: "the file is gone", printed: "a", gone: true, says: "Its output cannot be shown: the file "},
		{name: "gone, but kept in memory", gone: true, memory: func() string { return "kept" }, want: "kept"},
		{name: "no file", noFile: true, memory: func() string { return "kept" }, want: "kept"},
		{name: "much in memory", noFile: true, memory: func() string { return strings.Repeat(line, 1000) }, want: strings.TrimSuffix(strings.Repeat(line, 320), "\n"), says: "bytes 68001 to 100000."},
		{name: "an agent's own view", notShell: true, printed: "a transcript", memory: func() string { return "the answer" }, want: "the answer"},
		{name: "the work panics", noFile: true, memory: func() string { panic("oh") }, says: "Its output cannot be shown"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := session(t, t.TempDir())
			w := background.Work{Kind: "shell", Command: "make", Output: tc.memory}
			if tc.notShell {
				w.Kind, w.Command = "agent", ""
			}
			if !tc.noFile {
				var err error
				w.OutputFile, err = background.Of(s).NewFile("shell")
				require.NoError(t, err)
				if !tc.gone {
					require.NoError(t, os.WriteFile(w.OutputFile, []byte(tc.printed), 0o600))
				}
			}
			h := fakeTask(t, s, w)
			h.Done(background.Completed, nil, nil)
			out := taskCall(t.Context(), t, s, "TaskOutput", fmt.Sprintf(`{"task_id":%q}`, h.ID()))
			require.NoError(t, out.Err)
			require.False(t, out.Result.IsError)
			got, ok := out.Result.Data.(shell.TaskOutputResult)
			require.True(t, ok)
			require.Equal(t, tc.want, got.Task.Output)
			require.Contains(t, out.Result.Text(), tc.says)
			require.Contains(t, out.Result.Text(), tc.want)
			require.LessOrEqual(t, len(got.Task.Output), background.MaxOutput)
		})
	}
}

// TestTaskOutputOfAnEarlierRun: the task is lost, its file is shown, and no other
// file that its record may name.
func TestTaskOutputOfAnEarlierRun(t *testing.T) {
	t.Parallel()
	dir, elsewhere := t.TempDir(), filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(elsewhere, []byte("hidden"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "out.log"), []byte("half a build"), 0o600))
	record := func(id, file string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, id+".task.json"), fmt.Appendf(nil,
			`{"version":1,"task":{"id":%q,"type":"shell","status":"running","description":"d","command":"make","started":"2026-01-01T00:00:00Z","output_file":%q},"host":{}}`, id, file), 0o600))
	}
	record("shell_aaaaaa", filepath.Join(dir, "out.log"))
	record("shell_bbbbbb", elsewhere)
	s := session(t, t.TempDir())
	require.NoError(t, background.Configure(s, background.Options{Dir: dir}))

	out := taskCall(t.Context(), t, s, "TaskOutput", `{"task_id":"shell_aaaaaa"}`)
	require.NoError(t, out.Err)
	require.Contains(t, out.Result.Text(), "was lost")
	require.Contains(t, out.Result.Text(), "\nhalf a build")
	out = taskCall(t.Context(), t, s, "TaskOutput", `{"task_id":"shell_bbbbbb"}`)
	require.NoError(t, out.Err)
	require.Contains(t, out.Result.Text(), "nothing of it was kept")
	require.NotContains(t, out.Result.Text(), "hidden")
}

// TestTaskOutputOfAHugeFile reads what it shows. It is not parallel, because it
// looks at what is allocated.
func TestTaskOutputOfAHugeFile(t *testing.T) {
	s := session(t, t.TempDir())
	file, err := background.Of(s).NewFile("shell")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.NoError(t, os.Truncate(file, 1<<30)) // without any block on the disk
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString("\nthe end\n")
	require.NoError(t, err)
	require.NoError(t, f.Close())
	h := fakeTask(t, s, background.Work{Kind: "shell", Command: "yes", OutputFile: file})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	out := taskCall(t.Context(), t, s, "TaskOutput", fmt.Sprintf(`{"task_id":%q,"block":false}`, h.ID()))
	runtime.ReadMemStats(&after)
	require.NoError(t, out.Err)
	require.True(t, strings.HasSuffix(out.Result.Text(), "\nthe end"), "the end of it")
	require.Contains(t, out.Result.Text(), "to 1073741833 of ")
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(8<<20))
}

// TestTaskOutputFollowsNoLink: what stands in the place of an output file may be a
// link to what nobody was asked about.
func TestTaskOutputFollowsNoLink(t *testing.T) {
	t.Parallel()
	s := session(t, t.TempDir())
	secret := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(secret, []byte("secret\n"), 0o600))
	file, err := background.Of(s).NewFile("shell")
	require.NoError(t, err)
	require.NoError(t, os.Symlink(secret, file))
	h := fakeTask(t, s, background.Work{Command: "make", OutputFile: file})
	h.Done(background.Completed, nil, nil)
	out := taskCall(t.Context(), t, s, "TaskOutput", fmt.Sprintf(`{"task_id":%q}`, h.ID()))
	require.Contains(t, out.Result.Text(), "Its output cannot be shown")
	require.NotContains(t, out.Result.Text(), "secret\n")
	data, ok := out.Result.Data.(shell.TaskOutputResult)
	require.True(t, ok)
	require.Empty(t, data.Task.Output)
}

// TestTaskOutputBelongsToTheConversation: all its agents may look, and looking does
// not keep another agent from being told.
func TestTaskOutputBelongsToTheConversation(t *testing.T) {
	t.Parallel()
	s := session(t, t.TempDir())
	agent, err := s.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent, AgentID: "a1"})
	require.NoError(t, err)
	h := fakeTask(t, s, background.Work{Kind: "shell"})
	h.Done(background.Completed, nil, nil)
	require.NoError(t, taskCall(t.Context(), t, agent, "TaskOutput", fmt.Sprintf(`{"task_id":%q}`, h.ID())).Err)
	require.Len(t, taskNews(s), 1)

	other := session(t, t.TempDir())
	out := taskCall(t.Context(), t, other, "TaskOutput", fmt.Sprintf(`{"task_id":%q}`, h.ID()))
	require.ErrorIs(t, out.Err, background.ErrUnknownTask)
}

func TestTaskOutputRefuses(t *testing.T) {
	t.Parallel()
	s := session(t, t.TempDir())
	h := fakeTask(t, s, background.Work{Kind: "shell"})
	tests := []struct{ name, tool, input, says string }{
		{name: "an unknown id", tool: "TaskOutput", input: fmt.Sprintf(`{"task_id":%q}`, h.ID()+"x"), says: "did you mean " + h.ID()},
		{name: "no id", tool: "TaskOutput", input: `{"block":false}`, says: "task_id"},
		{name: "an empty id", tool: "TaskOutput", input: `{"task_id":""}`, says: "task_id"},
		{name: "two ids", tool: "TaskOutput", input: `{"task_id":"a","bash_id":"b"}`, says: "different tasks"},
		{name: "a negative time", tool: "TaskOutput", input: `{"task_id":"a","timeout":-1}`, says: "timeout"},
		{name: "a filter, as its former name took it", tool: "BashOutput", input: `{"bash_id":"a","filter":"b"}`, says: "filter"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			out := taskCall(t.Context(), t, s, tc.tool, tc.input)
			require.Error(t, out.Err)
			require.True(t, out.Result.IsError)
			require.Contains(t, out.Result.Text(), tc.says)
		})
	}
}

func TestTaskOutputKeepsTheContract(t *testing.T) {
	t.Parallel()
	require.NoError(t, tooltest.Check(shell.TaskOutput(shell.TaskOutputOptions{}), `{"task_id":"a"}`, `{"bash_id":"a"}`, `{"task_id":"a","block":false,"timeout":5}`))
}
