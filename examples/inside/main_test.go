package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRun: the model of each framework reads the same of the same calls.
func TestRun(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	require.NoError(t, run(t.Context(), &out))
	dir := regexp.MustCompile(`/\S*/inside\d+`)
	texts := strings.Split(dir.ReplaceAllString(out.String(), "DIR"), "\n")
	require.Len(t, texts, 10)
	require.Equal(t, []string{"eino", "genkit", "Anthropic's SDK"}, []string{texts[0], texts[3], texts[6]})
	require.Equal(t, "    Made DIR/notes/a.txt.", texts[1])
	require.Contains(t, texts[2], "Write was denied: no rule allows it: Write wants to write DIR/b.txt")
	require.Equal(t, texts[1:3], texts[4:6])
	require.Equal(t, texts[1], texts[7])
	require.Contains(t, texts[8], "Error: Write was denied: no rule allows it: Write wants to write DIR/b.txt")
}
