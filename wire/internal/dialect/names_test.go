package dialect_test

import (
	"encoding/json"
	"fmt"
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

func TestDialectsHaveNames(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, d := range append(dialects(), dialect.Dialect(99)) {
		require.False(t, seen[d.String()])
		seen[d.String()] = true
	}
}

func TestFirst(t *testing.T) {
	t.Parallel()
	form, err := dialect.First(json.RawMessage(tool(`{}`)), dialect.AnthropicStrict, dialect.Anthropic)
	require.NoError(t, err)
	require.Equal(t, dialect.Anthropic, form.Dialect)
	require.Len(t, form.Refused, 1)
	require.EqualError(t, form.Refused[0], "p: it takes any value; give it a type")

	_, err = dialect.First(json.RawMessage(`{"type":"object","properties":{"a-b":{}}}`), dialect.GeminiSchema, dialect.GeminiJSON)
	require.ErrorContains(t, err, "a-b: ")
}

func TestUseOf(t *testing.T) {
	t.Parallel()
	const schema = `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":["string","null"]},"c":{"anyOf":[{"type":"string"},{"type":"array","items":{"$ref":"#/$defs/d"}}]},"e":{"$ref":"#/$defs/d"}},"required":["a"],
		"$defs":{"d":{"type":"object","properties":{"x":{"type":["integer","null"]}}}}}`
	require.Equal(t, dialect.Use{Tools: 1, Optional: 3 + 2, Unions: 2 + 2}, dialect.UseOf(json.RawMessage(schema)))

	var sum dialect.Use
	for i := range 20 {
		require.True(t, sum.Add(dialect.Use{Tools: 1, Optional: 1}), "%d", i)
	}
	require.False(t, sum.Add(dialect.Use{Tools: 1}))
	require.Equal(t, dialect.Use{Tools: 20, Optional: 20}, sum, "what does not fit is not added")
	require.False(t, (&dialect.Use{}).Add(dialect.Use{Optional: 25}))
	require.False(t, (&dialect.Use{}).Add(dialect.Use{Unions: 17}))

	doubling := `"d0":{"type":["string","null"]}`
	for i := range 100 {
		doubling += fmt.Sprintf(`,"d%d":{"anyOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i+1, i, i)
	}
	use := dialect.UseOf(json.RawMessage(`{"type":"object","properties":{"p":{"$ref":"#/$defs/d100"}},"$defs":{` + doubling + `}}`))
	require.Greater(t, use.Unions, dialect.MaxUse().Unions)
}
