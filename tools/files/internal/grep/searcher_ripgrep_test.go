package grep_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/tools/files/internal/grep"
)

// TestAgreesWithRipgrepOnABigTree runs the queries of the benchmark.
func TestAgreesWithRipgrepOnABigTree(t *testing.T) {
	t.Parallel()
	needRipgrep(t)
	dir := bigTree(t)
	for _, c := range commands() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			want := ripgrep(t, dir, c.rg...)
			same(t, want, lines(c.query, search(t, dir, c.query, grep.Limits{}, walked(c.globs))))
			t.Logf("%d lines", len(want))
		})
	}
}

// differs knows where ripgrep 13 does not what its own search of lines says, which
// we do not follow: it does not count or print all empty matches, -o finds other
// matches than the search for lines behind \B, \A and an alternative that begins
// another one, and across lines it shows context of empty matches behind the text.
func differs(q grep.Query, pattern string) bool {
	empty := slices.Contains([]string{"$", "", "x*", "a|", `\r?$`}, pattern)
	switch {
	case q.OnlyMatching:
		return empty || slices.Contains([]string{`\Bo`, `\Afoo`, `(a|ab)(c|bcd)`}, pattern)
	case q.Multiline && q.Mode == grep.Count:
		return empty
	case q.DotAll:
		return slices.Contains([]string{"^$", "^.{3}$", `^\s*$`}, pattern)
	}
	return false
}

// same requires that the lines are the same, and shows the first that are not.
func same(t *testing.T, want, got []string) {
	t.Helper()
	i := 0
	for i < min(len(want), len(got)) && want[i] == got[i] {
		i++
	}
	require.Equal(t, want[i:min(i+3, len(want))], got[i:min(i+3, len(got))])
}

// hardPatterns use what the two syntaxes have, one with another.
func hardPatterns() []string {
	return []string{
		"foo", "fo+", "foo|bar", "^foo", "bar$", "^$", "^", "$", "", "x*", "a|", `\bfoo\b`, `\Bo`, `\w+`, `\W+`, `\d+`, `\s+$`, `\S+`,
		`[^a-z\s]+`, `[[:upper:]]+`, `[^[:alpha:]]`, `(?i)FOO`, `(?i)kelvin|straße`, `k`, `\p{Greek}+`, `\PL`, `.`, `..`, `^.{3}$`, `o{2}`, `(foo|fo)o?b`,
		`(a|ab)(c|bcd)`, `a.*?b`, `(?-u:\w+)`, `\x{e9}`, `é`, `[é-ü]`, `(?x) f o o # c`, `\Afoo`, `foo\z`, `=`, `[0-9]{2,}\s*=`, `(^|\s)bar(\s|$)`, `\r?$`, `-`, `\t`, `日`, `[^日]+$`,
	}
}

// acrossPatterns may match the ends of lines.
func acrossPatterns() []string {
	return []string{`foo\nbar`, `\n`, `o\s+b`, `(?s)f.*?r`, `[^a]b`, `\n\n`, `a?\n`, `^\s*$`, `\s+`, `foo(\n|$)`, `x*\n`, `\W+`}
}

// hardTexts writes files whose contents are hard to search.
func hardTexts(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	words := []string{"foo", "bar", "fooo", "FOO", "Kelvin", "\u212aelvin", "stra\u00dfe", "é", "αβγ", "日本", "k", "12 = 3", "a_1", "\t", "  ", "\r", "\xff", "\xe6\x97", "abcd", "-", "--", "x", "", "\u00a0", "e\u0301"}
	rnd := rand.New(rand.NewPCG(5, 5))
	put := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	for i := range 30 {
		var b strings.Builder
		for range rnd.IntN(40) {
			b.WriteString(words[rnd.IntN(len(words))])
			b.WriteString([]string{"", " ", "\n", "\n", "\n\n", "\r\n"}[rnd.IntN(6)])
		}
		put(fmt.Sprintf("text%02d", i), b.String())
	}
	put("empty", "")
	put("newline", "\n")
	put("mark", "\uFEFFfoo\nbar\n")
	put("little", "\xff\xfef\x00o\x00o\x00\n\x00b\x00a\x00r\x00")
	put("big", "\xfe\xff\x00f\x00o\x00o\x00\n\x03\xb1")
	put("binary", "foo\n\x00bar\n")
	put("long", strings.Repeat("foo bar "+strings.Repeat("=", 80)+" 12\n", 800)+strings.Repeat("x", 70_000)+"foo\nbar")
	return dir
}

// TestAgreesWithRipgrepOnHardTexts compares every pattern in every mode.
func TestAgreesWithRipgrepOnHardTexts(t *testing.T) {
	t.Parallel()
	needRipgrep(t)
	dir := hardTexts(t)
	modes := []struct {
		args  []string
		query grep.Query
	}{
		{args: []string{"-n"}},
		{args: []string{"-ni"}, query: grep.Query{IgnoreCase: true}},
		{args: []string{"-no"}, query: grep.Query{OnlyMatching: true}},
		{args: []string{"-c"}, query: grep.Query{Mode: grep.Count}},
		{args: []string{"-l"}, query: grep.Query{Mode: grep.Files}},
		{args: []string{"--count-matches"}, query: grep.Query{Mode: grep.Count, OnlyMatching: true}},
		{args: []string{"-nC1"}, query: grep.Query{Before: 1, After: 1}},
		{args: []string{"-nA2"}, query: grep.Query{After: 2}},
		{args: []string{"-nB3"}, query: grep.Query{Before: 3}},
		{args: []string{"-nF"}, query: grep.Query{Fixed: true}},
		{args: []string{"-nU"}, query: grep.Query{Multiline: true}},
		{args: []string{"-noU"}, query: grep.Query{Multiline: true, OnlyMatching: true}},
		{args: []string{"-cU"}, query: grep.Query{Multiline: true, Mode: grep.Count}},
		{args: []string{"-nUC1", "--multiline-dotall"}, query: grep.Query{Multiline: true, DotAll: true, Before: 1, After: 1}},
	}
	type comparison struct {
		args  []string
		query grep.Query
	}
	var all []comparison
	for _, m := range modes {
		patterns := hardPatterns()
		if m.query.Multiline {
			patterns = append(patterns, acrossPatterns()...)
		}
		for _, pattern := range patterns {
			if !differs(m.query, pattern) {
				m.query.Pattern = pattern
				all = append(all, comparison{slices.Concat(m.args, []string{"-e", pattern}), m.query})
			}
		}
	}
	for _, s := range effort.Sample(t, all) {
		t.Run(strings.Join(s.args, " "), func(t *testing.T) {
			t.Parallel()
			same(t, ripgrep(t, dir, s.args...), lines(s.query, search(t, dir, s.query, grep.Limits{})))
		})
	}
}

// TestAgreesWithRipgrepOnLineEndsOfWindows compares what $ matches. That . matches a "\r"
// is as without --crlf.
func TestAgreesWithRipgrepOnLineEndsOfWindows(t *testing.T) {
	t.Parallel()
	needRipgrep(t)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"windows": "foo\r\nbar foo\r\n\r\n  \r\nfoo bar\r\n", "unix": "foo\nbar foo\n\nfoo bar", "mixed": "foo\r\nfoo\n\r\n\nbar\r\nfoo", "no end": "x\r\nfoo",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	for _, pattern := range []string{"foo$", "^foo$", "^$", "$", `\w+$`, `(^|\s)bar($|x)`, "o$|^b", "[a-z]+ [a-z]+$", "(?i)FOO$", `foo\b$`, "nothing$", `(?x) foo $ # end`, `(foo$)|(bar$)`} {
		for _, q := range []grep.Query{{}, {Mode: grep.Count}, {Mode: grep.Files}, {Before: 1, After: 1}, {IgnoreCase: true}} {
			q.Pattern, q.CRLF = pattern, true
			args := []string{"--crlf", "-e", pattern, map[grep.Mode]string{grep.Content: "-n", grep.Count: "-c", grep.Files: "-l"}[q.Mode]}
			if q.Before > 0 {
				args = append(args, "-C1")
			}
			if q.IgnoreCase {
				args = append(args, "-i")
			}
			want := ripgrep(t, dir, args...)
			for i := range want {
				want[i] = strings.TrimSuffix(want[i], "\r")
			}
			got := lines(q, search(t, dir, q, grep.Limits{}))
			for i := range got {
				got[i] = strings.TrimSuffix(got[i], "\r")
			}
			want = slices.DeleteFunc(want, func(line string) bool { return line == "--" })
			slices.Sort(want)
			slices.Sort(got)
			require.Equal(t, want, got, "%q %v", pattern, args)
		}
	}
}
