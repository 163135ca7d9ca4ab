package shell_test

import (
	"context"
	"encoding/json"
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
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// TestInvariant10NothingOutlivesClose: a command in front, one in the background
// that is deaf to TERM, as its child is, a monitor and an interpreter all end with
// the session, and so do goroutines and files. TestMain looks for processes.
func TestInvariant10NothingOutlivesClose(t *testing.T) {
	needBash(t)
	goroutines := runtime.NumGoroutine()
	perms, err := pegboard.NewPermissions(pegboard.ModeBypass)
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
