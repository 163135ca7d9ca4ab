package grep_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/files/internal/grep"
	"github.com/seed49eaa51d/pegboard/tools/files/internal/grep/walk"
)

// one searches a text.
func one(t testing.TB, q grep.Query, text string) []string {
	t.Helper()
	p, err := grep.Compile(q)
	require.NoError(t, err)
	r, err := searchFile(t.Context(), p, strings.NewReader(text))
	require.NoError(t, err)
	byByte, err := searchFile(t.Context(), p, iotest.OneByteReader(strings.NewReader(text)))
	require.NoError(t, err)
	require.Equal(t, r, byByte, "however it is read")
	return lines(q, r)
}

func TestSearchFinds(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		query grep.Query
		text  string
		want  []string
	}{
		{name: "a line", query: grep.Query{Pattern: "b"}, text: "a\nb\n", want: []string{"f:2:b"}},
		{name: "last line without end", query: grep.Query{Pattern: "b"}, text: "a\nb", want: []string{"f:2:b"}},
		{name: "a carriage return belongs to the line", query: grep.Query{Pattern: "b$"}, text: "b\r\n", want: []string{}},
		{name: "nothing matches everywhere", query: grep.Query{Pattern: ""}, text: "a\n\nb", want: []string{"f:1:a", "f:2:", "f:3:b"}},
		{name: "empty lines", query: grep.Query{Pattern: "^$"}, text: "a\n\nb\n\n", want: []string{"f:2:", "f:4:"}},
		{name: "mark of UTF-8", query: grep.Query{Pattern: "^a"}, text: "\uFEFFa\n", want: []string{"f:1:a"}},
		{name: "UTF-16, little end first", query: grep.Query{Pattern: "ä$"}, text: "\xff\xfe\xe4\x00\n\x00", want: []string{"f:1:ä"}},
		{name: "UTF-16, big end first", query: grep.Query{Pattern: "^.$"}, text: "\xfe\xff\x00\xe4", want: []string{"f:1:ä"}},
		{name: "around bytes that are no text", query: grep.Query{Pattern: "a.b|cd"}, text: "a\xffb\n\xffcd\n", want: []string{"f:2:\xffcd"}},
		{name: "words in any script", query: grep.Query{Pattern: `^\w+$`}, text: "naïve\nдом\n日本\na-b\n", want: []string{"f:1:naïve", "f:2:дом", "f:3:日本"}},
		{name: "ends of words in any script", query: grep.Query{Pattern: `\bfoo\b`}, text: "éfoo\nfoo\n", want: []string{"f:2:foo"}},
		{name: "ASCII", query: grep.Query{Pattern: `^\w.$`, ASCII: true}, text: "a\xff\n\xc3\xa4\n", want: []string{"f:1:a\xff"}},
		{name: "a K of another kind", query: grep.Query{Pattern: "ok", IgnoreCase: true}, text: "oK\nO\u212A\n", want: []string{"f:1:oK", "f:2:O\u212A"}},
		{name: "an s of another kind", query: grep.Query{Pattern: "las", IgnoreCase: true}, text: "la\u017F\n", want: []string{"f:1:la\u017F"}},
		{name: "fixed", query: grep.Query{Pattern: "a.(", Fixed: true}, text: "ab(\na.(\n", want: []string{"f:2:a.("}},
		{name: "braces as they are", query: grep.Query{Pattern: "interface{}"}, text: "interface{}\n", want: []string{"f:1:interface{}"}},
		{name: "blanks that do not count", query: grep.Query{Pattern: "(?x) a b # c"}, text: "ab\n", want: []string{"f:1:ab"}},
		{name: "count", query: grep.Query{Pattern: "a", Mode: grep.Count}, text: "aa\nb\na\n", want: []string{"f:2"}},
		{name: "count matches", query: grep.Query{Pattern: "a", Mode: grep.Count, OnlyMatching: true}, text: "aa\nb\na\n", want: []string{"f:3"}},
		{name: "only", query: grep.Query{Pattern: "a+|b", OnlyMatching: true}, text: "aab\n", want: []string{"f:1:aa", "f:1:b"}},
		{name: "context", query: grep.Query{Pattern: "x", Before: 1, After: 1}, text: "1\n2\nx\n4\n5\n", want: []string{"f-2-2", "f-4-4", "f:3:x"}},
		{name: "context that overlaps", query: grep.Query{Pattern: "x", Before: 2, After: 2}, text: "x\n2\nx\n4", want: []string{"f-2-2", "f-4-4", "f:1:x", "f:3:x"}},
		{name: "across lines", query: grep.Query{Pattern: `a\n+b`, Multiline: true}, text: "a\n\nb c\n", want: []string{"f:1:a", "f:2:", "f:3:b c"}},
		{name: "a dot stays in the line", query: grep.Query{Pattern: `a.b|\nc`, Multiline: true}, text: "a\nb\nc\n", want: []string{"f:2:b", "f:3:c"}},
		{name: "a dot does not", query: grep.Query{Pattern: `a.b`, Multiline: true, DotAll: true}, text: "a\nb\nc\n", want: []string{"f:1:a", "f:2:b"}},
		{name: "only, across lines", query: grep.Query{Pattern: `a\nb`, Multiline: true, OnlyMatching: true}, text: "xa\nbx\n", want: []string{"f:1:a", "f:2:b"}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tc.want, one(t, tc.query, tc.text))
		})
	}
}

func TestSearchOfLongLines(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 300<<10)
	p, err := grep.Compile(grep.Query{Pattern: "needle", MaxColumns: 4, Before: 1})
	require.NoError(t, err)
	r, err := searchFile(t.Context(), p, strings.NewReader(long+"\n"+long+"needle\n"+long))
	require.NoError(t, err)
	require.Equal(t, []grep.Row{
		{Number: 1, Text: "xxxx", Omitted: len(long) - 4, Context: true},
		{Number: 2, Text: "xxxx", Omitted: len(long) + 2},
	}, r.Files[0].Rows)
}

func TestSearchShowsTheMatchInALongLine(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 300<<10)
	for _, tt := range []struct {
		name, pattern, text string
		multiline           bool
		want                []grep.Row
	}{
		{name: "far", pattern: "needle", text: long + "needle" + long, want: []grep.Row{{Number: 1, Skipped: len(long) - 1, Text: "xneedlexxxxx", Omitted: len(long) - 5}}},
		{name: "at the end", pattern: "needle", text: "a\n" + long + "needle\n", want: []grep.Row{{Number: 2, Skipped: len(long) - 1, Text: "xneedle"}}},
		{name: "near", pattern: "needle", text: "xxneedle" + long, want: []grep.Row{{Number: 1, Text: "xxneedlexxxx", Omitted: len(long) - 4}}},
		{name: "in a line that is not long", pattern: "needle", text: "xxxxxxxxxxxneedle", want: []grep.Row{{Number: 1, Text: "xxxxxxxxxxxn", Omitted: 5}}},
		{name: "characters count, not bytes", pattern: "needle", text: "äääääääääneedleäääää", want: []grep.Row{{Number: 1, Text: "ääääää", Omitted: 22}}},
		{name: "other characters before it", pattern: "needle", text: "ääääääääääääneedleääääää", want: []grep.Row{{Number: 1, Skipped: 22, Text: "äneedleää", Omitted: 8}}},
		{name: "across lines", multiline: true, pattern: "needle\\n\\w+", text: long + "needle\n" + long, want: []grep.Row{
			{Number: 1, Skipped: len(long) - 1, Text: "xneedle"}, {Number: 2, Text: "xxxxxxxxxxxx", Omitted: len(long) - 12},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, err := grep.Compile(grep.Query{Pattern: tt.pattern, Multiline: tt.multiline, MaxColumns: 12, LongLine: 20})
			require.NoError(t, err)
			r, err := searchFile(t.Context(), p, strings.NewReader(tt.text))
			require.NoError(t, err)
			require.Equal(t, tt.want, r.Files[0].Rows)
		})
	}
}

func TestSearchEndsAtWhatIsNotText(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	late := "needle\n" + strings.Repeat("line\n", 40_000) + "needle\x00\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "early"), []byte("needle\n\x00"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "late"), []byte(late), 0o600))
	q := grep.Query{Pattern: "needle"}
	r := search(t, dir, q, grep.Limits{})
	require.Equal(t, []string{"late:1:needle"}, lines(q, r))
	require.Equal(t, 1, r.Binary)
	q.Mode = grep.Count
	require.Empty(t, search(t, dir, q, grep.Limits{}).Files, "a part of a count is none")
}

func TestSearchEndsWithItsContext(t *testing.T) {
	t.Parallel()
	p, err := grep.Compile(grep.Query{Pattern: "a"})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = searchFile(ctx, p, strings.NewReader("a"))
	require.ErrorIs(t, err, context.Canceled)
}

// TestSearcherReusesItsMemory searches files without a match.
func TestSearcherReusesItsMemory(t *testing.T) {
	for _, pattern := range []string{"needle", `[0-9]+[a-z]+[0-9]`, `(?i)n[aeiou]dle`} {
		p, err := grep.Compile(grep.Query{Pattern: pattern})
		require.NoError(t, err)
		s := grep.NewSearcher(p)
		text := []byte(strings.Repeat("some text 12\n", 1000))
		r := bytes.NewReader(nil)
		ctx := context.Background()
		allocs := testing.AllocsPerRun(100, func() {
			r.Reset(text)
			found, err := s.Search(ctx, r, grep.SearchOptions{})
			if err != nil || found.Matched() {
				panic("there is no match")
			}
		})
		require.LessOrEqual(t, allocs, 2.0, pattern)
	}
}

func TestLineEndsOfWindows(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		query grep.Query
		text  string
		want  []string // the rows
	}{
		{name: "$ before a line end of two characters", query: grep.Query{Pattern: "a$"}, text: "a\r\nab\r\n", want: []string{"f:1:a\r"}},
		{name: "only what matches", query: grep.Query{Pattern: `\w+$`, OnlyMatching: true}, text: "x ab\r\n", want: []string{"f:1:ab\r"}},
		{name: "empty lines", query: grep.Query{Pattern: "^$"}, text: "a\r\n\r\nb\r\n", want: []string{"f:2:\r"}},
		{name: "\\r itself", query: grep.Query{Pattern: `\r$`}, text: "a\r\nb\n", want: []string{"f:1:a\r"}},
		{name: "\\n in a pattern", query: grep.Query{Pattern: `a\nb`, Multiline: true}, text: "a\r\nb\r\na\nb\n", want: []string{"f:1:a\r", "f:2:b\r", "f:3:a", "f:4:b"}},
		{name: "\\r\\n in a pattern", query: grep.Query{Pattern: `a\r\nb`, Multiline: true}, text: "a\r\nb\r\n", want: []string{"f:1:a\r", "f:2:b\r"}},
		{name: "$ across lines", query: grep.Query{Pattern: `a$\nb$`, Multiline: true}, text: "a\r\nb\r\n", want: []string{"f:1:a\r", "f:2:b\r"}},
		{name: "a text of several lines", query: grep.Query{Pattern: "a.\nb", Fixed: true, Multiline: true}, text: "a.\r\nb\r\nax\nb", want: []string{"f:1:a.\r", "f:2:b\r"}},
		{name: "a \\r within a line is no line end", query: grep.Query{Pattern: "a$"}, text: "a\rb\r\n", want: []string{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.query.CRLF = true
			p, err := grep.Compile(tt.query)
			require.NoError(t, err)
			r, err := searchFile(t.Context(), p, strings.NewReader(tt.text))
			require.NoError(t, err)
			require.Equal(t, tt.want, lines(tt.query, r))
		})
	}
}

// TestSearchOfOverlappingDirectories counts each file once.
func TestSearchOfOverlappingDirectories(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "sub"), 0o700))
	for _, name := range []string{"a", "sub/b", "z"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte("x\n"), 0o600))
	}
	p, err := grep.Compile(grep.Query{Pattern: "x"})
	require.NoError(t, err)
	s := grep.NewSearch(p, grep.Limits{Overlap: true, Limit: 2})
	for _, sub := range []string{"", "sub/"} {
		root, err := os.OpenRoot(filepath.Join(dir, filepath.FromSlash(sub)))
		require.NoError(t, err)
		require.NoError(t, s.Tree(t.Context(), root, root.Name(), sub, walk.Options{}))
		require.NoError(t, root.Close())
	}
	require.NoError(t, s.File(t.Context(), "z", strings.NewReader("x\n")))
	require.NoError(t, s.File(t.Context(), "0", strings.NewReader("x\n")))
	r := s.Report()
	require.Equal(t, []string{"0:1:x", "a:1:x"}, lines(grep.Query{}, r))
	require.Equal(t, []int{4, 4, 6}, []int{r.NumFiles, r.NumRows, r.Searched})
}
