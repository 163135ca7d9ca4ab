package shell_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/background"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// A command that reads the store and prints more than that is stored: it may not be repeatable.
func TestReviewStoreAndMore(t *testing.T) {
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
func TestReviewStoreAlone(t *testing.T) {
	t.Parallel()
	needBash(t)
	s := session(t, t.TempDir(), "Bash")
	first := outputOf(t, bash(t, s, shell.Options{}, `{"command":"seq 1 100000"}`))
	out := outputOf(t, bash(t, s, shell.Options{}, fmt.Sprintf(`{"command":"cat %s"}`, first.PersistedOutputPath)))
	require.Empty(t, out.PersistedOutputPath)
	require.Contains(t, out.Stderr, "ask for less at once")
}

// Files are gone after a call that was cancelled with much output.
func TestReviewCancelled(t *testing.T) {
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

// From another directory a page of the store is no new result either.
func TestReviewStoreFromElsewhere(t *testing.T) {
	t.Parallel()
	needBash(t)
	s := session(t, carryDir(t), "Bash")
	first := outputOf(t, bash(t, s, shell.Options{}, `{"command":"seq 1 100000"}`))
	outputOf(t, bash(t, s, shell.Options{}, `{"command":"cd sub"}`))
	out := outputOf(t, bash(t, s, shell.Options{}, fmt.Sprintf(`{"command":"cat %s"}`, first.PersistedOutputPath)))
	require.Empty(t, out.PersistedOutputPath)
}

// A pipe that begins in the store brings nothing but the store.
func TestReviewStorePiped(t *testing.T) {
	t.Parallel()
	needBash(t)
	s := session(t, t.TempDir(), "Bash")
	first := outputOf(t, bash(t, s, shell.Options{}, `{"command":"seq 1 100000"}`))
	for _, command := range []string{"cat %s | grep 1", "grep 1 %s | sort | head -c 100000", "cat < %s", "tail -n +5 %s; head -c 90000 %[1]s"} {
		out := outputOf(t, bash(t, s, shell.Options{}, fmt.Sprintf(`{"command":%q}`, fmt.Sprintf(command, first.PersistedOutputPath))))
		require.Empty(t, out.PersistedOutputPath, command)
	}
}

// The same command with the same long output, again and again, is a loop.
func TestReviewLoop(t *testing.T) {
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
