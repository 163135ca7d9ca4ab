package files_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// TestReadNamesLookalikes asks for names as models write them, where the file
// system has them as other programs do.
func TestReadNamesLookalikes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		have  []string
		asked string
		first string // suggested; empty for none
		shown string // with escapes; empty if it is no lookalike
	}{
		{name: "narrow space", have: []string{"Screenshot at 9.41.00\u202fPM.png", "Screenshot at 9.41.01 PM.png"}, asked: "Screenshot at 9.41.00 PM.png",
			first: "Screenshot at 9.41.00\u202fPM.png", shown: `"Screenshot at 9.41.00\u202fPM.png"`},
		{name: "no-break space", have: []string{"a\u00a0b"}, asked: "a b", first: "a\u00a0b", shown: `"a\u00a0b"`},
		{name: "decomposed", have: []string{"e\u0301t\u00e9"}, asked: "\u00e9t\u00e9", first: "e\u0301t\u00e9", shown: `"e\u0301t\u00e9"`},
		{name: "composed", have: []string{"\u00e9"}, asked: "e\u0301", first: "\u00e9", shown: `"\u00e9"`},
		{name: "curly quotes", have: []string{"it\u2019s \u201chere\u201d"}, asked: `it's "here"`, first: "it\u2019s \u201chere\u201d", shown: `"it\u2019s \u201chere\u201d"`},
		{name: "straight quotes", have: []string{"it's"}, asked: "it\u2019s", first: "it's", shown: `"it's"`},
		{name: "a directory", have: []string{"my\u00a0dir/f"}, asked: "my dir/f", first: "my\u00a0dir", shown: `"my\u00a0dir"`},
		{name: "two of them", have: []string{"a\u00a0bcdef", "a\u202fbcdef"}, asked: "a bcdef", first: "a\u00a0bcdef"},
		{name: "only similar", have: []string{"poem.txt"}, asked: "peom.txt", first: "poem.txt"},
		{name: "none", have: []string{"x"}, asked: "unheard-of"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			g := newGround(t, pegboard.SessionConfig{})
			for _, name := range tc.have {
				g.put(t, name, "text\n")
			}
			out := g.call(t.Context(), t, "Read", map[string]any{"file_path": tc.asked})
			require.True(t, out.Result.IsError, "another name is another file")
			if tc.first == "" {
				require.NotContains(t, out.Result.Text(), "Did you mean")
				return
			}
			require.Contains(t, out.Result.Text(), "Did you mean "+filepath.Join(g.dir, tc.first))
			if tc.shown == "" {
				require.NotContains(t, out.Result.Text(), "look alike")
				return
			}
			require.Contains(t, out.Result.Text(), "The first differs only in characters that look alike: with escapes it is "+tc.shown+".")
		})
	}
}

// TestReadSuggestsNoDeniedLookalike must not say that a denied file exists.
func TestReadSuggestsNoDeniedLookalike(t *testing.T) {
	t.Parallel()
	g := newGround(t, pegboard.SessionConfig{Permissions: rules(t, policy.RuleSet{Deny: []string{"Read(my\u00a0secret)"}})})
	g.put(t, "my\u00a0secret", "x")
	out := g.call(t.Context(), t, "Read", map[string]any{"file_path": "my secret"})
	require.NotContains(t, out.Result.Text(), "Did you mean")
	require.NotContains(t, out.Result.Text(), "look alike")
}

// TestReadSuggestsNothingDenied asks for a name close to a file that may not be
// read: the answer must not say that it exists.
func TestReadSuggestsNothingDenied(t *testing.T) {
	t.Parallel()
	g := newGround(t, pegboard.SessionConfig{Permissions: rules(t, policy.RuleSet{Deny: []string{"Read(secrets.txt)"}})})
	g.put(t, "secrets.txt", "x")
	out := g.call(t.Context(), t, "Read", map[string]any{"file_path": "secret.txt"})
	require.ErrorIs(t, out.Err, os.ErrNotExist)
	require.NotContains(t, out.Result.Text(), "secrets")
}
