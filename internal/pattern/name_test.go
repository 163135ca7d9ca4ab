package pattern_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/pattern"
)

func TestName(t *testing.T) {
	t.Parallel()
	tests := []struct {
		glob, name string
		want       bool
	}{
		{"Read", "Read", true},
		{"Read", "Reads", false},
		{"", "", true},
		{"", "a", false},
		{"*", "", true},
		{"*", "anything", true},
		{"**", "a", true},
		{"mcp__*", "mcp__a__b", true},
		{"mcp__*", "mcp_", false},
		{"*_activity", "mcp__a__b_activity", true},
		{"a*a", "a", false}, // one letter is not both ends
		{"a*a", "aa", true},
		{"a*b*c", "a1b2c", true},
		{"a*b*c", "a1c2b", false},
		{"*ab*ab", "abab", true},
		{"*ab*ab", "xab", false},
		{"a?c", "abc", false}, // only a star is special
		{"a.c", "abc", false},
	}
	for _, tc := range tests {
		require.Equal(t, tc.want, pattern.Name(tc.glob, tc.name), "%q, %q", tc.glob, tc.name)
	}
}

// FuzzName compares the matcher with a regular expression.
func FuzzName(f *testing.F) {
	f.Add("a*b*", "axbx")
	f.Add("*ab*ab", "abxab")
	f.Add("mcp__*__get_*", "mcp__a__get_b")
	f.Fuzz(func(t *testing.T, glob, name string) {
		if !utf8.ValidString(glob) || !utf8.ValidString(name) {
			return // the model reads characters, not bytes
		}
		model := regexp.MustCompile(`(?s)\A` + strings.ReplaceAll(regexp.QuoteMeta(glob), `\*`, `.*`) + `\z`)
		require.Equal(t, model.MatchString(name), pattern.Name(glob, name))
	})
}

// TestNameMatches: deny and ask rules take any glob of the whole name, an allow
// rule only one that comes after a literal mcp__<server>__ (Claude Code's
// documentation of permission rules).
func TestNameMatches(t *testing.T) {
	t.Parallel()
	const github = "mcp__github"
	tests := []struct {
		glob, name, server string
		denies, allows     bool
	}{
		{glob: "Read", name: "Read", denies: true, allows: true},
		{glob: "Read", name: "read"},
		{glob: "*", name: "Read", denies: true},
		{glob: "R*", name: "Read", denies: true},
		{glob: "*ead", name: "Read", denies: true},
		{glob: "ea*", name: "Read"},
		{glob: "mcp__*", name: "mcp__github__get", server: github, denies: true},
		{glob: "mcp__git*__get", name: "mcp__github__get", server: github, denies: true},
		{glob: "mcp__github__get_*", name: "mcp__github__get_issue", server: github, denies: true, allows: true},
		{glob: "mcp__github__*_issue", name: "mcp__github__get_issue", server: github, denies: true, allows: true},
		{glob: "mcp__github__get_*", name: "mcp__github__put_issue", server: github},
		{glob: "mcp__github__*", name: "mcp__github__get", server: github, denies: true, allows: true},
		{glob: github, name: "mcp__github__get", server: github, denies: true, allows: true},
		{glob: github, name: "mcp__github2__get", server: "mcp__github2"},
		{glob: "mcp__a__b*", name: "mcp__a__b__c", server: "mcp__a__b", denies: true}, // the server is not spelled out
		{glob: "mcp__a__b__*", name: "mcp__a__b__c", server: "mcp__a__b", denies: true, allows: true},
		{glob: "mcp__a__b__*", name: "mcp__a__b__c", server: "mcp__a", denies: true, allows: true},
		{glob: "mcp__github__*", name: "mcp__github__get", denies: true}, // a name that only looks like a server's
	}
	for _, tc := range tests {
		require.Equal(t, tc.denies, pattern.NameMatches(tc.glob, tc.name, tc.server, false), "deny %q, %q", tc.glob, tc.name)
		require.Equal(t, tc.allows, pattern.NameMatches(tc.glob, tc.name, tc.server, true), "allow %q, %q", tc.glob, tc.name)
	}
}

func TestCheckTool(t *testing.T) {
	t.Parallel()
	tests := []struct {
		tool        string
		deny, allow string // what the error says; empty: none
	}{
		{tool: "Read"},
		{tool: "mcp__github"},
		{tool: "mcp__github__*"},
		{tool: "mcp__github__get_*"},
		{tool: "mcp__a_b__*x*"},
		{tool: "", deny: "missing", allow: "missing"},
		{tool: "Rea?", deny: "only", allow: "only"},
		{tool: "[R]ead", deny: "only", allow: "only"},
		{tool: "*", allow: "approves nothing"},
		{tool: "B*", allow: "approves nothing"},
		{tool: "mcp__*", allow: "approves nothing"},
		{tool: "mcp__git*", allow: "approves nothing"},
		{tool: "mcp__git*__get", allow: "approves nothing"},
		{tool: "mcp____*", allow: "approves nothing"},
	}
	for _, tc := range tests {
		for allow, says := range map[bool]string{false: tc.deny, true: tc.allow} {
			err := pattern.CheckTool(tc.tool, allow)
			if says == "" {
				require.NoError(t, err, tc.tool)
			} else {
				require.ErrorContains(t, err, says, tc.tool)
			}
		}
	}
}
