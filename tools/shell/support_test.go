package shell_test

import (
	"context"
	"encoding/json"
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
)

const soon = time.Minute // far more than anything here takes, even on a busy machine

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}

func outputOf(t *testing.T, out pegboard.Outcome) shell.Output {
	t.Helper()
	require.NoError(t, out.Err)
	data, ok := out.Result.Data.(shell.Output)
	require.True(t, ok)
	return data
}

// poolOf is a pool with one tool.
func poolOf(t *testing.T, s *pegboard.Session, tool pegboard.Tool) *pegboard.Pool {
	t.Helper()
	var reg pegboard.Registry
	require.NoError(t, reg.Add(tool))
	return reg.AssemblePool(s, pegboard.PoolConfig{Gates: pegboard.Gates{PowerShell: true}})
}

// starting returns a call that has begun and a channel with its outcome.
func starting(ctx context.Context, pool *pegboard.Pool, name, input string) <-chan pegboard.Outcome {
	ended := make(chan pegboard.Outcome, 1)
	go func() {
		var ex pegboard.Executor
		ended <- ex.Run(ctx, pool, pegboard.Call{ID: "1", Name: name, Input: []byte(input)})[0]
	}()
	return ended
}

// waited returns a background task that has ended.
func waited(t *testing.T, s *pegboard.Session, id string) background.Task {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), soon)
	defer cancel()
	task, err := background.Of(s).Wait(ctx, id)
	require.NoError(t, err)
	return task
}

// written waits until a file has a line, and returns the line.
func written(t *testing.T, file string) (line string) {
	t.Helper()
	require.Eventually(t, func() bool {
		b, err := os.ReadFile(file)
		line, _, _ = strings.Cut(string(b), "\n")
		return err == nil && strings.Contains(string(b), "\n")
	}, soon, 5*time.Millisecond)
	return line
}

// bash runs one command line in dir with everything allowed.
func bash(t *testing.T, s *pegboard.Session, o shell.Options, input string) pegboard.Outcome {
	t.Helper()
	var reg pegboard.Registry
	require.NoError(t, reg.Add(shell.Bash(o)))
	var ex pegboard.Executor
	return ex.Run(t.Context(), reg.AssemblePool(s, pegboard.PoolConfig{}), pegboard.Call{ID: "1", Name: "Bash", Input: []byte(input)})[0]
}

func session(t *testing.T, dir string, allow ...string) *pegboard.Session {
	t.Helper()
	perms, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: allow})
	require.NoError(t, err)
	s, err := pegboard.NewSession(pegboard.SessionConfig{
		Dir: dir, Permissions: perms, Breaker: pegboard.BreakerLimits{Repeats: -1, Denials: -1},
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	return s
}

func needBash(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is not installed; the tool has nothing to run")
	}
}

// tempDir returns a new directory by its real name.
func tempDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	return dir
}

// carryDir is a directory with others in it.
func carryDir(t *testing.T) string {
	t.Helper()
	dir := tempDir(t)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "sub", "deep"), 0o700))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "it's one"), 0o700))
	require.NoError(t, os.Symlink(t.TempDir(), filepath.Join(dir, "link")))
	return dir
}
