package excerpt_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/excerpt"
)

// sourceOf is a text of which so many bytes are at hand.
func sourceOf(text string, keep int) excerpt.Source {
	c := excerpt.Capture{Keep: keep}
	_, _ = c.Write([]byte(text))
	o := c.Output()
	return excerpt.Source{Output: o, Lines: o.Lines(int64(strings.Count(text, "\n")))}
}

const how = "read on there with Grep"

func TestBeginning(t *testing.T) {
	t.Parallel()
	lines := strings.Repeat("0123456789\n", 1000)
	tests := []struct {
		name   string
		source excerpt.Source
		limit  int
		want   excerpt.Excerpt
	}{
		{name: "nothing", limit: 5, want: excerpt.Excerpt{}},
		{name: "fits", source: sourceOf("漢字\n", 100), limit: 3, want: excerpt.Excerpt{Text: "漢字\n", Shown: 7}},
		{name: "whole lines", source: stored(sourceOf(lines, 100), "/a", 11_000), limit: 40, want: excerpt.Excerpt{
			Note:  "[Result too long to show: 11000 bytes, 1000 lines. All of it is in /a; read on there with Grep. Below are its first 33 bytes.]",
			Text:  strings.TrimSuffix(lines[:33], "\n"),
			Shown: 33,
		}},
		{name: "the file is cut", source: stored(sourceOf(lines, 100), "ref:1", 9000), limit: 40, want: excerpt.Excerpt{
			Note:  "[Result too long to show: 11000 bytes, 1000 lines. Its first 9000 bytes are in ref:1; read on there with Grep. Below are its first 33 bytes.]",
			Text:  strings.TrimSuffix(lines[:33], "\n"),
			Shown: 33,
		}},
		{name: "a long line", source: sourceOf(strings.Repeat("漢", 100), 50), limit: 5, want: excerpt.Excerpt{
			Note:  "[Result too long to show: 300 bytes, 1 line. The rest was not kept. Below are its first 15 bytes.]",
			Text:  strings.Repeat("漢", 5),
			Shown: 15,
		}},
		{name: "less at hand than may be shown", source: sourceOf(strings.Repeat("漢", 100), 50), limit: 50, want: excerpt.Excerpt{
			Note:  "[Result too long to show: 300 bytes, 1 line. The rest was not kept. Below are its first 24 bytes.]",
			Text:  strings.Repeat("漢", 8),
			Shown: 24,
		}},
		{name: "all at hand", source: sourceOf(lines, 20_000), limit: 40, want: excerpt.Excerpt{
			Note:  "[Result too long to show: 11000 bytes, 1000 lines. The rest was not kept. Below are its first 33 bytes.]",
			Text:  strings.TrimSuffix(lines[:33], "\n"),
			Shown: 33,
		}},
		{name: "invalid bytes", source: sourceOf("a\xff\xfeb\xffc", 100), limit: 4, want: excerpt.Excerpt{
			Note:  "[Result too long to show: 6 bytes, 1 line. The rest was not kept. Below are its first 4 bytes.]",
			Text:  "a\uFFFDb",
			Shown: 4,
		}},
		{name: "the default", source: sourceOf(strings.Repeat("x", 2001), 8000), want: excerpt.Excerpt{
			Note:  "[Result too long to show: 2001 bytes, 1 line. The rest was not kept. Below are its first 2000 bytes.]",
			Text:  strings.Repeat("x", 2000),
			Shown: 2000,
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, excerpt.Beginning(tt.source, tt.limit))
		})
	}
}

func stored(s excerpt.Source, path string, size int64) excerpt.Source {
	s.Path, s.Stored, s.Hint = path, size, how
	return s
}

func TestEnds(t *testing.T) {
	t.Parallel()
	lines := strings.Repeat("0123456789\n", 1000)
	named := sourceOf(lines, 100)
	named.Name, named.Hint = "Output", "to see it, run the command again"
	tests := []struct {
		name   string
		source excerpt.Source
		limit  int
		want   excerpt.Excerpt
	}{
		{name: "fits", source: sourceOf("漢字\n", 100), limit: 3, want: excerpt.Excerpt{Text: "漢字\n", Shown: 7}},
		{name: "whole lines", source: named, limit: 50, want: excerpt.Excerpt{
			Note: "[Output cut: 11000 bytes, 1000 lines. Below are the first 22 bytes (lines 1 to 2) and, right after them, " +
				"the last 22 bytes (from line 999). The rest was not kept; to see it, run the command again.]",
			Text:  strings.TrimSuffix(lines[:44], "\n"),
			Shown: 44,
		}},
		{name: "stored", source: stored(sourceOf(lines, 11_000), "/a", 11_000), limit: 50, want: excerpt.Excerpt{
			Note: "[Result cut: 11000 bytes, 1000 lines. Below are the first 22 bytes (lines 1 to 2) and, right after them, " +
				"the last 22 bytes (from line 999). All of it is in /a; read on there with Grep.]",
			Text:  strings.TrimSuffix(lines[:44], "\n"),
			Shown: 44,
		}},
		{name: "a long line", source: sourceOf(strings.Repeat("漢", 100), 100), limit: 10, want: excerpt.Excerpt{
			Note:  "[Result cut: 300 bytes, 1 line. Below are the first 15 bytes and, right after them, the last 15 bytes. The rest was not kept.]",
			Text:  strings.Repeat("漢", 5) + "\n" + strings.Repeat("漢", 5),
			Shown: 30,
		}},
		{name: "no room", source: sourceOf("abc", 100), limit: -1, want: excerpt.Excerpt{
			Note: "[Result cut: 3 bytes, 1 line. Below are the first 0 bytes and, right after them, the last 0 bytes. The rest was not kept.]",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, excerpt.Ends(tt.source, tt.limit))
		})
	}
}

func TestExcerptString(t *testing.T) {
	t.Parallel()
	require.Equal(t, "note\ntext", excerpt.Excerpt{Note: "note", Text: "text"}.String())
	require.Equal(t, "note", excerpt.Excerpt{Note: "note"}.String())
	require.Equal(t, "text", excerpt.Excerpt{Text: "text"}.String())
}

func TestLines(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{"": 0, "a": 1, "a\n": 1, "a\nb": 2, "\n\n": 2} {
		for keep := range 5 {
			require.Equal(t, want, sourceOf(text, keep+1).Lines, "%q of which %d are kept", text, keep+1)
		}
	}
}

// randomText has lines and characters of all lengths, and some bytes that are none.
func randomText(rnd *rand.Rand, valid bool) string {
	parts := []string{"a", "word ", "\n", "\n", "é", "漢", "😀", "\r\n", "\xff", "\xe6\xbc", "\x80"}
	if valid {
		parts = parts[:8]
	}
	var b strings.Builder
	for range rnd.IntN(200) {
		b.WriteString(parts[rnd.IntN(len(parts))])
	}
	return b.String()
}

// TestCutsOfRandomText checks what every cut promises, wherever it falls.
func TestCutsOfRandomText(t *testing.T) {
	t.Parallel()
	cut := 0
	for seed := range effort.Of(t, uint64(2000)) {
		rnd := rand.New(rand.NewPCG(seed, 4))
		valid := seed%2 == 0
		text := randomText(rnd, valid)
		limit := 1 + rnd.IntN(120)
		s := sourceOf(text, 1+rnd.IntN(400))
		first, ends := excerpt.Beginning(s, limit), excerpt.Ends(s, limit)
		for _, x := range []excerpt.Excerpt{first, ends} {
			require.True(t, utf8.ValidString(x.Text))
			require.NotContains(t, x.Note, "\n")
			require.Equal(t, x.Note == "", x.Shown == int64(len(text)) && s.Omitted == 0 && utf8.RuneCountInString(text) <= limit)
			if valid {
				require.NotContains(t, x.Text, "\uFFFD")
			}
			if x.Note == "" {
				require.Equal(t, strings.ToValidUTF8(text, "\uFFFD"), x.Text)
				require.Equal(t, x.Text, excerpt.Ends(sourceOf(x.Text, 8000), limit).Text, "what fits is not changed")
				continue
			}
			cut++
			require.Contains(t, x.Note, fmt.Sprintf("%d bytes", len(text)))
		}
		require.LessOrEqual(t, utf8.RuneCountInString(first.Text), limit)
		require.LessOrEqual(t, utf8.RuneCountInString(ends.Text), limit+1, "a line end may be between the two")
		if valid && first.Note != "" {
			require.True(t, strings.HasPrefix(text, first.Text))
			requireEnds(t, text, ends)
		}
	}
	if effort.Full(t) {
		require.Greater(t, cut, 1000)
	}
}

// requireEnds checks an excerpt against its note and the text.
func requireEnds(t *testing.T, text string, x excerpt.Excerpt) {
	t.Helper()
	_, bytes, _ := strings.Cut(x.Note, "Below are the first ")
	var head, tail int
	_, err := fmt.Sscanf(bytes, "%d", &head)
	require.NoError(t, err)
	_, bytes, _ = strings.Cut(bytes, "the last ")
	_, err = fmt.Sscanf(bytes, "%d", &tail)
	require.NoError(t, err)
	require.EqualValues(t, head+tail, x.Shown)
	seam := ""
	if head > 0 && tail > 0 && text[head-1] != '\n' {
		seam = "\n"
	}
	require.Equal(t, strings.TrimRight(text[:head]+seam+text[len(text)-tail:], "\n"), x.Text)
	_, from, ok := strings.Cut(x.Note, "(from line ")
	if ok {
		var line int
		_, err = fmt.Sscanf(from, "%d", &line)
		require.NoError(t, err)
		require.Equal(t, strings.Count(text[:len(text)-tail], "\n")+1, line)
	}
}

// TestNotesOfRandomTexts compares the counts in the notes of Beginning and Ends with the
// texts.
func TestNotesOfRandomTexts(t *testing.T) {
	t.Parallel()
	letters := []string{"a", "ä", "😀", "\n", "\r\n", "\xff", "\n\n", "xxxxxxxxxx"}
	for seed := range effort.Of(t, uint64(3000)) {
		rnd := rand.New(rand.NewPCG(seed, 9))
		var b strings.Builder
		for range rnd.IntN(400) {
			b.WriteString(letters[rnd.IntN(len(letters))])
		}
		text := b.String()
		most := 1 + rnd.IntN(200)
		s := excerpt.NewReader(strings.NewReader(text)).Source()
		s.Path, s.Stored = "/p", int64(len(text))
		lines := int64(strings.Count(text, "\n"))
		if text != "" && !strings.HasSuffix(text, "\n") {
			lines++
		}
		require.Equal(t, lines, s.Lines)
		x := excerpt.Ends(s, most)
		require.True(t, utf8.ValidString(x.Text))
		require.LessOrEqual(t, utf8.RuneCountInString(x.Text), most+1)
		if x.Note != "" {
			var total, ln, head, tail int64
			require.Contains(t, x.Note, fmt.Sprintf("%d bytes, ", len(text)))
			i := strings.Index(x.Note, "the first ")
			_, err := fmt.Sscanf(x.Note[i:], "the first %d bytes", &head)
			require.NoError(t, err)
			i = strings.Index(x.Note, "the last ")
			_, err = fmt.Sscanf(x.Note[i:], "the last %d bytes", &tail)
			require.NoError(t, err)
			_, _ = total, ln
			require.LessOrEqual(t, head+tail, int64(len(text)))
			want := text[:head]
			if head > 0 && tail > 0 && !strings.HasSuffix(want, "\n") {
				want += "\n"
			}
			want += text[int64(len(text))-tail:]
			require.Equal(t, strings.TrimRight(strings.ToValidUTF8(want, "\uFFFD"), "\n"), x.Text)
			if j := strings.Index(x.Note, "(from line "); j >= 0 {
				var from int64
				_, err = fmt.Sscanf(x.Note[j:], "(from line %d)", &from)
				require.NoError(t, err)
				require.Equal(t, int64(strings.Count(text[:int64(len(text))-tail], "\n"))+1, from, "%q %q", text, x.Note)
			}
		}
		y := excerpt.Beginning(s, most)
		require.True(t, utf8.ValidString(y.Text))
		require.LessOrEqual(t, utf8.RuneCountInString(y.Text), most)
	}
}

// TestPreviewOfALogCopiesNothing: a log whose lines begin with a bracket is not copied
// only to find that it is not JSON.
func TestPreviewOfALogCopiesNothing(t *testing.T) {
	whole := strings.Repeat("[2026-11-21] a line of a log\n", 4<<20)
	s := excerpt.NewReader(strings.NewReader(whole)).Source()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	excerpt.Preview(s, whole, 2000)
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(len(whole)))
}
