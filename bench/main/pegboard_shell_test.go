package main

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// gigabyte prints 1 GiB of lines.
const gigabyte = `yes "a line of a usual length, with a few words in it" | head -c 1073741824`

// BenchmarkPrint measures a command that prints 1 GiB, beside the same command
// with its output in a file. No peer has a case.
func BenchmarkPrint(b *testing.B) {
	if _, err := exec.LookPath("bash"); err != nil {
		b.Skip("bash is not installed")
	}
	b.Run("Print1GiB/floor-file", func(b *testing.B) {
		dir := b.TempDir()
		for b.Loop() {
			cmd := exec.CommandContext(b.Context(), "bash", "-c", gigabyte+" > out")
			cmd.Dir = dir
			require.NoError(b, cmd.Run())
		}
	})
	b.Run("Print1GiB/pegboard", func(b *testing.B) {
		perms, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"Bash"}})
		require.NoError(b, err)
		dir, err := filepath.EvalSymlinks(b.TempDir())
		require.NoError(b, err)
		pool := pegPool(b, pegboard.SessionConfig{Dir: dir, Permissions: perms, Breaker: pegboard.BreakerLimits{Repeats: -1, Denials: -1}},
			shell.Bash(shell.Options{}))
		input, err := json.Marshal(map[string]any{"command": gigabyte, "timeout": 600_000})
		require.NoError(b, err)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for b.Loop() {
			var ex pegboard.Executor
			out := ex.Run(b.Context(), pool, pegboard.Call{ID: "1", Name: "Bash", Input: input})[0]
			require.NoError(b, out.Err)
		}
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapSys-before.HeapSys)/(1<<20), "heapMiB")
	})
}
