package shell_test

import (
	"context"
	"encoding/json"
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
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/script"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/background"
	"github.com/seed49eaa51d/pegboard/tools/shell"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

func TestBashTellsHowACommandEnded(t *testing.T) {
	t.Parallel()
	needBash(t)
	tests := []struct {
		name, command, extra string
		failed               bool
		text                 string // exact, if set
		says                 string
	}{
		{name: "prints", command: "echo hello", text: "hello"},
		{name: "both streams in order", command: "echo a; echo b >&2; echo c", text: "a\nb\nc"},
		{name: "prints nothing", command: "true", text: "(Bash ran and returned nothing)"},
		{name: "exit code", command: "echo no; exit 3", failed: true, text: "Exit code 3.\nno"},
		{name: "not found", command: "no-such-command-here", failed: true, says: "Exit code 127."},
		{name: "syntax", command: "if", failed: true, says: "syntax error"},
		{name: "signal", command: "kill -TERM $$", failed: true, says: "terminated"},
		{name: "time-out", command: "sleep 60", extra: `,"timeout":200`, failed: true, says: "longer than 200ms"},
		{name: "time-out keeps output", command: "echo begun; sleep 60; git", extra: `,"timeout":200`, failed: true, says: "begun"},
		{name: "no input to read", command: "cat; echo end", text: "end"},
		{name: "no terminal", command: "tty", failed: true, says: "not a tty"},
		{name: "invalid UTF-8", command: `printf 'a\xffb'`, text: "a\ufffdb"},
		{name: "git asks nobody", command: "echo $GIT_TERMINAL_PROMPT $PAGER", text: "0 cat"},
		{name: "a leftover that holds the output", command: "env -u " + mark + " setsid sleep 20 & echo done", says: "left behind"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if strings.Contains(tc.command, "setsid") && runtime.GOOS != "linux" {
				t.Skip("setsid is a Linux program")
			}
			out := bash(t, session(t, t.TempDir(), "Bash"), shell.Options{}, fmt.Sprintf(`{"command":%q%s}`, tc.command, tc.extra))
			require.NoError(t, out.Err)
			require.Equal(t, tc.failed, out.Result.IsError, out.Result.Text())
			if tc.text != "" {
				require.Equal(t, tc.text, out.Result.Text())
			}
			require.Contains(t, out.Result.Text(), tc.says)
			require.IsType(t, shell.Output{}, out.Result.Data)
		})
	}
}

// TestBashIsDecidedByItsCommands: every command of a line needs a reason to run.
func TestBashIsDecidedByItsCommands(t *testing.T) {
	t.Parallel()
	needBash(t)
	tests := []struct {
		name    string
		allow   []string
		command string
		runs    bool
	}{
		{name: "no rule", command: "touch a"},
		{name: "it only reads", command: "echo a && ls -la | head -3", runs: true},
		{name: "it compares two files", command: "echo a > /dev/null && diff a b; true", runs: true},
		{name: "it reads outside", command: "cat ../../a"},
		{name: "it reads where a rule permits", allow: []string{"Read(//dev/null)"}, command: "cat /dev/null", runs: true},
		{name: "exact", allow: []string{"Bash(touch a)"}, command: "touch a", runs: true},
		{name: "more blanks", allow: []string{"Bash(touch a)"}, command: "  touch   a ", runs: true},
		{name: "more words", allow: []string{"Bash(touch a)"}, command: "touch a b"},
		{name: "prefix", allow: []string{"Bash(touch:*)"}, command: "touch a b", runs: true},
		{name: "another command behind", allow: []string{"Bash(touch a)"}, command: "touch a; touch b"},
		{name: "on another line", allow: []string{"Bash(touch a)"}, command: "touch a\ntouch b"},
		{name: "one rule for two commands", allow: []string{"Bash(touch a; touch b)"}, command: "touch a; touch b"},
		{name: "a rule for each", allow: []string{"Bash(touch a)", "Bash(touch b)"}, command: "touch a; touch b && echo done", runs: true},
		{name: "a harmless assignment before it", allow: []string{"Bash(touch:*)"}, command: "LANG=C touch a", runs: true},
		{name: "another one", allow: []string{"Bash(touch:*)"}, command: "LD_PRELOAD=./a.so touch a"},
		{name: "redirected", allow: []string{"Bash(touch:*)"}, command: "touch a > b"},
		{name: "redirected where a rule permits", allow: []string{"Bash(touch:*)", "Edit(./b)"}, command: "touch a > b", runs: true},
		{name: "computed", allow: []string{"Bash(touch:*)"}, command: "x=touch; $x a"},
		{name: "the whole tool", allow: []string{"Bash"}, command: "touch a; x=touch; $x b", runs: true},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := session(t, t.TempDir(), tc.allow...)
			for _, name := range []string{"a", "b"} {
				require.NoError(t, os.WriteFile(filepath.Join(s.Dir(), name), nil, 0o600))
			}
			out := bash(t, s, shell.Options{}, fmt.Sprintf(`{"command":%q}`, tc.command))
			if tc.runs {
				require.NoError(t, out.Err)
			} else {
				require.ErrorIs(t, out.Err, pegboard.ErrDenied)
			}
		})
	}
}

// TestBashRunsWhatWasParsed: what stands around a line must not change what it
// says.
func TestBashRunsWhatWasParsed(t *testing.T) {
	t.Parallel()
	needBash(t)
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "elsewhere", "src"), 0o755))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "src"), 0o755))
	for _, at := range []string{"cat", "bin/cat"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, at)), 0o755))
		script.Write(t, filepath.Join(dir, at), "#!/bin/sh\necho planted\n")
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), []byte("the file"), 0o600))
	tests := []struct {
		name, command, want string
		env                 []string
		fails               bool
	}{
		{name: "a line like an option", command: "-c 'echo a'", want: "command not found", fails: true},
		{name: "CDPATH", command: "cd src && pwd", env: []string{"CDPATH=" + filepath.Join(dir, "elsewhere")}, want: filepath.Join(dir, "src")},
		{name: "a planted program", command: "cat file", env: []string{"PATH=.:" + dir + "/bin:" + os.Getenv("PATH")}, want: "the file"},
		{name: "what git may do in a line that reads", command: "echo $GIT_OPTIONAL_LOCKS", want: "0"},
		{name: "and in another", command: "echo [$GIT_OPTIONAL_LOCKS]; touch a", want: "[]"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			o := shell.Options{Env: append([]string{"PATH=" + os.Getenv("PATH")}, tc.env...), Public: []string{"GIT_*", "!GIT_SSH*"}}
			out := bash(t, session(t, dir, "Bash"), o, fmt.Sprintf(`{"command":%q}`, tc.command))
			require.Equal(t, tc.fails, out.Result.IsError)
			require.Contains(t, out.Result.Text(), tc.want)
		})
	}
}

// TestBashReportsLinesAsTheyCome: some in a second, and the last.
func TestBashReportsLinesAsTheyCome(t *testing.T) {
	t.Parallel()
	needBash(t)
	var reg pegboard.Registry
	require.NoError(t, reg.Add(shell.Bash(shell.Options{})))
	var got []string
	ex := pegboard.Executor{OnEvent: func(e pegboard.Event) {
		if e.Kind == pegboard.EventProgress {
			got = append(got, e.Text)
		}
	}}
	ex.Run(t.Context(), reg.AssemblePool(session(t, t.TempDir(), "Bash"), pegboard.PoolConfig{}),
		pegboard.Call{ID: "1", Name: "Bash", Input: []byte(`{"command":"echo one; printf two; sleep 0.05; echo more; seq 1 5000"}`)})
	require.Equal(t, []string{"one", "twomore", "1"}, got[:3])
	require.Less(t, len(got), 1000)
	require.Equal(t, "5000", got[len(got)-1])
}

func TestBashRefusesWhatIsNoCommand(t *testing.T) {
	t.Parallel()
	s := session(t, t.TempDir(), "Bash")
	for _, input := range []string{`{}`, `{"command":""}`, `{"command":"  "}`, `{"command":"a\u0000b"}`, `{"command":"a","timeout":-1}`, `{"command":"a","shell":"zsh"}`} {
		require.ErrorIs(t, bash(t, s, shell.Options{}, input).Err, pegboard.ErrInvalidInput, input)
	}
	require.NoError(t, bash(t, s, shell.Options{}, `{"command":"echo","timeout":0}`).Err, "0 is the default")
	out := bash(t, s, shell.Options{Shell: []string{"/no/such/shell", "-c"}}, `{"command":"echo"}`)
	require.Error(t, out.Err)
	require.Contains(t, out.Result.Text(), "could not be started")
}

func TestBashKeepsTheContract(t *testing.T) {
	t.Parallel()
	needBash(t)
	require.NoError(t, tooltest.Check(shell.Bash(shell.Options{}), `{"command":"true"}`, `{"command":"make","run_in_background":true}`, `{"command":"sleep 100","timeout":60000,"description":"Wait"}`))
}

// The same command with the same long output, again and again, is a loop.
func TestTheSameOutputAgainAndAgainIsALoop(t *testing.T) {
	t.Parallel()
	needBash(t)
	for _, n := range []int{10, 100_000} {
		perms, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"Bash"}})
		require.NoError(t, err)
		s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: t.TempDir(), Permissions: perms})
		require.NoError(t, err)
		t.Cleanup(func() { _ = s.Close(context.Background()) })
		pool := poolOf(t, s, shell.Bash(shell.Options{}))
		var ex pegboard.Executor
		var last pegboard.Outcome
		for i := range 5 {
			last = ex.Run(t.Context(), pool, pegboard.Call{ID: fmt.Sprint("id", i), Name: "Bash", Input: []byte(fmt.Sprintf(`{"command":"seq 1 %d"}`, n))})[0]
		}
		require.ErrorIs(t, last.Err, pegboard.ErrNoApprover, "%d lines", n)
	}
}

const gibibyte = 1 << 30

// printGibibyte prints lines as a build may, faster than anything reads them.
var printGibibyte = fmt.Sprintf("yes 'a line of some length, as a build may print it' | head -c %d", gibibyte)

// BenchmarkBashPrintsOneGibibyte goes through the executor; the same line whose
// output the shell itself sends to a file is what it is held against.
func BenchmarkBashPrintsOneGibibyte(b *testing.B) {
	if _, err := exec.LookPath("bash"); err != nil {
		b.Skip("bash is not installed")
	}
	b.Run("ours", func(b *testing.B) {
		s, pool := benchPool(b)
		defer func() { require.NoError(b, s.Close(context.Background())) }()
		b.SetBytes(gibibyte)
		for b.Loop() {
			var ex pegboard.Executor
			out := ex.Run(context.Background(), pool, pegboard.Call{Name: "Bash", Input: []byte(fmt.Sprintf(`{"command":%q}`, printGibibyte))})[0]
			require.Contains(b, out.Result.Text(), fmt.Sprint(gibibyte))
		}
	})
	b.Run("to a file", func(b *testing.B) {
		dir := b.TempDir()
		b.SetBytes(gibibyte)
		for b.Loop() {
			cmd := exec.Command("bash", "-c", printGibibyte+" > out")
			cmd.Dir = dir
			require.NoError(b, cmd.Run())
		}
	})
}

func benchPool(tb testing.TB) (*pegboard.Session, *pegboard.Pool) {
	tb.Helper()
	perms, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"Bash"}})
	require.NoError(tb, err)
	s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: tb.TempDir(), Permissions: perms, Breaker: pegboard.BreakerLimits{Repeats: -1, Denials: -1}})
	require.NoError(tb, err)
	var reg pegboard.Registry
	require.NoError(tb, reg.Add(shell.Bash(shell.Options{})))
	return s, reg.AssemblePool(s, pegboard.PoolConfig{})
}

// BenchmarkBashTrue is what one call costs beyond the process.
func BenchmarkBashTrue(b *testing.B) {
	if _, err := exec.LookPath("bash"); err != nil {
		b.Skip("bash is not installed")
	}
	b.Run("ours", func(b *testing.B) {
		s, pool := benchPool(b)
		defer func() { require.NoError(b, s.Close(context.Background())) }()
		for b.Loop() {
			var ex pegboard.Executor
			ex.Run(context.Background(), pool, pegboard.Call{Name: "Bash", Input: []byte(`{"command":"true"}`)})
		}
	})
	b.Run("bash", func(b *testing.B) {
		for b.Loop() {
			require.NoError(b, exec.Command("bash", "-c", "true").Run())
		}
	})
}

// TestInvariant13MemoryStaysFlat however much is printed.
func TestInvariant13MemoryStaysFlat(t *testing.T) {
	needBash(t)
	size := int64(effort.Of(t, uint64(2<<30)))
	s, pool := benchPool(t)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	runtime.GC()
	before, most := heap(), uint64(0)
	ex := pegboard.Executor{OnEvent: func(e pegboard.Event) {
		if e.Kind == pegboard.EventProgress {
			most = max(most, heap())
		}
	}}
	ended := ex.Run(t.Context(), pool, pegboard.Call{Name: "Bash", Input: []byte(fmt.Sprintf(`{"command":"yes 0123456789abcdef | head -c %d"}`, size))})
	got := outputOf(t, ended[0])
	most = max(most, heap())
	require.Contains(t, got.Stderr, fmt.Sprintf("%d bytes", size))
	info, err := os.Stat(got.PersistedOutputPath)
	require.NoError(t, err)
	require.LessOrEqual(t, info.Size(), int64(shell.MaxStored+200))
	t.Logf("%d bytes printed, heap growth %d KiB", size, (int64(most)-int64(before))>>10)
	require.Less(t, int64(most)-int64(before), int64(32<<20))
}

// TestInvariant10NothingOutlivesClose: a command in front, one in the background
// that is deaf to TERM, as its child is, a monitor and an interpreter all end with
// the session, and so do goroutines and files. TestMain looks for processes.
func TestInvariant10NothingOutlivesClose(t *testing.T) {
	needBash(t)
	goroutines := runtime.NumGoroutine()
	perms, err := policy.New(policy.ModeBypass)
	require.NoError(t, err)
	s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: tempDir(t), Permissions: perms})
	require.NoError(t, err)
	var reg pegboard.Registry
	require.NoError(t, reg.Add(shell.Bash(shell.Options{}), shell.Monitor(shell.Options{}), shell.REPL(shell.REPLOptions{})))
	pool := reg.AssemblePool(s, pegboard.PoolConfig{Gates: pegboard.Gates{Features: []pegboard.Feature{pegboard.FeatureMonitors}}})
	started := make(chan struct{}, 10)
	ex := pegboard.Executor{OnEvent: func(e pegboard.Event) {
		if e.Kind == pegboard.EventProgress {
			started <- struct{}{}
		}
	}}
	do := func(tool string, input map[string]any) pegboard.Outcome {
		raw, err := json.Marshal(input)
		require.NoError(t, err)
		return ex.Run(context.Background(), pool, pegboard.Call{Name: tool, Input: raw})[0]
	}
	deaf := "trap '' TERM; (trap '' TERM; sleep 1000) & wait"
	require.NoError(t, do("Bash", map[string]any{"command": deaf, "run_in_background": true}).Err)
	require.NoError(t, do("Monitor", map[string]any{"description": "nothing", "command": deaf}).Err)
	if _, err := exec.LookPath("python3"); err == nil {
		require.NoError(t, do("REPL", map[string]any{"code": "import threading; threading.Thread(target=threading.Event().wait).start()"}).Err)
	}
	front := make(chan pegboard.Outcome)
	go func() { front <- do("Bash", map[string]any{"command": "echo begun; " + deaf}) }()
	<-started

	dir, err := background.Of(s).Dir()
	require.NoError(t, err)
	require.DirExists(t, dir)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	require.NoError(t, s.Close(ctx))
	ended := <-front
	require.True(t, ended.Result.IsError, ended.Result.Text())
	require.Contains(t, ended.Result.Text(), "begun")
	for _, task := range background.Of(s).List() {
		require.NotEqual(t, background.Running, task.State, task.ID)
	}
	_, err = os.Stat(dir)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.Eventually(t, func() bool { return runtime.NumGoroutine() <= goroutines+2 }, time.Minute, time.Millisecond)
}

// TestCloseEndsTheCommand: a session that closes takes its processes along, even
// one that does not care to be asked.
func TestCloseEndsTheCommand(t *testing.T) {
	t.Parallel()
	needBash(t)
	s := session(t, t.TempDir(), "Bash")
	marker := filepath.Join(s.Dir(), "pid")
	var reg pegboard.Registry
	require.NoError(t, reg.Add(shell.Bash(shell.Options{})))
	pool := reg.AssemblePool(s, pegboard.PoolConfig{})
	ended := make(chan pegboard.Outcome)
	go func() {
		var ex pegboard.Executor
		ended <- ex.Run(context.Background(), pool, pegboard.Call{ID: "1", Name: "Bash", Input: []byte(`{"command":"trap '' TERM; (trap '' TERM; echo $BASHPID > pid; sleep 60; sleep 60) & wait"}`)})[0]
	}()
	require.Eventually(t, func() bool { b, err := os.ReadFile(marker); return err == nil && len(b) > 0 }, time.Minute, 5*time.Millisecond)
	require.NoError(t, s.Close(t.Context()))
	out := <-ended
	require.True(t, out.Result.IsError)
	pid, err := os.ReadFile(marker)
	require.NoError(t, err)
	// Killed at once, it is there as a zombie until whoever inherits it looks.
	require.Eventually(t, func() bool {
		p := strings.TrimSpace(string(pid))
		return exec.Command("bash", "-c", "kill -0 "+p+" && ! grep -q '^State:.Z' /proc/"+p+"/status").Run() != nil
	}, 5*time.Second, 10*time.Millisecond, "the grandchild survived")
}

// TestHundredCommandsAtOnce runs a hundred commands in one batch, each of which
// prints a megabyte, and keeps little of that in memory.
func TestHundredCommandsAtOnce(t *testing.T) {
	needBash(t)
	const count, limit = 100, 50
	s := session(t, tempDir(t))
	var reg pegboard.Registry
	require.NoError(t, reg.Add(shell.Bash(shell.Options{})))
	pool := reg.AssemblePool(s, pegboard.PoolConfig{})
	calls := make([]pegboard.Call, count)
	for i := range calls {
		input := fmt.Sprintf(`{"command":"sleep 0.5; seq %d 160000 | tail -c 1000000"}`, i)
		calls[i] = pegboard.Call{ID: fmt.Sprint(i), Name: "Bash", Input: []byte(input)}
	}
	require.Equal(t, policy.Allow, pool.Decide(t.Context(), calls[0]).Behavior, "lines that only read need no rule")

	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	goroutines := runtime.NumGoroutine()
	running, most := 0, 0
	ex := pegboard.Executor{MaxParallel: limit, OnEvent: func(e pegboard.Event) {
		switch e.Kind {
		case pegboard.EventStarted:
			running++
			most = max(most, running)
		case pegboard.EventFinished:
			running--
		}
	}}
	outcomes := ex.Run(t.Context(), pool, calls...)
	for i, out := range outcomes {
		require.NoError(t, out.Err)
		data, ok := out.Result.Data.(shell.Output)
		require.True(t, ok)
		require.EqualValues(t, 1_000_000, data.PersistedOutputSize, "call %d: %s", i, out.Result.Text()[:200])
	}
	require.Greater(t, most, 10, "they ran beside each other")
	runtime.GC()
	runtime.ReadMemStats(&after)
	require.Less(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(16<<20))
	require.NoError(t, s.Close(context.Background()))
	require.Eventually(t, func() bool { return runtime.NumGoroutine() <= goroutines+2 }, time.Minute, time.Millisecond)
}
