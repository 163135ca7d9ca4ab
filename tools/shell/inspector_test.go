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
		require.Equal(t, pegboard.Ask, d.Behavior, "%q: %s", part, d.Reason)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(most), part)
	}
}
