package pegboard_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// TestTreeIsSearchedOnceForAllRules: a tree may be large, and the rules many.
func TestTreeIsSearchedOnceForAllRules(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var rule []string
	for i := range 100 {
		rule = append(rule, fmt.Sprintf("Read(secret%d)", i))
	}
	for _, tc := range []struct {
		name  string
		files []string
		more  bool // there may be more files
		want  string
		rule  string
	}{
		{name: "nothing denied", files: []string{"a", "b"}, want: "allow"},
		{name: "one of them", files: []string{"a", "secret70", "b"}, want: "deny", rule: "Read(secret70)"},
		{name: "the first rule that is about a file", files: []string{"secret70", "secret7", "b"}, want: "deny", rule: "Read(secret7)"},
		{name: "perhaps more", files: []string{"a"}, more: true, want: "deny", rule: "Read(secret0)"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			searches := 0
			tree := pathTo(pegboard.AccessRead, ".")
			tree.Tree = true
			tree.Shell = pegboard.ShellFacts{FromCommand: "look", Holds: func(visit func(string) bool) bool {
				searches++
				for _, name := range tc.files {
					if !visit(dir + "/" + name) {
						return false
					}
				}
				return !tc.more
			}}
			command := pegboard.Target{Kind: pegboard.TargetCommand, Access: pegboard.AccessRun, Value: "look", Shell: pegboard.ShellFacts{Simple: true, ReadOnly: true}}
			a := actor{name: "T", traits: pegboard.Traits{ReadOnly: true, Targets: []pegboard.Target{command, tree}}}
			pool := a.pool(t, session(t, pegboard.SessionConfig{Dir: dir, Permissions: rules(t, "", pegboard.RuleSet{Deny: rule})}))
			got := judge(t, pool)
			require.Equal(t, tc.want, got.behavior.String(), got.reason)
			require.Equal(t, tc.rule, got.rule)
			require.Equal(t, 1, searches)
		})
	}
}
