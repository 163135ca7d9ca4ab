package grep_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/files/internal/grep"
)

func TestCompileRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		pattern, construct string
		column             int
		says               string
	}{
		{pattern: `a(?=b)`, construct: `(?=`, column: 2, says: "look-around"},
		{pattern: `(?<!a)b`, construct: `(?<!`, column: 1, says: "look-around"},
		{pattern: `ä(a)\1`, construct: `\1`, column: 5, says: "references to groups"},
		{pattern: `a\n`, construct: `\n`, column: 2, says: "multiline"},
		{pattern: "a\n", construct: "\n", column: 2, says: "multiline"},
		{pattern: `a[\n]`, construct: `[\n]`, column: 2, says: "multiline"},
		{pattern: `[a&&b]`, construct: `&&`, column: 3, says: "operations"},
		{pattern: `[a--b]`, construct: `--`, column: 3, says: "operations"},
		{pattern: `[a[b]]`, construct: `[`, column: 3, says: "classes in classes"},
		{pattern: `[ab`, construct: `[`, column: 1, says: "not closed"},
		{pattern: `[b-a]`, construct: `b-a`, column: 2, says: "begins behind its end"},
		{pattern: `[[:foo:]]`, construct: `[:foo:]`, column: 2, says: "no such class"},
		{pattern: `(a`, construct: `(`, column: 1, says: "not closed"},
		{pattern: `a)`, construct: `)`, column: 2, says: "no group is open"},
		{pattern: `*a`, construct: `*`, column: 1, says: "nothing before it"},
		{pattern: `a**`, construct: `*`, column: 3, says: "repeats a repetition"},
		{pattern: `a{,3}`, construct: `{,3}`, column: 2, says: "{0,3}"},
		{pattern: `a{3,1}`, construct: `{3,1}`, column: 2, says: "greater"},
		{pattern: `a{1001}`, construct: `{1001}`, column: 2, says: "1000"},
		{pattern: `\<a`, construct: `\<`, column: 1, says: `\b`},
		{pattern: `\ha`, construct: `\h`, column: 1, says: "no such escape"},
		{pattern: `\p{Foo}`, construct: `\p{Foo}`, column: 1, says: "no such property"},
		{pattern: `a\`, construct: `\`, column: 2, says: "ends the pattern"},
		{pattern: `(?z)`, construct: `(?z`, column: 1, says: "flags"},
		{pattern: `\x{110000}`, construct: `\x{110000}`, column: 1, says: "no character"},
		{pattern: "\xff", construct: "\xff", column: 1, says: "UTF-8"},
		{pattern: `(?:(?:a?){200}b){200}`, says: "too large"},
		{pattern: `(((a{1000}){1000}){1000})`, says: "too large"},
	}
	for _, tc := range tests {
		t.Run(tc.pattern, func(t *testing.T) {
			t.Parallel()
			_, err := grep.Compile(grep.Query{Pattern: tc.pattern})
			var bad *grep.SyntaxError
			require.ErrorAs(t, err, &bad)
			require.Contains(t, bad.Error(), tc.says)
			if tc.construct != "" {
				require.Equal(t, tc.construct, bad.Construct)
				require.Equal(t, tc.column, bad.Column)
			}
		})
	}
}

// FuzzCompile: no pattern makes Compile panic, and what it takes searches any
// text, by the automaton as by the slow machine.
func FuzzCompile(f *testing.F) {
	for _, pattern := range []string{`\w+`, `[^a-z\d]`, `(?i)k\b`, `(?x) a # b`, `a{2,3}?`, `^$`, `\pL|\x41`, `(a|ab)(c|bcd)*`, `\bfoo\B`} {
		f.Add(pattern, "foo bar\nK \u212a\xff\n\nabcd", false, false)
	}
	f.Fuzz(func(t *testing.T, pattern, text string, ignoreCase, multiline bool) {
		p, err := grep.Compile(grep.Query{Pattern: pattern, IgnoreCase: ignoreCase, Multiline: multiline})
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		require.Equal(t, p.SlowMatches(text), p.FastMatches(text))
	})
}
