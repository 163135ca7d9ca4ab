package security_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/corpus"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/policy"
)

// concernRules are rules that are held against every line, beside those of its row.
var concernRules = []string{
	"Bash", "Read", "WebFetch", "mcp__github", "Bash(curl *)", "Bash(rm *)", "Bash(git push:*)", "Bash(npm run *)", "Bash(echo hi)", "Bash(* --force)",
	"Read(./.env)", "Read(*.pem)", "Edit(./src/**)", "Read(~/.ssh/**)", "Edit(//etc/**)", "WebFetch(domain:example.com)", "Bash(timeout:*)",
}

// TestConcernsAreThoseOfDenyRules holds rules against the lines of the corpus. What Concerns
// says of a rule is what a deny rule of its text does in bypass mode: Yes if it denies, and No
// only if nothing changes.
func TestConcernsAreThoseOfDenyRules(t *testing.T) {
	t.Parallel()
	for _, src := range sources(t, "shell.jsonl") {
		base := newBase(t, src)
		var rows []shellRow
		for n, line := range corpus.Lines(t, filepath.Join(src.folder, "shell.jsonl")) {
			var row shellRow
			require.NoError(t, json.Unmarshal(line, &row), rowID(line, n))
			rows = append(rows, row)
		}
		var said [3]atomic.Int32
		t.Run(src.name, func(t *testing.T) {
			t.Parallel()
			for _, row := range effort.Sample(t, rows) {
				t.Run("", func(t *testing.T) {
					t.Parallel()
					row.concerns(t, base, &said)
				})
			}
		})
		t.Cleanup(func() {
			no, maybe, yes := said[policy.ConcernNo].Load(), said[policy.ConcernMaybe].Load(), said[policy.ConcernYes].Load()
			corpus.Report(t, src.name, "concerns of rules: %d no, %d maybe, %d yes", no, maybe, yes)
			require.Positive(t, no)
			require.Positive(t, yes)
		})
	}
}

// concerns holds the rules against the line of a row.
func (r shellRow) concerns(t *testing.T, b base, said *[3]atomic.Int32) {
	t.Helper()
	tr := r.tree(t, b)
	tool, line := r.tool(tr), tr.fill(r.Command)
	c := call(t, "Bash", map[string]string{"command": line})
	set := r.Rules.set(t, tr.fill)
	texts := slices.Concat(concernRules, set.Allow, set.Ask, set.Deny)
	got := map[string]policy.Concern{}
	watched := sessionIn(t, tr, "proj", pegboard.SessionConfig{Hooks: pegboard.Hooks{Pre: func(_ context.Context, h *pegboard.HookCall) (policy.Decision, error) {
		for _, text := range texts {
			if rule, err := policy.ParseRule(policy.Deny, text); err == nil { // others only allow
				got[text] = h.Concerns(rule)
			}
			if rule, err := policy.ParseRule(policy.Allow, text); err == nil && h.Concerns(rule) != got[text] {
				return policy.Decision{}, fmt.Errorf("%s: the behavior of the rule counts", text)
			}
		}
		return policy.Decision{Behavior: policy.Deny, Reason: "it is only looked at"}, nil
	}}})
	out := new(pegboard.Executor).Run(t.Context(), pool(t, watched, tool), c)[0]
	if len(got) == 0 {
		require.ErrorIs(t, out.Err, pegboard.ErrInvalidInput) // refused by Validate
		return
	}
	require.Equal(t, "it is only looked at", out.Decision.Reason)
	decide := func(deny ...string) (policy.Decision, bool) {
		s := sessionIn(t, tr, "proj", pegboard.SessionConfig{Permissions: permissions(t, policy.ModeBypass, policy.RuleSet{Deny: deny})})
		p := pool(t, s, tool)
		_, known := p.Lookup("Bash")
		return p.Decide(t.Context(), c), known
	}
	free, _ := decide()
	for text, concern := range got {
		said[concern].Add(1)
		d, known := decide(text)
		denied := !known || d.Behavior == policy.Deny && d.By == policy.ByRule
		require.Equal(t, denied, concern == policy.ConcernYes, "%s of %q: %v, decided %v: %s", text, line, concern, d.Behavior, d.Reason)
		if concern == policy.ConcernNo {
			require.Equal(t, free.Behavior, d.Behavior, "%s of %q: %s", text, line, d.Reason)
		}
	}
}
