package main

import (
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRun: the story is told as the comment of the program says, and nothing is written outside
// of the scratch folder.
func TestRun(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the tool Bash needs a shell of Unix")
	}
	for _, variable := range []string{"TMPDIR", "HOME"} {
		t.Setenv(variable, t.TempDir())
	}
	var out strings.Builder
	require.NoError(t, run(t.Context(), &out))
	rest := out.String()
	for _, want := range []string{
		"refuses the plan", "approves the plan", "mode:    acceptEdits",
		"Task #2 was added", "worktree", "hello world", "Is hello.sh still there?", "gets hello.sh", "discard_changes",
	} {
		_, after, ok := strings.Cut(rest, want)
		require.True(t, ok, "%q is not in what follows: %s", want, out.String())
		rest = after
	}
	for _, variable := range []string{"TMPDIR", "HOME"} {
		left, err := os.ReadDir(os.Getenv(variable))
		require.NoError(t, err)
		require.Empty(t, left)
	}
}
