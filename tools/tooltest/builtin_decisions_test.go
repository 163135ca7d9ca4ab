package tooltest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// modes are all modes, in the order of their laxity.
var modes = []policy.Mode{
	policy.ModeDeny, policy.ModeDontAsk, policy.ModeAsk, policy.ModePlan, policy.ModeDefault, policy.ModeAcceptEdits, policy.ModeAuto, policy.ModeBypass,
}

// TestBuiltinDecisions compares what becomes of an ordinary call of each tool, in each mode and
// role and with nobody to ask, with testdata/decisions.txt. A text stands there once, with a
// number. Run with PEGBOARD_UPDATE=1 to write it anew.
func TestBuiltinDecisions(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("paths are spelled in another way there")
	}
	dir := builtinDir(t)
	got := "An ordinary call of each tool in each mode and role, with nobody to ask. A number\nis that of the text below, which the model gets in place of a result.\n"
	for _, b := range builtins(t, dir) {
		got += "\n" + b.name + " " + strings.ReplaceAll(b.input, dir, "D") + "\n" + b.decisions(t, dir)
	}
	path := filepath.Join("testdata", "decisions.txt")
	if os.Getenv("PEGBOARD_UPDATE") != "" {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o600))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

// decisions returns a line for each mode, and the texts of the denials.
func (b builtin) decisions(t *testing.T, dir string) (table string) {
	t.Helper()
	registry := new(pegboard.Registry)
	require.NoError(t, registry.Add(tooltest.StandIn(b.tool)))
	var texts []string
	for _, mode := range modes {
		table += fmt.Sprintf("%18s", mode)
		for _, role := range roles {
			text := strings.ReplaceAll(b.denial(t, registry, sessionOf(t, dir, role, mode)), dir, "D")
			cell := "runs"
			if text != "" {
				if !slices.Contains(texts, text) {
					texts = append(texts, text)
				}
				cell = fmt.Sprint(slices.Index(texts, text) + 1)
			}
			table += fmt.Sprintf("  %s: %-4s", role, cell)
		}
		table = strings.TrimRight(table, " ") + "\n"
	}
	for i, text := range texts {
		table += fmt.Sprintf("%3d. %s\n", i+1, text)
	}
	return table
}

// denial returns the text that the model gets in place of a result, or "" if the call runs.
func (b builtin) denial(t *testing.T, registry *pegboard.Registry, s *pegboard.Session) string {
	t.Helper()
	pool := registry.AssemblePool(s, pegboard.PoolConfig{Gates: pegboard.Gates{Resources: true, StructuredOutput: true, PowerShell: true}})
	var executor pegboard.Executor
	outcomes := executor.Run(context.Background(), pool, pegboard.Call{ID: "1", Name: b.name, Input: json.RawMessage(b.input)})
	require.Len(t, outcomes, 1)
	if outcomes[0].Err == nil {
		return ""
	}
	return outcomes[0].Result.Text()
}
