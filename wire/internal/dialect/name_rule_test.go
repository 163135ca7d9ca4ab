package dialect_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/wire/internal/dialect"
)

func TestNameRule(t *testing.T) {
	t.Parallel()
	anthropic, gemini := dialect.Anthropic.NameRule(), dialect.GeminiJSON.NameRule()
	tests := []struct {
		name              string
		anthropic, gemini bool
	}{
		{"read_file-2", true, true},
		{"_x", true, true},
		{"2read", true, false},
		{"-x", true, false},
		{"", false, false},
		{"a b", false, false},
		{"a.b", false, false},
		{"é", false, false},
		{strings.Repeat("x", 63), true, true},
		{strings.Repeat("x", 64), true, false},
		{strings.Repeat("x", 65), false, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.anthropic, anthropic.Valid(tt.name))
			require.Equal(t, tt.gemini, gemini.Valid(tt.name))
		})
	}
	require.Equal(t, "1 to 64 letters, digits, _ and -", anthropic.String())
	require.Equal(t, "1 to 63 letters, digits, _ and -, the first no digit and no -", gemini.String())
	require.Equal(t, anthropic, dialect.OpenAIStrict.NameRule())
}

func TestNamesMapThereAndBack(t *testing.T) {
	t.Parallel()
	rule := dialect.GeminiSchema.NameRule()
	tools := []string{"ok", "a.b", "a/b", "a_b", "2x", "", "é", strings.Repeat("long", 30), strings.Repeat("long", 30) + "er"}
	n := rule.Names(tools, nil)
	seen := map[string]bool{}
	for _, tool := range tools {
		api := n.API(tool)
		require.True(t, rule.Valid(api), "%s", api)
		require.False(t, seen[api], "%s stands for two", api)
		seen[api] = true
		require.Equal(t, tool, n.Tool(api))
		require.Equal(t, rule.Valid(tool), api == tool)
	}
	require.Equal(t, "unknown", n.API("unknown"))
}

// TestNamesOfBuiltinsStay makes sure that external tools do not change what
// built-in ones are called, even if they are named after what a mapped name would
// be.
func TestNamesOfBuiltinsStay(t *testing.T) {
	t.Parallel()
	rule := dialect.OpenAI.NameRule()
	alone := rule.Names([]string{"a.b", "c"}, nil)
	thief := alone.API("a.b")
	beside := rule.Names([]string{"a.b", "c"}, []string{thief, "c.d", "x"})
	require.Equal(t, thief, beside.API("a.b"))
	require.Equal(t, "a.b", beside.Tool(thief))
	require.NotEqual(t, thief, beside.API(thief))
	require.Equal(t, thief, beside.Tool(beside.API(thief)))
}

func TestNamesWithinBuiltins(t *testing.T) {
	t.Parallel()
	rule := dialect.OpenAI.NameRule()
	first := rule.Names([]string{"a.b"}, nil).API("a.b")
	n := rule.Names([]string{"a.b", first}, nil)
	require.Equal(t, first, n.API(first), "a name that is taken as it is stays")
	require.NotEqual(t, first, n.API("a.b"))
	require.True(t, rule.Valid(n.API("a.b")))
}
