package shell_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/script"
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
		perms, err := pegboard.NewPermissions(pegboard.ModeDefault, pegboard.RuleSet{Allow: []string{"Bash"}})
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
