package edit_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/files/internal/edit"
)

func TestReplaceFindsTextAtTheFirstLevelThatHasIt(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		file     string
		old, new string
		all      bool
		want     string
		level    edit.MatchLevel
	}{
		{name: "part of a line", file: "a b c\n", old: "b", new: "x", want: "a x c\n"},
		{name: "begins and ends within lines", file: "ab\ncd\n", old: "b\nc", new: "-", want: "a-d\n"},
		{name: "deletion", file: "a\nb\nc\n", old: "b\n", new: "", want: "a\nc\n"},
		{name: "every place", file: "x x\nx\n", old: "x", new: "yy", all: true, want: "yy yy\nyy\n"},
		{name: "an empty file", file: "", old: "", new: "a\n", want: "a\n"},
		{name: "nothing of the new text is a pattern", file: "a\n", old: "a", new: "$0 \\1 %s", want: "$0 \\1 %s\n"},

		{name: "white space at line ends of the file", file: "a  \nb\t\nc\n", old: "a\nb\n", new: "a\nx\n", want: "a  \nx\t\nc\n", level: edit.TrailingSpace},
		{name: "white space at line ends of the old text", file: "a\nb\n", old: "a \nb", new: "a \nx", want: "a\nx\n", level: edit.TrailingSpace},
		{name: "a final newline that is missing", file: "a\nb", old: "b\n", new: "c\n", want: "a\nc", level: edit.TrailingSpace},
		{name: "a final newline that is missing, deleted line", file: "a\nb", old: "b\n", new: "", want: "a\n", level: edit.TrailingSpace},
		{name: "every place without its line ends", file: "a \nb\na  \nb\n", old: "a\nb\n", new: "a\nc\n", all: true, want: "a \nc\na  \nc\n", level: edit.TrailingSpace},
		{name: "blank lines before both texts", file: "x\na \n", old: "\na\nb"[:2] + "\n", new: "\nc\n", want: "x\nc \n", level: edit.TrailingSpace},

		{name: "too many backslashes", file: "x := \"a\"\ny := 1\n", old: `x := \"a\"`, new: `x := \"b\"`, want: "x := \"b\"\ny := 1\n", level: edit.Escapes},
		{name: "too many backslashes, on lines", file: "if a {\n\tprint(\"x\\n\")\n}\n", old: `if a {\n\tprint(\"x\\n\")\n}`, new: `if b {\n\tprint(\"y\\n\")\n\treturn\n}`, want: "if b {\n\tprint(\"y\\n\")\n\treturn\n}\n", level: edit.Escapes},
		{name: "too many backslashes, all places", file: "f('a'); f('a')\n", old: `f(\'a\')`, new: `g(\'a\')`, all: true, want: "g('a'); g('a')\n", level: edit.Escapes},
		{name: "too few backslashes", file: `{"text": "say \"hi\" to\nthem"}`, old: "say \"hi\" to\nthem", new: "say \"ho\", 'ha' to\nthem\nall", want: `{"text": "say \"ho\", 'ha' to\nthem\nall"}`, level: edit.Escapes},
		{name: "too few backslashes, a line within a string", file: "a := \"x\\n\"\nb()\n", old: "a := \"x\n\"\nb()", new: "a := \"x\n\"\nc()", want: "a := \"x\\n\"\nc()\n", level: edit.Escapes},
		{name: "one level of backslashes too few", file: `re := "\\d+\\."` + "\n", old: `re := "\d+\."`, new: `re := "\w+\."`, want: `re := "\\w+\\."` + "\n", level: edit.Escapes},
		{name: "entities for characters", file: "<b>a & b</b>\n", old: "&lt;b&gt;a &amp; b&lt;/b&gt;", new: "&lt;i&gt;a &amp; b&lt;/i&gt;", want: "<i>a & b</i>\n", level: edit.Escapes},
		{name: "characters for entities", file: "<p>if a &lt; b &amp;&amp; c</p>\n", old: "if a < b && c", new: "if b < a && c && d", want: "<p>if b &lt; a &amp;&amp; c &amp;&amp; d</p>\n", level: edit.Escapes},

		{name: "tabs for spaces", file: "\tif a {\n\t\tb()\n\t}\n", old: "    if a {\n        b()\n    }\n", new: "    if a {\n        b()\n        if c {\n            d()\n        }\n    }\n",
			want: "\tif a {\n\t\tb()\n\t\tif c {\n\t\t\td()\n\t\t}\n\t}\n", level: edit.Indentation},
		{name: "spaces for tabs", file: "  if a:\n    b()\n", old: "\tif a:\n\t\tb()", new: "\tif a:\n\t\tif c:\n\t\t\tb()", want: "  if a:\n    if c:\n      b()\n", level: edit.Indentation},
		{name: "no indentation at all", file: "\t\ta()\n\t\tb()\n", old: "a()\nb()\n", new: "a()\nif x {\n  c()\n}\nb()\n", want: "\t\ta()\n\t\tif x {\n\t\t\tc()\n\t\t}\n\t\tb()\n", level: edit.Indentation},
		{name: "deeper by a constant", file: "        a()\n        b()\n", old: "    a()\n    b()", new: "    a()\n    if x:\n        c()\n    b()", want: "        a()\n        if x:\n            c()\n        b()\n", level: edit.Indentation},
		{name: "steps of another width", file: "  if a:\n    b\n", old: "    if a:\n        b", new: "    if a:\n        b\n        if c:\n            d", want: "  if a:\n    b\n    if c:\n      d\n", level: edit.Indentation},
		{name: "a line further out", file: "\t\ta()\n\t\tb()\n", old: "        a()\n        b()\n", new: "        a()\n    }\n        b()\n", want: "\t\ta()\n\t}\n\t\tb()\n", level: edit.Indentation},
		{name: "blank lines stay empty", file: "\ta()\n\n\tb()\n", old: "a()\n\nb()\n", new: "a()\n\nc()\n\nb()\n", want: "\ta()\n\n\tc()\n\n\tb()\n", level: edit.Indentation},

		{name: "curly quotes in a part of a line", file: "say \u201chello\u201d to \u2018them\u2019\n", old: `"hello" to 'them'`, new: `"goodbye" to 'them'`, want: "say \u201cgoodbye\u201d to \u2018them\u2019\n", level: edit.Punctuation},
		{name: "dashes and no-break spaces", file: "10\u201320\u00a0km\u2014far\n", old: "10-20 km-far", new: "10-30 km-far", want: "10\u201330\u00a0km\u2014far\n", level: edit.Punctuation},
		{name: "an ellipsis", file: "wait\u2026 \u201cnow\u201d\n", old: `wait... "now"`, new: `wait... "then"`, want: "wait\u2026 \u201cthen\u201d\n", level: edit.Punctuation},
		{name: "accents as characters of their own", file: "cafe\u0301 noir\n", old: "caf\u00e9 noir", new: "caf\u00e9 blanc", want: "cafe\u0301 blanc\n", level: edit.Punctuation},
		{name: "composed accents", file: "caf\u00e9 noir\n", old: "cafe\u0301 noir", new: "cafe\u0301 blanc", want: "caf\u00e9 blanc\n", level: edit.Punctuation},
		{name: "what nobody sees", file: "a\u200bb = 1\n", old: "ab = 1", new: "ab = 2", want: "a\u200bb = 2\n", level: edit.Punctuation},
		{name: "the model makes quotes straight", file: "\u201ca\u201d \u2013 b\n", old: "\u201ca\u201d - b", new: `"a" - b`, want: "\"a\" \u2013 b\n", level: edit.Punctuation},
		{name: "indentation and quotes", file: "\tp(\u201ca\u201d)\n\tq()\n", old: "    p(\"a\")\n    q()\n", new: "    p(\"b\")\n    q()\n", want: "\tp(\u201cb\u201d)\n\tq()\n", level: edit.Punctuation},
		{name: "every place with other quotes", file: "\u2018a\u2019 \u201ba\u2019\n", old: "'a'", new: "'b'", all: true, want: "\u2018b\u2019 \u201bb\u2019\n", level: edit.Punctuation},

		{name: "lines between anchors differ", file: "func f() {\n\tone()\n\ttwo(alpha, 5)\n\tthree()\n}\n", old: "func f() {\n\tone()\n\ttwo(alpha, 77)\n\tthree()\n}", new: "func f() {\n\tone()\n\ttwo(alpha, 77)\n\tthree(3)\n}",
			want: "func f() {\n\tone()\n\ttwo(alpha, 5)\n\tthree(3)\n}\n", level: edit.Anchors},
		{name: "a line that the model does not know of stays", file: "func f() {\n\tone()\n\t// a\n\ttwo()\n\tthree()\n}\n", old: "func f() {\n\tone()\n\ttwo()\n\tthree()\n}", new: "func f() {\n\tone()\n\ttwo()\n\tfour()\n}",
			want: "func f() {\n\tone()\n\t// a\n\ttwo()\n\tfour()\n}\n", level: edit.Anchors},

		{name: "more lines than the model knows", file: "begin\nalpha one\nextra\nbeta two\ngamma three\ndelta four\nend\n", old: "begin\nalpha one\nbeta two\ngamma three\ndelta four\nend", new: "begin\nalpha one\nbeta two\ngamma three\nend",
			want: "begin\nalpha one\nextra\nbeta two\ngamma three\nend\n", level: edit.Anchors},
		{name: "a line that the file does not have is left as it is", file: "begin\nalpha one\nbeta two\ngamma three\nend\n", old: "begin\nalpha one\nzz\nbeta two\ngamma three\nend", new: "begin\nalpha one\nzz\nbeta two\ngamma four\nend",
			want: "begin\nalpha one\nbeta two\ngamma four\nend\n", level: edit.Anchors},
		{name: "both correct the same word", file: "the quick brown fox jumps over it\n", old: "the quick brwn fox jumps over it", new: "the quick brown fox jumps over him", want: "the quick brown fox jumps over him\n", level: edit.Fuzzy},

		{name: "a letter differs", file: "the quick brown fox jumps\nover it\n", old: "the quick brwn fox jumps\nover it", new: "the quick brwn fox jumps\nover him", want: "the quick brown fox jumps\nover him\n", level: edit.Fuzzy},
		{name: "spaces within a line", file: "result = compute( a,  b, c )\n", old: "result = compute(a, b, c)", new: "result = compute(a, b, d)", want: "result = compute( a,  b, d )\n", level: edit.Fuzzy},
		{name: "the beginning of a line is missing", file: "  const x = compute(alpha, beta, gamma, delta, epsilon, zeta, theta, kappa) +\n    more(eta)\n", old: "= compute(alpha, beta, gamma, delta, epsilon, zeta, theta, kappa) +\n    more(eta) ", new: "= compute(alpha, beta, gamma, delta, epsilon, iota, theta, kappa) +\n    more(eta) ",
			want: "  const x = compute(alpha, beta, gamma, delta, epsilon, iota, theta, kappa) +\n    more(eta)\n", level: edit.Fuzzy},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			change, err := parse(t, test.file).Replace(edit.Replacement{Old: test.old, New: test.new, All: test.all})
			require.NoError(t, err)
			require.Equal(t, test.want, string(change.Data))
			require.Equal(t, test.want, change.New)
			require.Equal(t, test.file, change.Old)
			require.Equal(t, test.level.String(), change.Level.String())
		})
	}
}

func TestReplaceRefuses(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x\n", 30)
	tests := []struct {
		name     string
		file     string
		old, new string
		all      bool
		want     error
	}{
		{name: "equal texts", file: "a\n", old: "a", new: "a", want: edit.ErrSame},
		{name: "texts that differ in line ends alone", file: "a\nb\n", old: "a\nb", new: "a\r\nb", want: edit.ErrSame},
		{name: "no old text", file: "a\n", old: "", new: "b", want: edit.ErrEmptyOld},
		{name: "a lone surrogate", file: "a\n", old: "a", new: "\xed\xa0\x80", want: edit.ErrBadText},
		{name: "a NUL", file: "a\n", old: "a", new: "\x00", want: edit.ErrBadText},
		{name: "the change is there already", file: "it's \"so\" here\n", old: "it's \u201cso\u201d here", new: `it's "so" here`, want: edit.ErrPresent},
		{name: "two places", file: "a\nb\na\n", old: "a", new: "c", want: &edit.AmbiguousError{Lines: []int{1, 3}}},
		{name: "two places on one line", file: "\na a\n", old: "a", new: "c", want: &edit.AmbiguousError{Lines: []int{2, 2}}},
		{name: "places that overlap", file: "aaa\n", old: "aa", new: "c", want: &edit.AmbiguousError{Lines: []int{1, 1}}},
		{name: "more places than are listed", file: long, old: "x", new: "c", want: &edit.AmbiguousError{Lines: []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20}, More: true}},
		{name: "two places on a higher level", file: "\ta()\n\tb()\n\n  a()\n  b()\n", old: " a()\n b()", new: "c()", want: &edit.AmbiguousError{Lines: []int{1, 4}, Level: edit.Indentation}},
		{name: "two similar places", file: "the quick brown fox jumps\n\nthe quick brown fix jumps\n", old: "the quick brown f0x jumps", new: "the slow brown f0x jumps", all: true, want: &edit.AmbiguousError{Lines: []int{1, 3}, Level: edit.Fuzzy}},
		{name: "an omission", file: "a\nb\n", old: "a", new: "x\n  // ... rest of code unchanged ...", want: &edit.OmissionError{Line: "// ... rest of code unchanged ..."}},
		{name: "a change of what the file does not have", file: "the quick brown fox jumps over it\n", old: "the quick brwn fox jumps over it", new: "the quick red fox jumps over it",
			want: &edit.AbsentError{Nearest: edit.Range{First: 1, Last: 1}, Similarity: 97, Diff: "-the quick brwn fox jumps over it\n+the quick brown fox jumps over it"}},
		{name: "a deletion of what the file does not have", file: "the quick brown fox jumps over it\nb\n", old: "the quick brwn fox jumps over it\n", new: "",
			want: &edit.AbsentError{Nearest: edit.Range{First: 1, Last: 1}, Similarity: 97, Diff: "-the quick brwn fox jumps over it\n+the quick brown fox jumps over it"}},
		{name: "a change of a line that the file does not have", file: "begin\nalpha one\nbeta two\ngamma three\nend\n", old: "begin\nalpha one\nzz\nbeta two\ngamma three\nend", new: "begin\nalpha one\nyy\nbeta two\ngamma three\nend",
			want: &edit.AbsentError{Nearest: edit.Range{First: 1, Last: 5}, Similarity: 85, Diff: " alpha one\n-zz\n beta two"}},
		{name: "part of a line with white space at its end", file: "foobar\n", old: "foo ", new: "x", want: &edit.AbsentError{Nearest: edit.Range{First: 1, Last: 1}, Similarity: 50, Diff: "-foo \n+foobar"}},
		{name: "a part of a long line", file: "x\n" + strings.Repeat("abc(1);", 1000) + "function(a, b){return a+b}" + strings.Repeat("abc(1);", 1000), old: "function(a,b) {return a+b}", new: "function(b,a)",
			want: &edit.AbsentError{Nearest: edit.Range{First: 2, Last: 2}, Part: true, Byte: 7000, Similarity: 93, Diff: "-function(a,b) {return a+b}\n+function(a, b){return a+b}"}},
		{name: "white space alone", file: "a\n\nb\n", old: "  ", new: "c", want: &edit.AbsentError{}},
		{name: "nothing like it", file: "a\n", old: "zzzzzzzz", new: "c", want: &edit.AbsentError{}},
		{name: "backslashes of which the new text has others", file: "x := \"abc\"\n", old: `x := \"abc\"`, new: `x := \"ab\n\"`, want: &edit.AbsentError{Escapes: true, Nearest: edit.Range{First: 1, Last: 1}, Similarity: 81, Diff: "-x := \\\"abc\\\"\n+x := \"abc\""}},
		{name: "line ends within and between strings", file: "a = \"x\\n\"\nb = 1\n", old: "a = \"x\n\"\nb = 1", new: "a = \"x\n\"\nc = 2\nb = 1", want: &edit.AbsentError{Escapes: true, Nearest: edit.Range{First: 1, Last: 2}, Similarity: 50, Diff: "-a = \"x\n-\"\n+a = \"x\\n\"\n b = 1"}},
		{name: "line numbers", file: "foo\nbar\n", old: "     1\tfoo\n     2\tbar", new: "foo", want: &edit.AbsentError{Numbered: true, Nearest: edit.Range{First: 1, Last: 2}, Similarity: 66, Diff: "-     1\tfoo\n-     2\tbar\n+foo\n+bar"}},
		{name: "the new text is there", file: "a\nreturn compute(b)\n", old: "zzzzzzzz", new: "return compute(b)", want: &edit.AbsentError{Applied: 2}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			change, err := parse(t, test.file).Replace(edit.Replacement{Old: test.old, New: test.new, All: test.all})
			require.Nil(t, change)
			require.Equal(t, test.want, err)
		})
	}
}

func TestErrorsSayWhatToDoNext(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		err  error
		want []string
	}{
		{name: "ambiguous", err: &edit.AmbiguousError{Lines: []int{3, 9}}, want: []string{"lines 3, 9;", "Give more lines", "replace_all"}},
		{name: "ambiguous, more", err: &edit.AmbiguousError{Lines: []int{3, 9}, More: true}, want: []string{"lines 3, 9 and more;"}},
		{name: "ambiguous without its indentation", err: &edit.AmbiguousError{Lines: []int{3, 9}, Level: edit.Indentation}, want: []string{"indentation", "replace_all"}},
		{name: "absent", err: &edit.AbsentError{}, want: []string{"not in the file", "read the file again"}},
		{name: "absent with line numbers", err: &edit.AbsentError{Numbered: true}, want: []string{"line numbers", "leave out"}},
		{name: "absent but for escapes", err: &edit.AbsentError{Escapes: true}, want: []string{"with other backslashes or entities", "as the file writes them"}},
		{name: "absent and done", err: &edit.AbsentError{Applied: 7}, want: []string{"at line 7", "may have been made"}},
		{name: "absent but for a line", err: &edit.AbsentError{Nearest: edit.Range{First: 4, Last: 4}, Similarity: 80, Diff: "-a\n+b"}, want: []string{"line 4 is most like it (80%", "\n-a\n+b"}},
		{name: "absent but for a part of a line", err: &edit.AbsentError{Nearest: edit.Range{First: 4, Last: 4}, Part: true, Byte: 70, Similarity: 80, Diff: "-a\n+b"}, want: []string{"line 4, from its byte 70 on, is most like it (80%"}},
		{name: "absent but for lines", err: &edit.AbsentError{Nearest: edit.Range{First: 4, Last: 6}, Similarity: 80, Diff: "-a\n+b"}, want: []string{"lines 4-6 are most like it"}},
		{name: "omission", err: &edit.OmissionError{Line: "// ..."}, want: []string{`"// ..."`, "in full"}},
		{name: "encoding", err: &edit.EncodingError{Encoding: "UTF-32", Problem: "it is so"}, want: []string{"it is so", "UTF-32", "iconv"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, want := range test.want {
				require.ErrorContains(t, test.err, want)
			}
		})
	}
	require.NotContains(t, (&edit.AmbiguousError{Lines: []int{1}, Level: edit.Fuzzy}).Error(), "replace_all", "All takes no similar text")
}

func TestAllTakesASinglePlaceAtTheLastLevels(t *testing.T) {
	t.Parallel()
	change, err := parse(t, "the quick brown fox jumps\nover it\n").Replace(edit.Replacement{Old: "the quick brwn fox jumps", New: "the quick brwn fox sits", All: true})
	require.NoError(t, err)
	require.Equal(t, "the quick brown fox sits\nover it\n", change.New)
}

func parse(t testing.TB, data string) *edit.Text {
	t.Helper()
	text, err := edit.Parse([]byte(data))
	require.NoError(t, err)
	return text
}

// TestReplaceEndsSoon: texts that once took minutes or gigabytes.
func TestReplaceEndsSoon(t *testing.T) {
	t.Parallel()
	word := strings.Repeat("abcdefghij", 20_000)
	for _, tc := range []struct {
		name     string
		file     string
		old, new string
		says     string // empty: it is replaced
	}{
		{name: "a long word", file: word + "X" + word + "\nend\n", old: word + "Y" + word + "\nend\n", new: word + "Y" + word + "\nEND\n"},
		{name: "invisible characters", file: "a" + strings.Repeat("\u200b", 100_000) + "b", old: "ab", new: "abc"},
		{name: "one quote many times", file: strings.Repeat("\u2019", 200_000), old: strings.Repeat("'", 5_000), new: "x", says: "and more"},
		{name: "similar lines", file: strings.Repeat("2024-01-01 12:00:00 INFO request served\n", 100_000), old: "2024-01-01 12:00:00 INFO request servd\n", new: "x", says: "not unique"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			text, err := edit.Parse([]byte(tc.file))
			require.NoError(t, err)
			start := time.Now()
			_, err = text.Replace(edit.Replacement{Old: tc.old, New: tc.new})
			require.Less(t, time.Since(start), 30*time.Second)
			if tc.says == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tc.says)
			require.Less(t, len(err.Error()), 1<<10)
		})
	}
}

// TestDifferenceOfLongLinesIsCut: an error is no copy of the file.
func TestDifferenceOfLongLinesIsCut(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 10_000)
	text, err := edit.Parse([]byte(long + "a\n"))
	require.NoError(t, err)
	_, err = text.Replace(edit.Replacement{Old: long + "b\nc\n", New: "x"})
	require.Less(t, len(err.Error()), 5000)
	require.True(t, utf8.ValidString(err.Error()))
	require.Contains(t, err.Error(), "[from byte 19874] … "+strings.Repeat("é", 63)+"b\n", "the place where the lines differ")
	require.Contains(t, err.Error(), "[from byte 19874] … "+strings.Repeat("é", 63)+"a")

	text, err = edit.Parse([]byte("one\nA" + long + "\n"))
	require.NoError(t, err)
	_, err = text.Replace(edit.Replacement{Old: "one\nB" + long + "\ntwo\n", New: "x"})
	require.ErrorContains(t, err, " … [19502 more bytes, as given]\n")
	require.ErrorContains(t, err, " … [19502 more bytes in this line; Read shows them with offset 2 and byte_offset 499]")
}
