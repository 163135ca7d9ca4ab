package security_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// shellRow is the part of a row of shell.jsonl that the engine sees.
type shellRow struct {
	Rules                    rules
	Mode                     policy.Mode
	Platform, Shell, Command string
	Fixture                  *fixture
}

// TestShell decides every command line with the real Bash. It runs none.
func TestShell(t *testing.T) {
	run(t, "shell", func(t *testing.T, src source) func(*testing.T, shellRow, answer) outcome {
		t.Helper()
		b := newBase(t, src)
		return func(t *testing.T, r shellRow, a answer) outcome {
			t.Helper()
			return r.decide(t, b, a)
		}
	})
}

func (r shellRow) decide(t *testing.T, b base, a answer) outcome {
	t.Helper()
	tr := r.tree(t, b)
	require.Contains(t, []string{"bash", "zsh", "powershell"}, r.Shell)
	tool := r.tool(tr)
	var o outcome
	for name := range strings.SplitSeq(r.Platform, "|") {
		s := sessionIn(t, tr, "proj", pegboard.SessionConfig{
			Platform:    platform(t, name),
			Permissions: permissions(t, r.Mode, r.Rules.set(t, tr.fill)),
		})
		line := tr.fill(r.Command)
		trace := pool(t, s, tool).ExplainDecision(t.Context(), call(t, tool.Info().Name, map[string]string{"command": line}))
		got := trace.Decision.Behavior.String()
		if !a.agrees(t, got) {
			o.wrong = append(o.wrong, fmt.Sprintf("%s, want %s: %q %+v", got, a.wanted(), line, r.Rules))
		}
		o.detail += trace.String()
	}
	return o
}
