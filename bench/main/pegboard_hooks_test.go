package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/settings/hooks"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// hookScript reads its payload and says nothing, as most hooks do.
const hookScript = "cat > /dev/null"

// BenchmarkHooks measures the cost that hooks of settings files add to a call. No peer has a case.
//
//   - Hooks/command: one command, beside the bare process that reads the same bytes;
//   - Hooks/none: a hundred hooks of other tools, beside no hooks;
//   - Hooks/if: a hundred hooks with a rule that is not about the line, beside no hooks. A rule
//     denies the line, so that no time goes to running it.
func BenchmarkHooks(b *testing.B) {
	dir, err := filepath.EvalSymlinks(b.TempDir())
	require.NoError(b, err)
	call := pegboard.Call{ID: "1", Name: "Echo", Input: json.RawMessage(`{"text":"hello"}`)}
	b.Run("Hooks/command/floor-process", func(b *testing.B) {
		payload := bytes.Repeat([]byte("x"), 300)
		for b.Loop() {
			cmd := exec.CommandContext(b.Context(), "sh", "-c", hookScript)
			cmd.Dir, cmd.Env, cmd.Stdin = dir, os.Environ(), bytes.NewReader(payload)
			var out, errs bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &errs
			require.NoError(b, cmd.Run())
		}
	})
	hundred := func(matcher, more string) string {
		var groups []string
		for i := range 100 {
			groups = append(groups, fmt.Sprintf(`{"matcher": %q, "hooks": [{"type": "command", "command": "exit 2 # %d"%s}]}`, fmt.Sprintf(matcher, i), i, more))
		}
		return `{"PreToolUse": [` + strings.Join(groups, ",") + `], "PostToolUse": [` + strings.Join(groups, ",") + `]}`
	}
	for _, c := range []struct{ name, file string }{
		{"Hooks/command/pegboard", `{"PreToolUse": [{"hooks": [{"type": "command", "command": "` + hookScript + `"}]}]}`},
		{"Hooks/none/floor-nohooks", "{}"},
		{"Hooks/none/pegboard", hundred("^Other%d$", "")},
	} {
		b.Run(c.name, func(b *testing.B) { runHooks(b, dir, c.file, policy.RuleSet{Allow: []string{"Echo"}}, echo(), call) })
	}
	line := pegboard.Call{ID: "1", Name: "Bash", Input: json.RawMessage(`{"command":"cd . && ls | wc -l && true && echo a > /dev/null"}`)}
	for _, c := range []struct{ name, file string }{
		{"Hooks/if/floor-nohooks", "{}"},
		{"Hooks/if/pegboard", hundred("Bash", `, "if": "Bash(git push *)"`)},
		{"Hooks/if/pegboard-one", `{"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "exit 2", "if": "Bash(git push *)"}]}]}`},
	} {
		b.Run(c.name, func(b *testing.B) {
			runHooks(b, dir, c.file, policy.RuleSet{Deny: []string{"Bash(wc *)"}}, shell.Bash(shell.Options{}), line)
		})
	}
}

// echo returns a tool that may always run.
func echo() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct {
		Text string `json:"text"`
	}, string]{
		Info: pegboard.Info{Name: "Echo"}, Description: "Returns a text.",
		Call: func(_ context.Context, in struct {
			Text string `json:"text"`
		}, _ *pegboard.Call) (string, error) {
			return in.Text, nil
		},
	})
}

// runHooks measures a call in a session with the hooks of a file. It is denied if there are
// deny rules.
func runHooks(b *testing.B, dir, file string, rules policy.RuleSet, tool pegboard.Tool, call pegboard.Call) {
	b.Helper()
	set, _, err := hooks.Parse(json.RawMessage(file), policy.SourceUser, "settings.json")
	require.NoError(b, err)
	perms, err := policy.New(policy.ModeDefault, rules)
	require.NoError(b, err)
	pool := pegPool(b, pegboard.SessionConfig{
		Dir: dir, Permissions: perms, Hooks: hooks.New(set, hooks.Options{}).Hooks(),
		Breaker: pegboard.BreakerLimits{Repeats: -1, Denials: -1},
	}, tool)
	var ex pegboard.Executor
	for b.Loop() {
		out := ex.Run(b.Context(), pool, call)[0]
		if denied := errors.Is(out.Err, pegboard.ErrDenied); denied != (rules.Deny != nil) || !denied && out.Err != nil {
			b.Fatal(out.Err)
		}
	}
}
