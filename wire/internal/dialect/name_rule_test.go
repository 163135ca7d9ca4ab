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
