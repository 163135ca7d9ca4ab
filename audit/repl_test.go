package audit_test

import (
	"encoding/json"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/audit"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// TestCallsOfCode that REPL runs have lines of their own, which name the call of REPL.
func TestCallsOfCode(t *testing.T) {
	t.Parallel()
	for _, code := range []struct{ language, program, text string }{
		{shell.Python, "python3", `tools.Look({"path": "a"})`},
		{shell.JavaScript, "node", `await tools.Look({"path": "a"})`},
	} {
		t.Run(code.language, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(code.program); err != nil {
				t.Skip(code.program + " is not installed; the tool has nothing to run")
			}
			log, path := opened(t, audit.Options{})
			s := session(t, pegboard.SessionConfig{Dir: t.TempDir(), Permissions: rules(t, policy.RuleSet{Allow: []string{"REPL", "Look"}})})
			input, err := json.Marshal(map[string]string{"language": code.language, "code": code.text})
			require.NoError(t, err)
			executor := &pegboard.Executor{OnEvent: log.Record}
			out := executor.Run(t.Context(), pool(t, s, worker("Look"), shell.REPL(shell.REPLOptions{})), call("out", "REPL", string(input)))[0]
			require.NoError(t, out.Err)

			all, _ := entries(t, path)
			got := [][]any{}
			for _, entry := range all {
				got = append(got, []any{entry["call"], entry["tool"], entry["parent"], entry["behavior"]})
			}
			require.Equal(t, [][]any{{"out", "REPL", nil, "allow"}, {"out/1", "Look", "out", "allow"}}, got)
		})
	}
}
