package shell_test

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// TestLongLineLooksAtEachPlaceOnce: a line of 10,000 bytes read the configuration of its
// repository for each of its commands, which took a second.
func TestLongLineLooksAtEachPlaceOnce(t *testing.T) {
	const most = 20 << 20 // bytes that are allocated for a decision, a part of what reading again takes
	dir := t.TempDir()
	out, err := exec.CommandContext(t.Context(), "git", "init", "-q", dir).CombinedOutput()
	require.NoError(t, err, string(out))
	pool := poolOf(t, session(t, dir), shell.Bash(shell.Options{}))
	for _, part := range []string{"> a;", "> a#;", "> d#/f;", "> HEAD#/HEAD;", "git log;", "git -C a# log;", "git status\n", "cd a;", "cp a b;", "cp a# b#;"} {
		var line strings.Builder
		for i := 0; line.Len() < 10_000; i++ {
			line.WriteString(strings.ReplaceAll(part, "#", fmt.Sprint(i)))
		}
		input, err := json.Marshal(map[string]string{"command": line.String()[:10_000]})
		require.NoError(t, err)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		d := pool.Decide(t.Context(), pegboard.Call{Name: "Bash", Input: input})
		runtime.ReadMemStats(&after)
		require.Equal(t, policy.Ask, d.Behavior, "%q: %s", part, d.Reason)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(most), part)
	}
}

// TestPublicVariables: a line that shows a variable of the environment is not read-only,
// unless the host says that it holds no secret.
func TestPublicVariables(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		line   string
		public []string
		want   policy.Behavior
	}{
		{line: "echo $BUILD_URL", want: policy.Ask},
		{line: "echo $HOME", want: policy.Allow},
		{line: "echo $BUILD_URL", public: []string{"BUILD_*"}, want: policy.Allow},
		{line: "echo $BUILD_KEY", public: []string{"BUILD_*", "!*_KEY"}, want: policy.Ask},
		{line: "printenv BUILD_URL", public: []string{"BUILD_*"}, want: policy.Allow},
		{line: "echo $OTHER", public: []string{"BUILD_*"}, want: policy.Ask},
	} {
		s := session(t, tempDir(t))
		pool := poolOf(t, s, shell.Bash(shell.Options{Public: tc.public}))
		d := pool.Decide(t.Context(), pegboard.Call{ID: "1", Name: "Bash", Input: []byte(`{"command":"` + tc.line + `"}`)})
		require.Equal(t, tc.want, d.Behavior, "%s with %v: %s", tc.line, tc.public, d.Reason)
	}
}
