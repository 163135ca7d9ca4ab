package hooks_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/settings/hooks"
)

const (
	roleName = "HOOKS_TEST_ROLE" // what the program of the tests does instead of testing
	markName = "HOOKS_TEST_MARK" // is in the environment of its hooks
)

func TestMain(m *testing.M) {
	if role := os.Getenv(roleName); role != "" {
		if err := playHost(role); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// playHost is a program whose calls run hooks. It ends them all and prints what is left of its
// goroutines and files, or it waits to be killed.
func playHost(role string) error {
	lines := []string{
		"sleep 1000 & exit 0",                            // leaves a process behind
		"sleep 1000 & sleep 1000 & kill -9 $$",           // is killed, as by the system
		"exec sleep 1000",                                // is late
		"(trap '' TERM INT HUP; exec sleep 1000) & wait", // is late and does not listen
		"exec <&-; echo fine",                            // reads nothing
		"exit 2",
		"exit 1",
		"head -c 300000 /dev/zero | tr '\\0' a",
	}
	if role == "killed" {
		lines = []string{"echo $$ >&2; echo started >hooked; exec sleep 1000"}
	}
	var handlers []any
	for _, line := range lines {
		handlers = append(handlers, map[string]any{"type": "command", "command": line, "timeout": 0.5})
		handlers = append(handlers, map[string]any{"type": "command", "command": line, "async": true})
	}
	if role == "killed" {
		handlers = []any{map[string]any{"type": "command", "command": lines[0]}}
	}
	data, err := json.Marshal(map[string]any{"PostToolUse": []any{map[string]any{"hooks": handlers}}})
	if err != nil {
		return err
	}
	set, _, err := hooks.Parse(data, policy.SourceManaged, "")
	if err != nil {
		return err
	}
	for round := range 3 {
		if err := runAndClose(set); err != nil {
			return err
		}
		if round == 0 {
			fmt.Println(leftOver()) // with what the runtime and libraries start once
		}
	}
	fmt.Println(leftOver())
	return nil
}

// runAndClose makes one call in a session of its own.
func runAndClose(set hooks.Set) error {
	permissions, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"Free"}})
	if err != nil {
		return err
	}
	s, err := pegboard.NewSession(pegboard.SessionConfig{Hooks: hooks.New(set, hooks.Options{OnProblem: func(hooks.Handler, error) {}}).Hooks(), Permissions: permissions})
	if err != nil {
		return err
	}
	var registry pegboard.Registry
	if err := registry.Add(pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Free"}, Description: "Does nothing.",
		Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { return "done", nil },
	})); err != nil {
		return err
	}
	ctx := context.Background()
	ex := pegboard.Executor{Logger: slog.New(slog.NewTextHandler(io.Discard, nil))}
	out := ex.Run(ctx, registry.AssemblePool(s, pegboard.PoolConfig{}), pegboard.Call{ID: "1", Name: "Free", Input: []byte("{}")})
	return errors.Join(out[0].Err, s.Close(ctx))
}

// leftOver returns the numbers of goroutines and of open files, when they no longer change.
func leftOver() string {
	before := ""
	for range 100 {
		files, _ := os.ReadDir("/proc/self/fd")
		now := fmt.Sprint(runtime.NumGoroutine(), " goroutines, ", len(files), " files")
		if now == before {
			return now
		}
		before = now
		time.Sleep(100 * time.Millisecond)
	}
	return before
}

// marked returns the command lines of the processes whose environment has the mark.
func marked(t *testing.T, mark string) (lines []string) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/environ")
	require.NoError(t, err)
	for _, file := range all {
		environment, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(environment, []byte(markName+"="+mark)) {
			continue // it has ended, or is that of another user
		}
		line, err := os.ReadFile(filepath.Join(filepath.Dir(file), "cmdline"))
		if !errors.Is(err, fs.ErrNotExist) {
			lines = append(lines, strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return lines
}

// host returns the program of the tests in another role, in a folder of its own.
func host(t *testing.T, role string) (cmd *exec.Cmd, mark, dir string) {
	t.Helper()
	dir, mark = t.TempDir(), fmt.Sprintf("%d-%d", os.Getpid(), time.Now().UnixNano())
	cmd = exec.CommandContext(t.Context(), os.Args[0])
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), roleName+"="+role, markName+"="+mark, "TMPDIR="+dir)
	return cmd, mark, dir
}

// Nothing is left of the hooks of a session that has ended, whatever they are like.
func TestNothingIsLeftOfHooks(t *testing.T) {
	t.Parallel()
	cmd, mark, dir := host(t, "ended")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	require.Len(t, lines, 2, "%s", out)
	require.Equal(t, lines[0], lines[1])
	t.Log(lines[0])
	require.Empty(t, marked(t, mark))
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, files)
}

// A hook ends with the program that has started it.
func TestHooksEndWithTheProgram(t *testing.T) {
	t.Parallel()
	cmd, mark, dir := host(t, "killed")
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	go func() { _, _ = io.Copy(io.Discard, bufio.NewReader(stderr)) }()
	require.Eventually(t, func() bool {
		_, err := os.Stat(filepath.Join(dir, "hooked"))
		return err == nil
	}, time.Minute, 10*time.Millisecond)
	require.Eventually(t, func() bool { return len(marked(t, mark)) == 2 }, time.Minute, 10*time.Millisecond,
		"a process that is just becoming its program has no environment yet")
	require.NoError(t, cmd.Process.Signal(syscall.SIGKILL))
	require.Error(t, cmd.Wait())
	require.Eventually(t, func() bool { return len(marked(t, mark)) == 0 }, time.Minute, 10*time.Millisecond)
}
