package security_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/corpus"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/settings/hooks"
)

// shellRows calls use with the rows of the shell.
func shellRows(t *testing.T, use func(t *testing.T, b base, rows []shellRow)) {
	t.Helper()
	for _, src := range sources(t, "shell.jsonl") {
		t.Run(src.name, func(t *testing.T) {
			t.Parallel()
			var rows []shellRow
			for _, line := range corpus.Lines(t, filepath.Join(src.folder, "shell.jsonl")) {
				var row shellRow
				require.NoError(t, json.Unmarshal(line, &row))
				if row.Platform == "" {
					rows = append(rows, row)
				}
			}
			use(t, newBase(t, src), rows)
		})
	}
}

// TestShellRulesInHooks moves the deny rules of rows into the "if" of hooks that deny: the
// decisions are the same. A hook may also deny a line that the rule cannot see through, which
// the rule asks about.
func TestShellRulesInHooks(t *testing.T) {
	t.Parallel()
	shellRows(t, func(t *testing.T, b base, rows []shellRow) {
		t.Helper()
		checked := 0
		rows = slices.DeleteFunc(rows, func(r shellRow) bool { return len(r.Rules.Deny) == 0 })
		for _, row := range effort.Sample(t, rows) {
			checked++
			tr := row.tree(t, b)
			set := row.Rules.set(t, tr.fill)
			moved := set
			moved.Deny = nil
			c := call(t, "Bash", map[string]string{"command": tr.fill(row.Command)})
			want, _ := decideAs(t, row, tr, set, pegboard.Hooks{}, c)
			runner := hooks.New(denyingHooks(t, set.Deny), hooks.Options{Strict: true})
			var sawThrough []bool
			look := pegboard.Hooks{Pre: func(_ context.Context, h *pegboard.HookCall) (policy.Decision, error) {
				for _, text := range set.Deny {
					rule, err := policy.ParseRule(policy.Deny, text)
					require.NoError(t, err)
					sawThrough = append(sawThrough, h.Concerns(rule) != policy.ConcernMaybe)
				}
				return policy.Decision{}, nil
			}}
			got, by := decideAs(t, row, tr, moved, pegboard.JoinHooks(look, runner.Hooks()), c)
			if want == "deny" || !slices.Contains(sawThrough, false) {
				require.Equal(t, want, got, "%q with %q", c.Input, set.Deny)
			} else {
				require.Contains(t, []string{want, "deny"}, got, "%q with %q", c.Input, set.Deny)
			}
			if want == "deny" && row.Mode == policy.ModeBypass {
				require.Equal(t, policy.ByHook, by, "%q with %q", c.Input, set.Deny)
			}
		}
		t.Logf("%d rows have deny rules", checked)
	})
}

// denyingHooks returns a hook for each rule that denies what the rule concerns.
func denyingHooks(t *testing.T, rules []string) hooks.Set {
	t.Helper()
	var handlers []any
	for _, rule := range rules {
		handlers = append(handlers, map[string]string{"type": "command", "command": "echo no >&2; exit 2", "if": rule})
	}
	data, err := json.Marshal(map[string]any{"PreToolUse": []any{map[string]any{"hooks": handlers}}})
	require.NoError(t, err)
	set, problems, err := hooks.Parse(data, policy.SourceUser, "")
	require.NoError(t, err)
	require.Empty(t, problems)
	return set
}

// decideAs takes a call through all stages with these rules and hooks, without running it, and
// returns what was decided.
func decideAs(t *testing.T, row shellRow, tr tree, set policy.RuleSet, h pegboard.Hooks, c pegboard.Call) (behavior string, by policy.Decider) {
	t.Helper()
	s := sessionIn(t, tr, "proj", pegboard.SessionConfig{Permissions: permissions(t, row.Mode, set), Hooks: h})
	ex := pegboard.Executor{
		Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Invoke: func(context.Context, pegboard.Tool, *pegboard.Call) (*pegboard.Result, error) {
			return pegboard.TextResult("not run"), nil
		},
	}
	out := ex.Run(t.Context(), pool(t, s, row.tool(tr)), c)[0]
	require.NoError(t, s.Close(context.Background()))
	switch {
	case errors.Is(out.Err, pegboard.ErrNoApprover):
		return "ask", out.Decision.By
	case errors.Is(out.Err, pegboard.ErrDenied), errors.Is(out.Err, pegboard.ErrUnknownTool):
		return "deny", out.Decision.By
	}
	require.NoError(t, out.Err)
	return "allow", out.Decision.By
}
