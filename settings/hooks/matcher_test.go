package hooks_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dlclark/regexp2/v2"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/settings/hooks"
)

// group returns the hooks of one group with a matcher.
func group(t testing.TB, event, matcher string) (hooks.Set, []hooks.Problem) {
	t.Helper()
	data, err := json.Marshal(map[string]any{event: []any{map[string]any{
		"matcher": matcher, "hooks": []any{map[string]any{"type": "command", "command": "true"}},
	}}})
	require.NoError(t, err)
	set, problems, err := hooks.Parse(data, policy.SourceUser, "")
	require.NoError(t, err)
	return set, problems
}

func TestMatchers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		event, matcher string
		matches, not   []string
		problem        string
	}{
		{event: "PreToolUse", matcher: "", matches: []string{"Bash", "mcp__a__b", ""}},
		{event: "PreToolUse", matcher: "*", matches: []string{"Bash", "mcp__a__b"}},
		{event: "PreToolUse", matcher: "Bash", matches: []string{"Bash"}, not: []string{"bash", "BashOutput", "MyBash"}},
		{event: "PreToolUse", matcher: "Edit|Write", matches: []string{"Edit", "Write"}, not: []string{"MultiEdit", "Edit|Write", ""}},
		{event: "PreToolUse", matcher: "Edit, Write", matches: []string{"Edit", "Write"}, not: []string{" Write"}},
		{event: "PreToolUse", matcher: " Edit | Write |", matches: []string{"Edit", "Write"}, not: []string{""}},
		{event: "PreToolUse", matcher: "mcp__my-server__do-it", matches: []string{"mcp__my-server__do-it"}, not: []string{"mcp__my-server__do-it2"}},
		{event: "PreToolUse", matcher: "mcp__memory__.*", matches: []string{"mcp__memory__read"}, not: []string{"mcp__memory", "mcp__mem__read"}},
		{event: "PreToolUse", matcher: "mcp__memory", not: []string{"mcp__memory__read"}, problem: "mcp__memory__.*"},
		{event: "PreToolUse", matcher: "Edit|mcp__memory__", matches: []string{"Edit"}, not: []string{"mcp__memory__read"}, problem: "mcp__memory__.*"},
		{event: "PreToolUse", matcher: "mcp__", not: []string{"mcp__memory__read"}, problem: "mcp__.*"},
		{event: "PreToolUse", matcher: "Edit Write", not: []string{"Edit", "Write"}, problem: "separate names"},
		{event: "PreToolUse", matcher: " | ", not: []string{"Edit", ""}, problem: "names nothing"},
		{event: "PreToolUse", matcher: ".*", matches: []string{"Bash", ""}},
		{event: "PreToolUse", matcher: "Edit.*", matches: []string{"Edit", "MultiEdit", "Editor"}, not: []string{"Write"}},
		{event: "PreToolUse", matcher: "^(Edit|Write|Bash)$|^mcp__", matches: []string{"Bash", "mcp__a__b"}, not: []string{"BashOutput", "amcp__"}},
		{event: "PreToolUse", matcher: "^(?!Bash$).*", matches: []string{"Edit", "BashOutput"}, not: []string{"Bash"}},
		{event: "PreToolUse", matcher: `^(.)\1$`, matches: []string{"aa"}, not: []string{"ab"}},
		{event: "PreToolUse", matcher: `mcp__[^]__x`, matches: []string{"mcp__a__x"}, not: []string{"mcp__ab__x"}},
		{event: "PreToolUse", matcher: "(", problem: "not an expression of ECMAScript"},
		{event: "PreToolUse", matcher: strings.Repeat("a", 5000), problem: "longer than 4096"},
		{event: "SessionStart", matcher: "startup|resume", matches: []string{"startup", "resume"}, not: []string{"clear"}},
		{event: "SubagentStop", matcher: "my-plugin:reviewer", matches: []string{"my-plugin:reviewer"}, not: []string{"reviewer"}},
		{event: "FileChanged", matcher: "package-lock", matches: []string{"package-lock.json"}, not: []string{"package.json"}},
		{event: "FileChanged", matcher: ".env|.envrc", matches: []string{".env", ".envrc", "x.envy"}, not: []string{"env"}},
		{event: "StopFailure", matcher: "rate_limit", matches: []string{"rate_limit"}, not: []string{"rate_limits"}},
		{event: "StopFailure", matcher: "rate_limit,overloaded", not: []string{"rate_limit"}},
		{event: "Stop", matcher: "Bash", matches: []string{"", "x"}, problem: "has no matchers"},
		{event: "UserPromptSubmit", matcher: "", matches: []string{""}},
		{event: "UserPromptSubmit", matcher: "(", matches: []string{""}, problem: "has no matchers"},
		{event: "OfTomorrow", matcher: "a|b", matches: []string{"a"}, not: []string{"c"}, problem: "not known"},
	}
	for _, tt := range tests {
		t.Run(tt.event+" "+tt.matcher[:min(len(tt.matcher), 40)], func(t *testing.T) {
			t.Parallel()
			set, problems := group(t, tt.event, tt.matcher)
			if tt.problem == "" {
				require.Empty(t, problems)
			} else {
				require.Len(t, problems, 1)
				require.ErrorContains(t, problems[0], tt.problem)
			}
			for _, value := range tt.matches {
				require.Len(t, set.Match(tt.event, value), 1, "%q", value)
				require.True(t, set.Handlers(tt.event)[0].Matches(value), "%q", value)
			}
			for _, value := range tt.not {
				require.Empty(t, set.Match(tt.event, value), "%q", value)
				require.Empty(t, set.Match(tt.event, value), "remembered: %q", value)
			}
		})
	}
}

// An expression that takes exponential time ends, and counts as a match.
func TestMatcherThatTakesForever(t *testing.T) {
	t.Parallel()
	set, problems := group(t, "PreToolUse", `^(?!x)(a|aa)+$`)
	require.Empty(t, problems)
	start := time.Now()
	for range 20 {
		require.Len(t, set.Match("PreToolUse", strings.Repeat("a", 60)+"!"), 1)
	}
	require.Less(t, time.Since(start), time.Minute)
	require.Empty(t, set.Match("PreToolUse", "Bash"))
}

// FuzzMatchers compares expressions that package regexp runs with ECMAScript's.
func FuzzMatchers(f *testing.F) {
	for _, seed := range [][2]string{{"^(Edit|Write)$|^mcp__", "Edit"}, {"mcp__[a-z]+__.*", "mcp__x__y"}, {`a\.b|[^-a]`, "a.b"}, {"(?:a|b)+?c", "abc"}, {`\w+\d$`, "a1"}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, expression, value string) {
		if len(expression) > 200 || len(value) > 200 || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' }) {
			t.Skip("no name of a tool")
		}
		if !strings.ContainsAny(expression, "^$().*+?[]\\/:") {
			t.Skip("a list")
		}
		data, err := json.Marshal(expression)
		require.NoError(t, err)
		set, _, err := hooks.Parse(fmt.Appendf(nil, `{"PreToolUse": [{"matcher": %s, "hooks": [{"type": "command", "command": "true"}]}]}`, data), "", "")
		require.NoError(t, err)
		if len(set.Handlers("PreToolUse")) == 0 {
			return
		}
		var spelled string
		require.NoError(t, json.Unmarshal(data, &spelled)) // without invalid UTF-8
		reference, err := regexp2.Compile(spelled, regexp2.ECMAScript)
		if err != nil {
			return
		}
		reference.MatchTimeout = time.Second
		matched, err := reference.MatchString(value)
		if err == nil {
			require.Equal(t, matched, len(set.Match("PreToolUse", value)) == 1, "%q on %q", spelled, value)
		}
	})
}

// BenchmarkMatch shows what 100 handlers cost that do not match.
func BenchmarkMatch(b *testing.B) {
	var groups []any
	for i := range 100 {
		matcher := fmt.Sprintf("Tool%d|mcp__s%d__do", i, i)
		switch i % 3 {
		case 1:
			matcher = fmt.Sprintf("^(Tool%d|Other)$|^mcp__s%d__", i, i)
		case 2:
			matcher = fmt.Sprintf("^(?!Bash|Task)Tool%d", i)
		}
		groups = append(groups, map[string]any{"matcher": matcher, "hooks": []any{map[string]any{"type": "command", "command": fmt.Sprintf("run %d", i)}}})
	}
	data, err := json.Marshal(map[string]any{"PreToolUse": groups})
	require.NoError(b, err)
	set, _, err := hooks.Parse(data, policy.SourceUser, "")
	require.NoError(b, err)
	for name, names := range map[string][]string{"one name": {"Bash"}, "with alias": {"Agent", "Task"}} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				require.Empty(b, set.Match("PreToolUse", names...))
			}
		})
	}
	b.Run("first time", func(b *testing.B) {
		for b.Loop() {
			hooks.Join(set).Match("PreToolUse", "Bash")
		}
	})
	b.Run("parse", func(b *testing.B) {
		for b.Loop() {
			_, _, _ = hooks.Parse(data, policy.SourceUser, "")
		}
	})
}
