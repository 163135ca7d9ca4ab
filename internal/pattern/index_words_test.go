package pattern_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/pattern"
)

// TestIndexFilesTwoWords: a rule is filed under its first two words, and the words
// of a line find it, whatever is folded in them.
func TestIndexFilesTwoWords(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, rule, line string }{
		{name: "plain", rule: "git push:*", line: "git push origin"},
		{name: "blanks", rule: "git push:*", line: " \tgit\t push origin"},
		{name: "first beyond ASCII", rule: "größe now:*", line: "größe now x"},
		{name: "second beyond ASCII", rule: "show Größe:*", line: "show Größe x"},
		{name: "both beyond ASCII", rule: "Über Größe:*", line: "Über Größe x"},
		{name: "parts of one syllable", rule: "\u1112 \u1161:*", line: "\u1112 \u1161 x"},
		{name: "a mark at the start", rule: "e \u0301x:*", line: "e \u0301x y"},
		{name: "no text", rule: "a \xff:*", line: "a \xff b"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			specs := make([]pattern.Spec, 2)
			for i, text := range []string{tt.rule, "other " + tt.rule} {
				spec, err := pattern.Parse("Bash", text)
				require.NoError(t, err)
				specs[i] = spec
			}
			x := pattern.Subject{Kind: pattern.Command, Names: []string{tt.line}}
			require.True(t, specs[0].Touches(x))
			index := pattern.NewIndex(len(specs), func(i int) pattern.Spec { return specs[i] })
			require.Equal(t, []int32{0}, index.Candidates(x, nil))
		})
	}
}
